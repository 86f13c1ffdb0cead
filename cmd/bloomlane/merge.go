package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/file"
)

func newMergeCommand() *cobra.Command {
	var m outputFlags
	cmd := &cobra.Command{
		Use:   "merge -o OUT FILE FILE...",
		Short: "Merge filters of one hash key and one size",
		Long: `Merge filters of one hash key and one size into a filter that has the members of all.

A filter that was built apart from another merges with it if both were built with the
same --kind, the same --key file and the same size: the same --bits-per-key or --rate, and
the same --members, of them all together. A member of two of the filters is one twice:
of deletable filters it can no longer be deleted. Of different plans the merged filter has the
one for more members, or of equal ones for more turnovers; the inserts of all count against it.
Without --key, the key file of the first filter is read, and copied to the key file of OUT if
there is none.

OUT may be one of the filters. OUT "-" is standard output, and one FILE may be "-", standard
input. A file that is no filter is replaced with --force only.

Do not repeat a command that exits 0: a filter that is merged twice has its members twice.

` + replaceHelp("OUT") + ` The lock is taken before any filter is read. The other
filters are not locked: each is read whole, as it is at that moment.`,
		Example: `  bloomlane merge -o all.blm monday.blm tuesday.blm`,
		Args:    cobra.MinimumNArgs(2),
		RunE:    func(cmd *cobra.Command, files []string) error { return m.merge(cmd, files) },
	}
	m.register(cmd, "file of the hash key, 64 hex digits (default that of the first filter)")
	return cmd
}

func (m *outputFlags) merge(cmd *cobra.Command, files []string) error {
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
	out, err := m.open(cmd)
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
	result := describe(f.Stored)
	result.how, result.File, result.Kind, result.KeyFile = "merge", m.out, f.kind.Name, keyFile(m.key, m.out)
	result.Merged = len(files)
	newKey := result.KeyFile
	if m.out == standard {
		result.KeyFile, newKey = keyFile(m.key, files[0]), "" // it was read there
	}
	return out.make(f.Stored, newKey, result)
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
	a, b := describe(f.Stored), describe(other.Stored)
	if a.Bytes == b.Bytes {
		return nil
	}
	larger := a
	if b.Bytes > a.Bytes {
		larger = b
	}
	size := "the same --bits-per-key or --rate"
	if larger.Planned > 0 {
		bits := 8 * float64(larger.Bytes) / float64(larger.Planned)
		size = "--bits-per-key " + strconv.FormatFloat(bits, 'f', 1, 64)
	}
	const text = "merge: %s has %s and %s has %s, expected one size: " +
		"build each with --members %d (the members of all), %s and one --key FILE"
	return fmt.Errorf(text, f.path, quantity.Of(a.Bytes, "byte"), other.path, quantity.Of(b.Bytes, "byte"),
		max(a.Members+b.Members, a.Planned, b.Planned), size)
}
