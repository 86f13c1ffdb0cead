package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

func newDeleteCommand() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:   "delete FILE [KEY...]",
		Short: "Delete members from a filter",
		Long: `Delete members from a filter: the keys that are arguments, or else the lines of --keys,
or else those of standard input. The file is replaced when all keys are deleted; if
anything fails it stays as it was.

Delete only what is a member, and once. A key that is no member may be a false positive,
and then its delete hides members. Prints a status, a tab and the key, a line each:

  deleted   it was present, and at least one of its bits is cleared
  retained  it was present, and shares all of its bits: it stays visible
  absent    it was not present: it was no member, and nothing was done
  repeated  it came before in this input, and was not deleted again

Exits 1 if any key is absent.`,
		Example: `  bloomlane delete keys.blm apple pear
  bloomlane delete keys.blm --keys gone.txt`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.delete(cmd, args) },
	}
	a.register(cmd)
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

func (a *asker) delete(cmd *cobra.Command, args []string) error {
	arguments, err := a.parse(args)
	if err != nil {
		return err
	}
	// All the keys come before any change: an input that is bad at its end changes nothing.
	keys := make([][]byte, len(arguments))
	for i, key := range arguments {
		keys[i] = []byte(key)
	}
	if len(keys) == 0 {
		if keys, err = newKeyReader(a.keys, cmd.InOrStdin()).all(); err != nil {
			return err
		}
	}
	f, err := openFilter(a.filter, a.key)
	if err != nil {
		return err
	}
	defer f.Close()
	hashes, first := distinct(f, keys)
	status := make([]deletable.Status, len(hashes))
	f.DeleteHashBatch(hashes, status)

	summary := deleteSummary{File: a.filter, Repeated: len(keys) - len(hashes), Members: f.Members()}
	for _, s := range status {
		switch s {
		case deletable.Deleted:
			summary.Deleted++
		case deletable.Retained:
			summary.Retained++
		default:
			summary.Absent++
		}
	}
	if summary.Deleted+summary.Retained > 0 {
		if err := f.Save(a.filter); err != nil {
			return err
		}
	}

	out := newAnswers(cmd)
	for i, key := range keys {
		if first[i] < 0 {
			out.add(key, "repeated")
		} else {
			out.add(key, status[first[i]].String())
		}
	}
	if err := out.finish(summary); err != nil {
		return err
	}
	if summary.Absent > 0 {
		return fmt.Errorf("%d of %d keys are absent: %w", summary.Absent, len(hashes), errAnswerNo)
	}
	return nil
}

// distinct returns the hashes of the different keys in their order, and for each key its index
// among them; -1 where the key came before. To delete a key twice could hide members.
func distinct(f *deletable.Filter, keys [][]byte) (hashes []uint64, first []int) {
	seen := make(map[uint64]struct{}, len(keys))
	first = make([]int, len(keys))
	for i, key := range keys {
		hash := f.Hash(key)
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
