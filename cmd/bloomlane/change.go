package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// changeHelp is what add and delete have in common.
const changeHelp = `First all keys are read, then the answers are printed, and then the file is replaced. If
there are no keys, nothing changes.`

func newAddCommand() *cobra.Command {
	return newChangeCommand(&cobra.Command{
		Use:   "add FILE [KEY...]",
		Short: "Add members to a filter",
		Long: `Add members to a filter.

` + keysHelp + `
` + fileHelp + `

For each key a line has a status, a tab and the key:

  added     It was not present. It is a member now.
  present   It was present before, as a false positive or as a member. It is inserted all the same.
  repeated  It came before in this input. It is not inserted again, unless the filter counts.

Add each member once. A key that is present may be a false positive, so the command inserts it. If
it was a member, it is one twice now, and a deletable filter may retain it when it is deleted. Only
your list of the members can tell. If far more keys are present than the filter's rate explains, the
command warns. If a filter has no room for all keys, none is inserted.

` + shownHelp + `

` + changeHelp + ` Do not repeat a command that exits with code 0.

` + replaceHelp("FILE") + `

` + command.ExitHelp,
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
				if errors.As(err, new(*rolling.StragglersError)) {
					err = errors.New("its oldest generation may have members left, which only " +
						"their owner can list: rebuild makes a new filter from that list")
				}
				return nil, fmt.Errorf("%s has room for %d of %s, so none is added: %w",
					f.path, n, quantity.Of(len(hashes), "key"), err)
			}
			return presentOr(present, len(hashes), "added"), nil
		}, warnOfPresent)
}

func newDeleteCommand() *cobra.Command {
	return newChangeCommand(&cobra.Command{
		Use:   "delete FILE [KEY...]",
		Short: "Delete members from a filter",
		Long: `Delete members from a filter.

` + keysHelp + `
` + fileHelp + `

For each key a line has a status, a tab and the key:

  deleted   It was present, and at least one of its bits or counters is cleared.
  retained  It was present, and stays visible: other members share all that it has, or it is a
            member once more. A filter cannot tell that such a key was deleted, so each further
            delete of it is answered like this, and counts a member less again.
  absent    It was not present. It was no member, and nothing is changed.
  repeated  It came before in this input. It is not deleted again, unless the filter counts.

Delete only members, and each once. If a key is no member but a false positive, its delete hides
members. Only your list of the members can tell.

` + shownHelp + `

` + changeHelp + ` Do not repeat a command that exits with code 0 or 1. Do not
repeat one either whose message says that the file is replaced, but might not survive a power cut.

` + replaceHelp("FILE") + `

Exit codes: 0 no key is absent; 1 at least one key is absent; 2 bad input or usage.`,
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
		}, noteRetained)
}

// newChangeCommand completes a command that changes the members of a filter's file. change returns
// the status of each of some different hashes, one of the kinds; where all are absent the file
// stays. remark says on stderr what the statuses mean.
func newChangeCommand(
	cmd *cobra.Command,
	kinds []string,
	change func(f *opened, hashes []uint64) (statuses []string, err error),
	remark func(cmd *cobra.Command, f *opened, statuses []string),
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
		out := newAnswers(cmd, &a.show)
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
			err = (&output{cmd, a.filter, lock, false}).replace(f, "", show)
		} else {
			err = show(nil, false)
		}
		if err != nil {
			return err
		}
		remark(cmd, f, statuses)
		noteDue(cmd, a.filter, due)
		return out.absent()
	}
	a.register(cmd)
	a.show.register(cmd, kinds...)
	lockTimeout(cmd, &a.wait)
	return cmd
}

// warnOfPresent warns where far more of the added keys were present than false positives explain:
// they are members twice now, which a filter that deletes and does not count cannot undo.
func warnOfPresent(cmd *cobra.Command, f *opened, statuses []string) {
	_, counts := f.Stored.(filter.Counter)
	expires, can := f.Stored.(interface{ Expires() bool })
	if counts || can && expires.Expires() || !f.kind.Promises.Has(base.Deletes) {
		return
	}
	present := 0
	for _, status := range statuses {
		if status == "present" {
			present++
		}
	}
	const tolerated = 2 // that are no sign, also of a filter without false positives
	if present <= tolerated {
		return // without a look at all bits
	}
	rate := describe(f.Stored).Rate
	mean := rate * float64(len(statuses))
	if float64(present) <= mean+5*math.Sqrt(mean)+tolerated { // 5 sigma
		return
	}
	const text = "%d of %s were present, and a rate of %s explains about %d: " +
		"members were added again, and a delete cannot remove them " +
		"(rebuild %s --keys FILE, of all members)"
	keys := quantity.Of(len(statuses), "key")
	command.Warn(cmd, text, present, keys, quantity.Percent(rate), int(mean+0.5), f.path)
}

// noteRetained notes that a retained key is not to be deleted again, unless the filter counts.
func noteRetained(cmd *cobra.Command, f *opened, statuses []string) {
	retained := 0
	for _, status := range statuses {
		if status == filter.Retained.String() {
			retained++
		}
	}
	if _, counts := f.Stored.(filter.Counter); counts || retained == 0 {
		return
	}
	const text = "retained keys: %d. They stay visible; " +
		"no filter can tell that they were deleted, " +
		"so another delete would count a member less again"
	command.Note(cmd, text, retained)
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
	if due != nil {
		command.Note(cmd, "%s", whatIsDue(path, due))
	}
}

// whatIsDue says what to do with a filter that is due for a rebuild.
func whatIsDue(path string, due error) string {
	var rebuild *deletable.RebuildError
	if errors.As(due, &rebuild) && rebuild.Members > rebuild.PlannedMembers {
		const text = "%s has %s and is planned for %d: " +
			"build a larger one of all members (build --members)"
		members := quantity.Of(rebuild.Members, "member")
		return fmt.Sprintf(text, path, members, rebuild.PlannedMembers)
	}
	const text = "%s is due for a rebuild from the list of all members (rebuild %[1]s --keys FILE)"
	return fmt.Sprintf(text, path)
}
