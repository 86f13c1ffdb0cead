package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/file"
)

// merger is the merge command.
type merger struct {
	out, key string
	force    bool
	lock     lockOptions
}

func newMergeCommand() *cobra.Command {
	var m merger
	cmd := &cobra.Command{
		Use:   "merge -o OUT FILE FILE...",
		Short: "Merge filters of one hash key and one size",
		Long: `Merge filters of one hash key and one size into a filter that has the members of all.

A filter that was built apart from another merges with it if both were built with the
same --kind, the same --key file and the same size: the same --bits-per-key or --rate, and
the same --members, of them all together. A member of two of the filters is one twice:
of deletable filters it can no longer be deleted. Of different plans the merged filter has the one for more members, or of equal ones
for more turnovers; the inserts of all count against it. Without --key, the key file of the
first filter is read, and copied to the key file of OUT if there is none.

OUT may be one of the filters. OUT "-" is standard output, and one FILE may be "-", standard
input. A file that is no filter is replaced with --force only.

Nothing is replaced until the new file is complete and the result is printed: if anything
fails before, also the printing, OUT is as it was, the exit code is 2, and the command can be
repeated. Do not repeat one that exits 0: a filter that is merged twice has its members
twice.

` + lockHelp("OUT") + ` The lock is taken before any filter is read. The other
filters are not locked: each is read whole, as it is at that moment.`,
		Example: `  bloomlane merge -o all.blm monday.blm tuesday.blm`,
		Args:    cobra.MinimumNArgs(2),
		RunE:    func(cmd *cobra.Command, files []string) error { return m.run(cmd, files) },
	}
	cmd.Flags().StringVarP(&m.out, "out", "o", "", "file of the merged filter, replaced if it exists")
	cmd.Flags().StringVar(&m.key, "key", "", "file of the hash key, 64 hex digits (default that of the first filter)")
	addForceFlag(cmd, &m.force)
	m.lock.register(cmd)
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

// mergeResult is what merge prints.
type mergeResult struct {
	File        string  `json:"file"`
	Kind        string  `json:"kind"`
	KeyFile     string  `json:"key_file"`
	KeyCreated  bool    `json:"key_created"`
	Merged      int     `json:"merged_filters"`
	Members     int     `json:"members"`
	Planned     int     `json:"planned_members,omitempty"` // 0: the kind does not say
	Bytes       int     `json:"bytes"`
	Rate        float64 `json:"rate"` // of false positives now
	Turnovers   float64 `json:"planned_turnovers"`
	PlannedRate float64 `json:"planned_rate,omitempty"` // at the end of the planned turnovers
	Due         bool    `json:"rebuild_due"`
}

func (m *merger) run(cmd *cobra.Command, files []string) error {
	inputs := []input{{"the hash key (--key)", m.key}}
	for _, name := range files {
		inputs = append(inputs, input{"a filter", name})
	}
	if err := onlyOnce(inputs...); err != nil {
		return err
	}
	if m.out != standard && sameTarget(keyFile(m.key, m.out), m.out) {
		return fmt.Errorf("--out %s and its key file are one file, expected two", m.out)
	}
	catchBrokenPipe()
	out, err := openOutput(cmd, m.out, m.force, &m.lock)
	if err != nil {
		return err
	}
	defer out.release()
	if err := differentFiles(files); err != nil {
		return err
	}
	f, err := openFilter(cmd, files[0], keyFile(m.key, files[0]))
	if err != nil {
		return err
	}
	defer f.Close()
	if f.kind.Merge == nil {
		return &cannotError{pathName(files[0]), f.kind.Name, "merge"}
	}
	bar := startProgress(cmd, "merging", int64(len(files)), "filters")
	defer bar.Done()
	for i, name := range files[1:] {
		if err := mergeFile(cmd, f, name); err != nil {
			return err
		}
		bar.Set(int64(i + 2))
	}
	bar.Done()
	result := mergeResult{File: m.out, Kind: f.kind.Name, KeyFile: keyFile(m.key, m.out), Merged: len(files)}
	newKey := result.KeyFile
	if m.key == standard {
		newKey = ""
	} else if m.out == standard {
		result.KeyFile, newKey = keyFile(m.key, files[0]), "" // it was read there
	}
	p := prospectsOf(f.Stored)
	result.Members, result.Planned, result.Bytes = p.members, p.planned, p.bytes
	result.Rate, result.PlannedRate, result.Turnovers = p.rate, p.plannedRate, p.turnovers
	result.Due = p.due
	return out.replace(f.Stored, newKey, func(w io.Writer, keyCreated bool) error {
		result.KeyCreated = keyCreated
		return result.print(cmd, w)
	})
}

// differentFiles refuses a filter that is named twice: merged with itself, no member of it could be
// deleted any more.
func differentFiles(files []string) error {
	infos := make([]os.FileInfo, len(files))
	for i, name := range files {
		if name == standard {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		for j := range i {
			if infos[j] != nil && os.SameFile(infos[j], info) {
				return fmt.Errorf("%s and %s are one file, expected different filters", files[j], name)
			}
		}
		infos[i] = info
	}
	return nil
}

// mergeFile adds the members of the filter in a file to f.
func mergeFile(cmd *cobra.Command, f *opened, name string) error {
	other, err := openWith(cmd, name, f.Key())
	if errors.Is(err, file.ErrWrongKey) {
		return fmt.Errorf("%w: build filters that are to be merged with the same --key FILE", err)
	}
	if err != nil {
		return err
	}
	defer other.Close()
	if f.kind.Name != other.kind.Name {
		return fmt.Errorf("%s is a %s filter, and %s a %s filter, expected one --kind",
			f.path, f.kind.Name, other.path, other.kind.Name)
	}
	if err := f.kind.Merge(f.Stored, other.Stored); err != nil {
		if sizes := differentSizes(f, other); sizes != nil {
			return sizes
		}
		return fmt.Errorf("%s: %w", other.path, err)
	}
	return nil
}

// differentSizes returns the error of two filters that did not merge where their sizes differ, with what to
// give to build; nil where they do not.
func differentSizes(f, other *opened) error {
	a, b := prospectsOf(f.Stored), prospectsOf(other.Stored)
	if a.bytes == b.bytes {
		return nil
	}
	larger := a
	if b.bytes > a.bytes {
		larger = b
	}
	size := "the same --bits-per-key or --rate"
	if larger.planned > 0 {
		bits := 8 * float64(larger.bytes) / float64(larger.planned)
		size = "--bits-per-key " + strconv.FormatFloat(bits, 'f', 1, 64)
	}
	const text = "merge: %s has %s and %s has %s, expected one size: " +
		"build each with --members %d (the members of all), %s and one --key FILE"
	return fmt.Errorf(text, f.path, quantity.Of(a.bytes, "byte"), other.path, quantity.Of(b.bytes, "byte"),
		max(a.members+b.members, a.planned, b.planned), size)
}

func (r *mergeResult) print(cmd *cobra.Command, w io.Writer) error {
	if wantsJSON(cmd) {
		return writeJSON(w, r)
	}
	keyNote := ""
	if r.KeyCreated {
		keyNote = " (copied: keep it secret)"
	}
	return writeTable(w, [][2]string{
		{"filter", fmt.Sprintf("%s, of %d filters", outputName(r.File), r.Merged)},
		{"kind", r.Kind},
		{"hash key", pathName(r.KeyFile) + keyNote},
		{"members", plannedFor(r.Members, r.Planned)},
		{"size", quantity.Of(r.Bytes, "byte")},
		{"false positives", falsePositives(r.Rate, r.PlannedRate, r.Turnovers)},
		{"rebuild", rebuildDue(r.Due)},
	})
}
