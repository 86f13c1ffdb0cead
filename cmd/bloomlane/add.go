package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// adder is the add command.
type adder struct {
	asker
	lock lockOptions
}

func newAddCommand() *cobra.Command {
	var a adder
	cmd := &cobra.Command{
		Use:   "add FILE [KEY...]",
		Short: "Add members to a filter",
		Long: `Add members to a filter: the keys that are arguments, or else the lines of --keys, or else
those of standard input. No keys at all change nothing.

Prints a status, a tab and the key, a line each:

  added     it was not present, and is a member now
  present   it was present before, as a false positive or a member, and was added all the same
  repeated  it came before in this input, and was not added again

Add a member once. A key that is present may be no member, so it is added; but a member that is
added again is in twice, and a deletable filter may then retain it when it is deleted. Only the
list of the members tells one from the other.

First all keys are read, then the answers are printed, and only then is the file replaced.
If anything fails, also the printing, the file is as it was, whatever answers came out: the
exit code is 2, and the command can be repeated. A filter that has no room for all keys takes
none. Otherwise the exit code is 0: do not repeat such a command.

` + lockHelp("FILE") + ` The lock is taken after the keys are read, and before
the filter is.`,
		Example: `  bloomlane add keys.blm apple pear
  bloomlane add keys.blm --keys new.txt`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args) },
	}
	a.register(cmd)
	a.lock.register(cmd)
	return cmd
}

// addSummary is what add prints after its answers, with --json.
type addSummary struct {
	File     string `json:"file"`
	Added    int    `json:"added"`   // that were not present
	Present  int    `json:"present"` // before, and added all the same
	Repeated int    `json:"repeated"`
	Members  int    `json:"members"` // that there are now
	Due      bool   `json:"rebuild_due"`
}

func (a *adder) run(cmd *cobra.Command, args []string) error {
	catchBrokenPipe()
	keys, err := a.change(cmd, args)
	if err != nil {
		return err
	}
	lock, err := lockFile(a.filter, a.lock.timeout)
	if err != nil {
		return err
	}
	defer lock.release()
	f, err := openFilter(cmd, lock.target, keyFile(a.key, a.filter))
	if err != nil {
		return err
	}
	defer f.Close()
	set, ok := f.Stored.(filter.Set)
	if !ok {
		return &cannotError{a.filter, f.kind.Name, "add"}
	}
	hashes, first := distinct(f, keys)
	present := make([]uint64, filter.Words(len(hashes)))
	if n, err := set.InsertHashBatch(hashes, present); err != nil {
		return fmt.Errorf("%s has room for %d of %s, so none is added: %w",
			a.filter, n, quantity.Of(len(hashes), "key"), err)
	}

	due := dueOf(f.Stored)
	summary := addSummary{
		File: a.filter, Repeated: len(keys) - len(hashes), Members: members(f.State()), Due: due != nil,
	}
	for i := range hashes {
		if filter.At(present, i) {
			summary.Present++
		}
	}
	summary.Added = len(hashes) - summary.Present
	show := func(bool) error {
		out := newAnswers(cmd)
		for i, key := range keys {
			switch {
			case first[i] < 0:
				out.add(key, "repeated")
			case filter.At(present, first[i]):
				out.add(key, "present")
			default:
				out.add(key, "added")
			}
		}
		return out.finish(summary)
	}
	if len(hashes) == 0 {
		return show(false)
	}
	if err := replaceFilter(lock, f, "", show); err != nil {
		return err
	}
	noteDue(cmd, a.filter, due)
	return nil
}

// noteDue notes that a filter is due for a rebuild, and what to do: a filter for more members, where there
// are more than planned.
func noteDue(cmd *cobra.Command, path string, due error) {
	var rebuild *deletable.RebuildError
	switch {
	case due == nil:
	case errors.As(due, &rebuild) && rebuild.Members > rebuild.PlannedMembers:
		note(cmd, "%s has %s and is planned for %d: build a larger one of all members (build --members)",
			path, quantity.Of(rebuild.Members, "member"), rebuild.PlannedMembers)
	default:
		note(cmd, "%s is due for a rebuild from the list of all members (rebuild %s --keys FILE)", path, path)
	}
}
