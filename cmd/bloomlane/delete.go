package main

import (
	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
)

// deleter is the delete command.
type deleter struct {
	asker
	lock lockOptions
}

func newDeleteCommand() *cobra.Command {
	var d deleter
	cmd := &cobra.Command{
		Use:   "delete FILE [KEY...]",
		Short: "Delete members from a filter",
		Long: `Delete members from a filter: the keys that are arguments, or else the lines of --keys,
or else those of standard input. No keys at all change nothing.

Delete only what is a member, and once. A key that is no member may be a false positive,
and then its delete hides members. Prints a status, a tab and the key, a line each:

  deleted   it was present, and something of it is cleared
  retained  it was present, and stays visible: all that it has is shared, or it is a member
            once more
  absent    it was not present: it was no member, and nothing was done
  repeated  it came before in this input, and was not deleted again

First all keys are read, then the answers are printed, and only then is the file replaced.
If anything fails, also the printing, the file is as it was, whatever answers came out: the
exit code is 2, and the command can be repeated. Otherwise it is replaced, if any key was
deleted or retained; the exit code is 1 if any key is absent, and 0 if none is. So do not
repeat a command that exits 0 or 1, nor one whose message says that the file is replaced (it
is, but the disk could not be made to keep that in a power cut).

` + lockHelp("FILE") + ` The lock is taken after the keys are read, and before
the filter is.`,
		Example: `  bloomlane delete keys.blm apple pear
  bloomlane delete keys.blm --keys gone.txt`,
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args) },
	}
	d.register(cmd)
	d.lock.register(cmd)
	return cmd
}

// deleteSummary is what delete prints after its answers, with --json.
type deleteSummary struct {
	File     string `json:"file"`
	Deleted  int    `json:"deleted"`
	Retained int    `json:"retained"`
	Absent   int    `json:"absent"`
	Repeated int    `json:"repeated"`
	Members  int    `json:"members"` // that are left
}

func (d *deleter) run(cmd *cobra.Command, args []string) error {
	catchBrokenPipe()
	keys, err := d.change(cmd, args)
	if err != nil {
		return err
	}
	lock, err := lockFile(d.filter, d.lock.timeout)
	if err != nil {
		return err
	}
	defer lock.release()
	f, err := openFilter(cmd, lock.target, keyFile(d.key, d.filter))
	if err != nil {
		return err
	}
	defer f.Close()
	deleter, ok := f.Stored.(filter.Deleter)
	if !ok {
		return &cannotError{d.filter, f.kind.Name, "delete"}
	}
	hashes, first := distinct(f, keys)
	status := make([]filter.Status, len(hashes))
	deleter.DeleteHashBatch(hashes, status)

	summary := deleteSummary{File: d.filter, Repeated: len(keys) - len(hashes), Members: members(f.State())}
	for _, s := range status {
		switch s {
		case filter.Deleted:
			summary.Deleted++
		case filter.Retained:
			summary.Retained++
		default:
			summary.Absent++
		}
	}
	show := func(bool) error {
		out := newAnswers(cmd)
		for i, key := range keys {
			if first[i] < 0 {
				out.add(key, "repeated")
			} else {
				out.add(key, status[first[i]].String())
			}
		}
		return out.finish(summary)
	}
	if summary.Deleted+summary.Retained > 0 {
		err = replaceFilter(lock, f, "", show)
	} else {
		err = show(false)
	}
	if err != nil {
		return err
	}
	return absentError(summary.Absent, len(hashes))
}

// distinct returns the hashes of the different keys in their order, and for each key its index
// among them; -1 where the key came before. To delete a key twice could hide members, and to add one
// twice would pin it.
func distinct(f filter.Stored, keys [][]byte) (hashes []uint64, first []int) {
	k := f.Key()
	seen := make(map[uint64]struct{}, len(keys))
	first = make([]int, len(keys))
	for i, key := range keys {
		hash := k.Hash(key)
		if _, ok := seen[hash]; ok {
			first[i] = -1
			continue
		}
		seen[hash] = struct{}{}
		first[i] = len(hashes)
		hashes = append(hashes, hash)
	}
	return hashes, first
}
