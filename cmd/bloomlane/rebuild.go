package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// rebuilder is the rebuild command.
type rebuilder struct {
	asker
	lock lockOptions
}

func newRebuildCommand() *cobra.Command {
	var r rebuilder
	cmd := &cobra.Command{
		Use:   "rebuild FILE [KEY...]",
		Short: "Build a filter anew from the list of its members",
		Long: `Build a filter anew from the list of all its members: the keys that are arguments, or else
the lines of --keys, or else those of standard input. Plan, size and hash key stay; nothing is
left of the filter's history, so its false-positive rate is that of a new one. info says when a
rebuild is due.

The list must be whole: what is not in it is no member any more. A key that comes twice is
inserted once. An empty list is refused, because it would take all members out. Where there
are more members than planned, build a larger filter instead.

Nothing is replaced until the new filter is complete and the result is printed: if anything
fails before, also the printing, the file is as it was, and the exit code is 2.

` + lockHelp("FILE") + ` The lock is taken before the keys are read: what is
added or deleted meanwhile comes after.`,
		Example: `  bloomlane rebuild keys.blm --keys members.txt`,
		RunE:    func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
	}
	r.register(cmd)
	r.lock.register(cmd)
	return cmd
}

// rebuildResult is what rebuild prints.
type rebuildResult struct {
	File        string  `json:"file"`
	Kind        string  `json:"kind"`
	Keys        int     `json:"keys"`       // read
	Duplicates  int     `json:"duplicates"` // among them, dropped
	Before      int     `json:"members_before"`
	Members     int     `json:"members"`
	Planned     int     `json:"planned_members,omitempty"`
	Bytes       int     `json:"bytes"`
	RateBefore  float64 `json:"rate_before"`
	Rate        float64 `json:"rate"` // of false positives now
	Turnovers   float64 `json:"planned_turnovers"`
	PlannedRate float64 `json:"planned_rate,omitempty"`
}

func (r *rebuilder) run(cmd *cobra.Command, args []string) error {
	catchBrokenPipe()
	lock, err := r.lockFirst(args)
	if err != nil {
		return err
	}
	defer lock.release()
	f, err := openFilter(cmd, lock.target, keyFile(r.key, r.filter))
	if err != nil {
		return err
	}
	defer f.Close()
	if !canRebuild(f.Stored) {
		return &cannotError{r.filter, f.kind.Name, "rebuild"}
	}
	keys, err := r.change(cmd, args)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return fmt.Errorf("found no keys, expected all members of %s", r.filter)
	}
	hashes, _ := distinct(f, keys)
	slices.Sort(hashes) // as build does
	before := prospectsOf(f.Stored)
	fresh := empty(f.Stored)
	if n, err := insert(cmd, fresh.(filter.Set), hashes); err != nil {
		return fmt.Errorf("%s has room for %d of %s, build a larger one (build --members %d): %w",
			r.filter, n, quantity.Of(len(hashes), "member"), len(hashes), err)
	}
	if due := (*deletable.RebuildError)(nil); errors.As(dueOf(fresh), &due) {
		return fmt.Errorf("found %s, but %s is planned for %d: build it anew (build --members %d)",
			quantity.Of(len(hashes), "member"), r.filter, due.PlannedMembers, len(hashes))
	}
	now := prospectsOf(fresh)
	result := rebuildResult{
		File: r.filter, Kind: f.kind.Name, Keys: len(keys), Duplicates: len(keys) - len(hashes),
		Before: before.members, Members: now.members, Planned: now.planned, Bytes: now.bytes,
		RateBefore: before.rate, Rate: now.rate, Turnovers: now.turnovers, PlannedRate: now.plannedRate,
	}
	return replaceFilter(lock, fresh, "", func(bool) error { return result.print(cmd, cmd.OutOrStdout()) })
}

// lockFirst takes the lock before keys are read: their list is that of one moment, from which on others wait.
func (r *rebuilder) lockFirst(args []string) (*fileLock, error) {
	if _, err := r.parse(args); err != nil {
		return nil, err
	}
	if r.filter == standard {
		return nil, replacesFileError("rebuild")
	}
	return lockFile(r.filter, r.lock.timeout)
}

// canRebuild reports whether a filter can be made empty, and takes members.
func canRebuild(f filter.Stored) bool {
	_, set := f.(filter.Set)
	_, rebuilder := f.(filter.Rebuilder)
	_, resetter := f.(filter.Resetter)
	return set && (rebuilder || resetter)
}

// empty returns an empty filter of the same plan, size and key: f itself, where it can only be emptied in
// place.
func empty(f filter.Stored) filter.Stored {
	if r, ok := f.(filter.Rebuilder); ok {
		return r.Fresh()
	}
	f.(filter.Resetter).Reset()
	return f
}

func (r *rebuildResult) print(cmd *cobra.Command, w io.Writer) error {
	if wantsJSON(cmd) {
		return writeJSON(w, r)
	}
	return writeTable(w, [][2]string{
		{"filter", r.File + ", built anew"},
		{"kind", r.Kind},
		{"keys read", keysRead(r.Keys, r.Duplicates)},
		{"members", fmt.Sprintf("%s, %d before", plannedFor(r.Members, r.Planned), r.Before)},
		{"size", quantity.Of(r.Bytes, "byte")},
		{"false positives", falsePositives(r.Rate, r.PlannedRate, r.Turnovers)},
		{"before", quantity.Percent(r.RateBefore) + " false positives"},
	})
}
