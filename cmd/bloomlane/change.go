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

// changeHelp is what add and delete have in common.
const changeHelp = `First all keys are read, then the answers are printed, and only then is the file
replaced. No keys at all change nothing. `

func newAddCommand() *cobra.Command {
	return newChangeCommand(&cobra.Command{
		Use:   "add FILE [KEY...]",
		Short: "Add members to a filter",
		Long: `Add members to a filter: the keys that are arguments, or else the lines of --keys, or
else those of standard input. Prints a status, a tab and the key, a line each:

  added     it was not present, and is a member now
  present   it was present before, as a false positive or a member, and was added all the same
  repeated  it came before in this input, and was not added again; but a filter that counts adds it

Add a member once. A key that is present may be no member, so it is added; but a member that is
added again is in twice, and a deletable filter may then retain it when it is deleted. Only the
list of the members tells one from the other. A filter that has no room for all keys takes none.

` + changeHelp + `Do not repeat a command that exits 0.

` + replaceHelp("FILE") + ` The lock is taken after the keys are read.`,
		Example: `  bloomlane add keys.blm apple pear
  bloomlane add keys.blm --keys new.txt`,
	}, []string{"added", "present", "repeated"},
		func(f *opened, hashes []uint64) ([]string, error) {
			set, ok := f.Stored.(filter.Set)
			if !ok {
				return nil, &cannotError{f.path, f.kind.Name, "add"}
			}
			present := make([]uint64, filter.Words(len(hashes)))
			if n, err := set.InsertHashBatch(hashes, present); err != nil {
				return nil, fmt.Errorf("%s has room for %d of %s, so none is added: %w",
					f.path, n, quantity.Of(len(hashes), "key"), err)
			}
			return presentOr(present, len(hashes), "added"), nil
		})
}

func newDeleteCommand() *cobra.Command {
	return newChangeCommand(&cobra.Command{
		Use:   "delete FILE [KEY...]",
		Short: "Delete members from a filter",
		Long: `Delete members from a filter: the keys that are arguments, or else the lines of
--keys, or else those of standard input. Prints a status, a tab and the key, a line each:

  deleted   it was present, and something of it is cleared
  retained  it was present, and stays visible: all that it has is shared, or it is a member
            once more
  absent    it was not present: it was no member, and nothing was done
  repeated  it came before in this input, and was not deleted again; but a filter that counts does it

Delete only what is a member, and once. A key that is no member may be a false positive,
and then its delete hides members.

` + changeHelp + `The exit code is 1 if any key is absent, and 0 if none is.
Do not repeat a command that exits 0 or 1, nor one whose message says that the file is replaced
(it is, but the disk could not be made to keep that in a power cut).

` + replaceHelp("FILE") + ` The lock is taken after the keys are read.`,
		Example: `  bloomlane delete keys.blm apple pear
  bloomlane delete keys.blm --keys gone.txt`,
	}, []string{"deleted", "retained", "absent", "repeated"},
		func(f *opened, hashes []uint64) ([]string, error) {
			deleter, ok := f.Stored.(filter.Deleter)
			if !ok {
				return nil, &cannotError{f.path, f.kind.Name, "delete"}
			}
			status, statuses := make([]filter.Status, len(hashes)), make([]string, len(hashes))
			deleter.DeleteHashBatch(hashes, status)
			for i, s := range status {
				statuses[i] = s.String()
			}
			return statuses, nil
		})
}

// newChangeCommand completes a command that changes the members of a filter's file. change returns
// the status of each of some different hashes, one of the kinds; where all are absent the file
// stays.
func newChangeCommand(
	cmd *cobra.Command, kinds []string,
	change func(f *opened, hashes []uint64) (statuses []string, err error),
) *cobra.Command {
	var a asker
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		catchBrokenPipe()
		if err := a.parse(cmd, args, true); err != nil {
			return err
		}
		keys, err := a.read(cmd) // an input that is bad at its end changes nothing
		if err != nil {
			return err
		}
		lock, f, err := a.lockAndOpen(cmd)
		if err != nil {
			return err
		}
		defer lock.release()
		defer f.Close()
		hashes, first := distinct(f.Stored, keys)
		statuses, err := change(f, hashes)
		if err != nil {
			return err
		}
		due := dueOf(f.Stored)
		out := newAnswers(cmd, kinds...)
		show := func(io.Writer, bool) error {
			for i, key := range keys {
				if first[i] < 0 {
					out.add(key, "repeated")
				} else {
					out.add(key, statuses[first[i]])
				}
			}
			return out.finish(map[string]any{"file": a.filter, "members": members(f.State()),
				"rebuild_due": due != nil})
		}
		if slices.ContainsFunc(statuses, func(s string) bool { return s != "absent" }) {
			err = (&output{cmd, a.filter, lock}).replace(f, "", show)
		} else {
			err = show(nil, false)
		}
		if err != nil {
			return err
		}
		noteDue(cmd, a.filter, due)
		return out.absent()
	}
	a.register(cmd)
	lockTimeout(cmd, &a.wait)
	return cmd
}

// presentOr returns an answer for each of n bits: "present", or another.
func presentOr(present []uint64, n int, other string) []string {
	all := make([]string, n)
	for i := range all {
		if all[i] = other; filter.At(present, i) {
			all[i] = "present"
		}
	}
	return all
}

// distinct returns the hashes of the different keys in their order, and for each key its index
// among them; -1 where the key came before. To delete a key twice could hide members, and to add
// one twice would pin it. A filter that counts takes all of them.
func distinct(f filter.Stored, keys [][]byte) (hashes []uint64, first []int) {
	k := f.Key()
	seen := make(map[uint64]struct{}, len(keys))
	first = make([]int, len(keys))
	_, counts := f.(filter.Counter)
	for i, key := range keys {
		hash := k.Hash(key)
		if _, ok := seen[hash]; ok && !counts {
			first[i] = -1
			continue
		}
		seen[hash] = struct{}{}
		first[i] = len(hashes)
		hashes = append(hashes, hash)
	}
	return hashes, first
}

// noteDue notes that a filter is due for a rebuild, and what to do: a filter for more members,
// where there are more than planned.
func noteDue(cmd *cobra.Command, path string, due error) {
	var rebuild *deletable.RebuildError
	switch {
	case due == nil:
	case errors.As(due, &rebuild) && rebuild.Members > rebuild.PlannedMembers:
		note(cmd, "%s has %s and is planned for %d: build a larger one of all members (build "+
			"--members)",
			path, quantity.Of(rebuild.Members, "member"), rebuild.PlannedMembers)
	default:
		note(cmd, "%s is due for a rebuild from the list of all members (rebuild %s --keys FILE)",
			path, path)
	}
}
