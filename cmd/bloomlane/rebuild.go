package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/spill"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

func newRebuildCommand() *cobra.Command {
	var a asker
	var force bool
	cmd := &cobra.Command{
		Use:   "rebuild FILE [KEY...]",
		Short: "Build a filter again from the list of all its members",
		Long: `Build a filter again from the list of all its members.

` + keysHelp + `

Plan, size and hash key stay. Nothing is left of the filter's history, so its false-positive rate is
that of a new filter. "bloomlane info" says when a rebuild is due.
` + fileHelp + `

The list must be complete: a key that is not in it is no member any more. A repeated key is inserted
once. A list of less than a tenth of the members is refused without --force. If there are more
members than planned, build a larger filter instead.

` + scratchHelp("FILE") + `

` + replaceHelp("FILE") + ` Keys
that others add or delete meanwhile come after the rebuild.

` + command.ExitHelp,
		Example: `  bloomlane rebuild keys.blm --keys members.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.rebuild(cmd, args, force)
		},
	}
	a.register(cmd)
	cmd.Flags().BoolVar(&force, "force", false,
		"rebuild also where less than a tenth of the members are left")
	a.locking.register(cmd)
	return cmd
}

func (a *asker) rebuild(cmd *cobra.Command, args []string, force bool) error {
	catchBrokenPipe()
	if err := a.parse(cmd, args, true); err != nil {
		return err
	}
	// Before the keys are read: their list is that of one moment, from which on others wait.
	lock, f, err := a.lockAndOpen(cmd)
	if err != nil {
		return err
	}
	defer lock.release()
	defer f.Close()
	if !canRebuild(f.Stored) {
		return &cannotError{a.filter, f.kind.Name, "rebuild"}
	}
	_, counts := f.Stored.(filter.Counter)
	hashes := newHashes(f.kind, counts, lock.target)
	defer hashes.Close()
	if err := a.hash(cmd, f.Key(), hashes); err != nil {
		return err
	}
	different, err := hashes.Different()
	if err != nil {
		return err
	}
	before := describe(f.Stored)
	fresh := empty(f.Stored)
	if n, err := insert(cmd, fresh.(filter.Set), hashes, different); err != nil {
		return fmt.Errorf("%s has room for %d of %s, build a larger one (build --members %d): %w",
			a.filter, n, quantity.Of(different, "member"), different, err)
	}
	hashes.Close() // the filter may need the room
	if due := (*deletable.RebuildError)(nil); errors.As(dueOf(fresh), &due) {
		const text = "found %s, but %s is planned for %d: build a new one (build --members %d)"
		return fmt.Errorf(text,
			quantity.Of(different, "member"), a.filter, due.PlannedMembers, different)
	}
	result := describe(fresh)
	if 10*result.Members < before.Members && !force {
		const text = "found %s, expected all of %s, which has %d (--force removes the others)"
		return fmt.Errorf(text, quantity.Of(result.Members, "member"), a.filter, before.Members)
	}
	result.by("rebuild", f.kind.Name, a.filter, keyFile(a.key, a.filter))
	result.Keys, result.Duplicates = hashes.Added(), hashes.Added()-different
	result.MembersBefore, result.RateBefore = before.Members, before.Rate
	return (&output{cmd, a.filter, lock, force}).make(fresh, "", result)
}

// hash adds the hashes of all keys.
func (a *asker) hash(cmd *cobra.Command, k key.Key, hashes *spill.Hashes) error {
	if len(a.keys) == 0 {
		return hashKeys(&keyReader{cmd: cmd, files: a.files, form: a.form}, k, hashes)
	}
	for _, text := range a.keys {
		if err := hashes.Add(k.Hash(text)); err != nil {
			return err
		}
	}
	return nil
}

// canRebuild reports whether a filter can be made empty, and takes members.
func canRebuild(f filter.Stored) bool {
	_, set := f.(filter.Set)
	_, rebuilder := f.(filter.Rebuilder)
	_, resetter := f.(filter.Resetter)
	return set && (rebuilder || resetter)
}

// empty returns an empty filter of the same plan, size and key: f itself, where it can only be
// emptied in place.
func empty(f filter.Stored) filter.Stored {
	if r, ok := f.(filter.Rebuilder); ok {
		return r.Fresh()
	}
	f.(filter.Resetter).Reset()
	return f
}
