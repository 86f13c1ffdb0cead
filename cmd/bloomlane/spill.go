package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/spill"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/command"
)

// scratchVariable names the folder of temporary files.
const scratchVariable = "TMPDIR"

// scratchHelp returns what the help of a command says of the temporary file for a filter that has
// this name there.
func scratchHelp(name string) string {
	const text = `From 4 million different keys on, hashes go to a temporary file, of 8 to 32 bytes per key. The
environment variable TMPDIR names its folder, which is that of FILE otherwise.`
	return strings.ReplaceAll(text, "FILE", name)
}

// newHashes returns what takes the hashes of keys and leaves out repeats: a second insert would pin
// a member of a kind that does not count. In order of their hashes keys go through the table from
// its start to its end; of a kind that forgets they stay in the order in which they came last, and
// nothing counts them.
//
// The system's folder for temporary files is the second choice for a file that is larger than the
// filter, because it may be in memory.
func newHashes(kind base.Kind, counts bool, out string) *spill.Hashes {
	order := spill.Sorted
	switch {
	case kind.Promises.Has(base.Forgets):
		order = spill.Latest
	case counts:
		order = spill.Counted
	}
	folder := os.Getenv(scratchVariable)
	switch {
	case folder != "":
	case out == command.Standard:
		folder = os.TempDir()
	default:
		folder = filepath.Dir(out)
	}
	return spill.New(order, func() (*os.File, error) {
		return atomicfile.Scratch(filepath.Join(folder, "bloomlane"))
	})
}

// counts reports whether filters of a kind count: what a filter can do is a matter of its type, so
// a small one tells.
func counts(kind base.Kind) bool {
	f, err := kind.New(filter.Sizing{Members: 1, BitsPerKey: 16})
	if err != nil {
		return false
	}
	_, counts := f.(filter.Counter)
	_ = f.Close() // it is in memory only
	return counts
}

// insert inserts different hashes, as often as they came if the filter counts, and returns how many
// are in: all of them, unless there is an error.
func insert(cmd *cobra.Command, set filter.Set, hashes *spill.Hashes, different int) (int, error) {
	bar := command.StartProgress(cmd, "inserting", int64(different), "keys")
	defer bar.Done()
	inserted := 0
	batch := func(hashes, times []uint64) error {
		n, err := 0, error(nil)
		if counter, ok := set.(filter.Counter); ok {
			n, err = counter.AddHashBatch(hashes, times)
		} else {
			n, err = set.InsertHashBatch(hashes, nil)
		}
		inserted += n
		bar.Set(int64(inserted))
		return err
	}
	if f, ok := set.(interface{ Expires() bool }); ok && f.Expires() {
		all := make([]uint64, 0, different) // of one batch no key goes for another
		err := hashes.Each(func(hashes, _ []uint64) error {
			all = append(all, hashes...)
			return nil
		})
		if err != nil {
			return 0, err
		}
		err = batch(all, nil)
		return inserted, err
	}
	err := hashes.Each(batch)
	return inserted, err
}
