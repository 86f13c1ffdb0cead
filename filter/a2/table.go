package a2

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/internal/bloom"
)

// table is the two buffers of a filter, and the contents of the file that they lie in, if they do: words in a
// mapped file stay as long as these are reachable, so whoever uses words keeps the table alive.
type table struct {
	first, second bloom.Table // what is inserted goes to the first
	planned       uint64      // n_a, the keys that a buffer takes
	held          uint64      // keys of the first, of those that it did not show when they came
	turns         uint64      // how often the second was cleared and became the first
	contents      *file.Contents
}

func newTable(size bloom.Shape, planned uint64) *table {
	return &table{first: bloom.NewTable(size), second: bloom.NewTable(size), planned: planned}
}

func (t *table) query(hash uint64) bool { return t.first.Query(hash) || t.second.Query(hash) }

// queryGroup queries up to 64 hashes: see [filter.QueryEach].
func (t *table) queryGroup(hashes []uint64) uint64 {
	return t.first.QueryGroup(hashes) | t.second.QueryGroup(hashes)
}

func (t *table) insert(hash uint64) (present bool) {
	if t.held < t.planned {
		if t.first.Insert(hash) {
			return true
		}
		t.held++
		return t.second.Query(hash)
	}
	if t.first.Query(hash) {
		return true
	}
	present = t.second.Query(hash)
	t.turn()
	t.first.Insert(hash)
	t.held = 1
	return present
}

// turn clears the second buffer, and makes it the first.
func (t *table) turn() {
	clear(t.second.Words)
	t.first, t.second = t.second, t.first
	t.held = 0
	t.turns = filter.Total(t.turns, 1)
}

// insertGroup inserts up to 64 hashes, and returns which were present. The second buffer stays as it is where
// the first has room for all of them, so that it is asked once, and not at all where no answers are wanted.
func (t *table) insertGroup(hashes []uint64, answers bool) (present uint64) {
	if uint64(len(hashes)) > t.planned-t.held {
		for i, hash := range hashes {
			if t.insert(hash) {
				present |= 1 << i
			}
		}
		return present
	}
	for i, hash := range hashes {
		if t.first.Insert(hash) {
			present |= 1 << i
		} else {
			t.held++
		}
	}
	if answers {
		present |= t.second.QueryGroup(hashes)
	}
	return present
}
