package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// merger is the merge command.
type merger struct {
	out, key    string
	lockTimeout time.Duration
}

func newMergeCommand() *cobra.Command {
	var m merger
	cmd := &cobra.Command{
		Use:   "merge -o OUT FILE FILE...",
		Short: "Merge filters of one hash key and one size",
		Long: `Merge filters of one hash key and one size into a filter that has the members of all.

A filter that was built apart from another merges with it if both were built with the
same --key file and the same --members and size. A member of two of the filters can no
longer be deleted. Of different plans the merged filter has the one for more members, or of
equal ones for more turnovers; the inserts of all count against it. Without --key, the key
file of the first filter is read, and copied to the key file of OUT if there is none.

OUT may be one of the filters. Nothing is replaced until the new file is complete and the
result is printed: if anything fails before, also the printing, OUT is as it was, the exit
code is 2, and the command can be repeated. Do not repeat one that exits 0: a filter that is
merged twice has members that can no longer be deleted.

` + lockHelp("OUT") + ` The lock is taken before any filter is read. The other
filters are not locked: each is read whole, as it is at that moment.`,
		Example: `  bloomlane merge -o all.blm monday.blm tuesday.blm`,
		Args:    cobra.MinimumNArgs(2),
		RunE:    func(cmd *cobra.Command, files []string) error { return m.run(cmd, files) },
	}
	cmd.Flags().StringVarP(&m.out, "out", "o", "", "file of the merged filter, replaced if it exists")
	cmd.Flags().StringVar(&m.key, "key", "", "file of the hash key, 64 hex digits (default that of the first filter)")
	addLockFlag(cmd, &m.lockTimeout)
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

// mergeResult is what merge prints.
type mergeResult struct {
	File        string  `json:"file"`
	KeyFile     string  `json:"key_file"`
	KeyCreated  bool    `json:"key_created"`
	Merged      int     `json:"merged_filters"`
	Members     int     `json:"members"`
	Planned     int     `json:"planned_members"`
	Bytes       int     `json:"bytes"`
	Rate        float64 `json:"rate"` // of false positives now
	Turnovers   float64 `json:"planned_turnovers"`
	PlannedRate float64 `json:"planned_rate"` // at the end of the planned turnovers
	Due         bool    `json:"rebuild_due"`
}

func (m *merger) run(cmd *cobra.Command, files []string) error {
	if sameTarget(keyFile(m.key, m.out), m.out) {
		return fmt.Errorf("--out %s and its key file are one file, expected two", m.out)
	}
	catchBrokenPipe()
	lock, err := lockFile(m.out, m.lockTimeout)
	if err != nil {
		return err
	}
	defer lock.release()
	if err := differentFiles(files); err != nil {
		return err
	}
	f, err := openFilter(files[0], keyFile(m.key, files[0]))
	if err != nil {
		return err
	}
	defer f.Close()
	bar := startProgress(cmd, "merging", int64(len(files)), false)
	defer bar.done()
	for i, name := range files[1:] {
		if err := mergeFile(f, name); err != nil {
			return err
		}
		bar.set(int64(i + 2))
	}
	result := mergeResult{File: m.out, KeyFile: keyFile(m.key, m.out), Merged: len(files)}
	stats := f.Stats()
	result.Members, result.Planned, result.Bytes = stats.Members, stats.Planned, stats.Bytes
	result.Rate, result.PlannedRate, result.Turnovers = stats.Rate, stats.PlannedRate, stats.PlannedTurnovers
	result.Due = f.Due() != nil
	return replaceFilter(lock, f, result.KeyFile, func(keyCreated bool) error {
		result.KeyCreated = keyCreated
		return result.print(cmd)
	})
}

// differentFiles refuses a filter that is named twice: merged with itself, no member of it could be
// deleted any more.
func differentFiles(files []string) error {
	infos := make([]os.FileInfo, len(files))
	for i, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		for j := range i {
			if os.SameFile(infos[j], info) {
				return fmt.Errorf("%s and %s are one file, expected different filters", files[j], name)
			}
		}
		infos[i] = info
	}
	return nil
}

func mergeFile(f *deletable.Filter, name string) error {
	other, err := deletable.Open(name, f.Key())
	if err != nil {
		return err
	}
	defer other.Close()
	if err := f.Merge(other); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (r *mergeResult) print(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	keyNote := ""
	if r.KeyCreated {
		keyNote = " (copied: keep it secret)"
	}
	return writeTable(cmd.OutOrStdout(), [][2]string{
		{"filter", fmt.Sprintf("%s, of %d filters", r.File, r.Merged)},
		{"hash key", r.KeyFile + keyNote},
		{"members", fmt.Sprintf("%d, planned for %d", r.Members, r.Planned)},
		{"size", fmt.Sprintf("%d bytes", r.Bytes)},
		{"false positives", falsePositives(r.Rate, r.PlannedRate, r.Turnovers)},
		{"rebuild", rebuild(r.Due)},
	})
}
