package spectral

import (
	"math"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
)

// table is the counters of a filter. With a recurring minimum the second store has the counters of
// the keys that were found to have a single minimum, and the marker says which keys these are.
type table struct {
	shape
	first, second store
	marker        bloom.Table
}

func newTable(s shape) *table {
	t := &table{shape: s, first: s.first.store(s.firstRoom())}
	if s.rule == recurring {
		t.second = s.second.store(s.secondRoom())
		t.marker = bloom.NewTable(s.marker)
	}
	return t
}

func (t *table) clone() *table {
	u := &table{shape: t.shape, first: t.first.clone()}
	if t.rule == recurring {
		u.second = t.second.clone()
		u.marker = bloom.Table{Shape: t.marker.Shape, Words: slices.Clone(t.marker.Words)}
	}
	return u
}

func (t *table) clear() {
	t.first.clear()
	if t.rule == recurring {
		t.second.clear()
		clear(t.marker.Words)
	}
}

func (t *table) equal(u *table) bool {
	return t.shape == u.shape && slices.Equal(t.first.words(), u.first.words()) &&
		(t.rule != recurring || slices.Equal(t.second.words(), u.second.words()) &&
			slices.Equal(t.marker.Words, u.marker.Words))
}

func (t *table) bytes() int {
	bytes := t.first.bytes()
	if t.rule == recurring {
		bytes += t.second.bytes() + 8*len(t.marker.Words)
	}
	return bytes
}

// count returns an estimate of how many times a key is in.
func (t *table) count(hash uint64) uint64 {
	least := t.first.minimum(hash)
	if t.rule == recurring && least > 0 && t.marker.Query(hash) {
		if second := t.second.minimum(hash); second > 0 {
			least = min(least, second)
		}
	}
	if least == t.first.highest() {
		return math.MaxUint64 // or more: it is not known
	}
	return least
}

// add adds a key the given number of times, at least once, and reports whether it was present.
func (t *table) add(hash, times uint64) (present bool) {
	if t.rule == increase {
		least := t.first.minimum(hash)
		t.first.raiseTo(hash, more(least, times))
		return least > 0
	}
	least, second := t.first.raise(hash, times)
	if t.rule == recurring {
		moved := t.marker.Query(hash)
		if single := least < second; !moved && single || moved && t.second.minimum(hash) == 0 {
			t.marker.Insert(hash)
			t.second.raise(hash, more(least, times)) // all that it has
		} else if moved {
			t.second.raise(hash, times)
		}
	}
	return least > 0
}

// more returns the sum of a counter and a number, or the highest number.
func more(value, times uint64) uint64 { return value + min(times, math.MaxUint64-value) }

// remove takes a key out once.
func (t *table) remove(hash uint64) filter.Status {
	if !t.first.query(hash) {
		return filter.Absent
	}
	least := t.first.lower(hash)
	if t.rule == recurring && t.marker.Query(hash) && t.second.query(hash) {
		t.second.lower(hash)
	}
	if least <= 1 && least < t.first.highest() {
		return filter.Deleted
	}
	return filter.Retained
}

// ahead is how many keys of a batch are touched before the first of them is answered.
const ahead = 8
