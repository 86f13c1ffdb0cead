package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
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
	}, []answer{added, present, repeated},
		func(f *opened, hashes []uint64) ([]answer, error) {
			set, ok := f.Stored.(filter.Set)
			if !ok {
				return nil, &cannotError{f.path, f.kind.Name, "add"}
			}
			found := make([]uint64, filter.Words(len(hashes)))
			if n, err := set.InsertHashBatch(hashes, found); err != nil {
				if errors.As(err, new(*rolling.StragglersError)) {
					err = errors.New("its oldest generation may have members left, which only " +
						"their owner can list: rebuild makes a new filter from that list")
				}
				return nil, fmt.Errorf("%s has room for %d of %s, so none is added: %w",
					f.path, n, quantity.Of(len(hashes), "key"), err)
			}
			said := make([]answer, len(hashes))
			for i := range said {
				said[i] = presentOr(added, found, i)
			}
			return said, nil
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
	}, []answer{deleted, retained, absent, repeated},
		func(f *opened, hashes []uint64) ([]answer, error) {
			deleter, ok := f.Stored.(filter.Deleter)
			if !ok {
				return nil, &cannotError{f.path, f.kind.Name, "delete"}
			}
			status, said := make([]filter.Status, len(hashes)), make([]answer, len(hashes))
			deleter.DeleteHashBatch(hashes, status)
			for i, s := range status {
				said[i] = [...]answer{filter.Absent: absent, filter.Retained: retained,
					filter.Deleted: deleted}[s]
			}
			return said, nil
		}, noteRetained)
}

// newChangeCommand completes a command that changes the members of a filter's file. change returns
// the answer for each of some different hashes, one of the kinds; where all are absent the file
// stays. remark says on stderr what the answers mean.
func newChangeCommand(
	cmd *cobra.Command,
	kinds []answer,
	change func(f *opened, hashes []uint64) ([]answer, error),
	remark func(cmd *cobra.Command, f *opened, said []answer),
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
		hashes, repeats := distinct(f.Stored, keys)
		said, err := change(f, hashes)
		if err != nil {
			return err
		}
		due := dueOf(f.Stored)
		out := newAnswers(cmd, &a.show)
		show := func(io.Writer, bool) error {
			different := 0
			for i, key := range keys {
				if filter.At(repeats, i) {
					out.add(key, repeated)
					continue
				}
				out.add(key, said[different])
				different++
			}
			return out.finish(map[string]any{"file": command.Path(a.filter),
				"members": members(f.State()), "rebuild_due": due != nil})
		}
		if slices.ContainsFunc(said, func(a answer) bool { return a != absent }) {
			err = (&output{cmd, a.filter, lock, false}).replace(f, "", show)
		} else {
			err = show(nil, false)
		}
		if err != nil {
			return err
		}
		remark(cmd, f, said)
		noteDue(cmd, a.filter, due)
		return out.absent()
	}
	a.register(cmd)
	a.show.register(cmd, kinds...)
	a.locking.register(cmd)
	return cmd
}

// warnOfPresent warns where far more of the added keys were present than false positives explain:
// they are members twice now, which a filter that deletes and does not count cannot undo.
func warnOfPresent(cmd *cobra.Command, f *opened, said []answer) {
	_, counts := f.Stored.(filter.Counter)
	expires, can := f.Stored.(interface{ Expires() bool })
	if counts || can && expires.Expires() || !f.kind.Promises.Has(base.Deletes) {
		return
	}
	found := number(said, present)
	const tolerated = 2 // that are no sign, also of a filter without false positives
	if found <= tolerated {
		return // without a look at all bits
	}
	rate := describe(f.Stored).Rate
	mean := rate * float64(len(said))
	if float64(found) <= mean+5*math.Sqrt(mean)+tolerated { // 5 sigma
		return
	}
	const text = "%d of %s were present, and a rate of %s explains about %d: " +
		"members were added again, and a delete cannot remove them " +
		"(rebuild %s --keys FILE, of all members)"
	keys := quantity.Of(len(said), "key")
	command.Warn(cmd, text, found, keys, quantity.Percent(rate), int(mean+0.5), f.path)
}

// noteRetained notes that a retained key is not to be deleted again, unless the filter counts.
func noteRetained(cmd *cobra.Command, f *opened, said []answer) {
	n := number(said, retained)
	if _, counts := f.Stored.(filter.Counter); counts || n == 0 {
		return
	}
	const text = "retained keys: %d. They stay visible; " +
		"no filter can tell that they were deleted, " +
		"so another delete would count a member less again"
	command.Note(cmd, text, n)
}

// number returns how many of the answers are this one.
func number(said []answer, this answer) (n int) {
	for _, a := range said {
		if a == this {
			n++
		}
	}
	return n
}

// distinct returns the hashes of the different keys in their order, and a bit for each key that
// came before. To delete a key twice could hide members, and to add one twice would pin it. A
// filter that counts takes all of them.
func distinct(f filter.Stored, keys [][]byte) (hashes, repeats []uint64) {
	all := make([]uint64, len(keys))
	f.Key().HashBatch(keys, all)
	repeats = make([]uint64, filter.Words(len(keys)))
	if _, counts := f.(filter.Counter); counts {
		return all, repeats
	}
	// Open addressing: hashes are uniform. An empty slot has 0, so that the hash 0 counts as 1.
	log := bits.Len(uint(len(keys) + len(keys)/2))
	seen := make([]uint64, 1<<log)
	hashes = all[:0]
	for i, hash := range all {
		at := hash >> (64 - log)
		for seen[at] != 0 && seen[at] != max(hash, 1) {
			at = (at + 1) % uint64(len(seen))
		}
		if seen[at] != 0 {
			repeats[i/64] |= 1 << (i % 64)
			continue
		}
		seen[at] = max(hash, 1)
		hashes = append(hashes, hash)
	}
	return hashes, repeats
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
