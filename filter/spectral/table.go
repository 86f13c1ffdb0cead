package spectral

import (
	"math"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/bloom"
	"github.com/bloomlane/bloomlane/internal/counters"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// table is the counters of a filter. With a recurring minimum the second has those of the keys that were found to
// have a single minimum, and the marker says which these are.
type table struct {
	shape
	first, second *counters.Array
	marker        bloom.Table
}

func newTable(s shape) *table {
	t := &table{shape: s}
	first, second := s.room()
	t.first = counters.New(s.first, first)
	if s.rule == recurring {
		t.second = counters.New(s.second, second)
		t.marker = bloom.NewTable(t.markerShape())
	}
	return t
}

func (s *shape) markerShape() bloom.Shape {
	return bloom.Shape{Blocks: 1, Span: s.marker, Hashes: s.hashes}
}

func (t *table) clone() *table {
	u := &table{shape: t.shape, first: t.first.Clone()}
	if t.rule == recurring {
		u.second = t.second.Clone()
		u.marker = bloom.Table{Shape: t.marker.Shape, Words: slices.Clone(t.marker.Words)}
	}
	return u
}

func (t *table) clear() {
	t.first.Clear()
	if t.rule == recurring {
		t.second.Clear()
		clear(t.marker.Words)
	}
}

func (t *table) equal(u *table) bool {
	return t.shape == u.shape && t.first.Equal(u.first) &&
		(t.rule != recurring || t.second.Equal(u.second) && slices.Equal(t.marker.Words, u.marker.Words))
}

func (t *table) bytes() int {
	bytes := t.first.Bytes()
	if t.rule == recurring {
		bytes += t.second.Bytes() + 8*len(t.marker.Words)
	}
	return bytes
}

// query reports whether no counter of a key is 0.
func (t *table) query(hash uint64) bool { return t.queryFrom(hash, t.hashes) }

// queryFrom queries the last k counters of a key, after x.
func (t *table) queryFrom(hash uint64, k int) bool {
	for range k {
		hash = probe.Next(hash)
		if !t.first.Used(t.first.At(hash)) {
			return false
		}
	}
	return true
}

// rounds is how many counters of a group's keys are looked at together, before each key that is left is queried by
// itself.
const rounds = 3

// queryGroup queries up to 64 hashes, bit i for hash i: a counter of all of them, then the next of those that are
// left, so that their cache misses overlap.
func (t *table) queryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	copy(xs[:], hashes)
	present = ^uint64(0) >> (64 - len(hashes))
	together := min(rounds, t.hashes)
	for range together {
		for rest := present; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			if !t.first.Used(t.first.At(xs[i])) {
				present &^= 1 << i
			}
		}
	}
	for rest := present; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) % 64
		if !t.queryFrom(xs[i], t.hashes-together) {
			present &^= 1 << i
		}
	}
	return present
}

// minimum returns the least counter of a key.
func (t *table) minimum(in *counters.Array, hash uint64) (least uint64) {
	least = math.MaxUint64
	for range t.hashes {
		hash = probe.Next(hash)
		if least = min(least, in.Get(in.At(hash))); least == 0 {
			break
		}
	}
	return least
}

// count returns an estimate of how many times a key is in.
func (t *table) count(hash uint64) uint64 {
	least := t.minimum(t.first, hash)
	if t.rule == recurring && least > 0 && t.marker.Query(hash) {
		if second := t.minimum(t.second, hash); second > 0 {
			least = min(least, second)
		}
	}
	if least == counters.Highest {
		return math.MaxUint64 // or more: nobody knows
	}
	return least
}

// raise adds a number to the counters of a key, and returns the least of them as it was, and whether no other was as
// low. A counter that comes twice among them is raised twice, and lowered twice.
func (t *table) raise(in *counters.Array, hash, times uint64) (least uint64, single bool) {
	least = math.MaxUint64
	for range t.hashes {
		hash = probe.Next(hash)
		was := in.Raise(in.At(hash), times)
		single = was < least || single && was > least
		least = min(least, was)
	}
	return least, single
}

// lower takes one from the counters of a key, and reports whether one of them is 0 then.
func (t *table) lower(in *counters.Array, hash uint64) (zero bool) {
	for range t.hashes {
		hash = probe.Next(hash)
		if in.Lower(in.At(hash)) <= 1 {
			zero = true
		}
	}
	return zero
}

// more returns the sum of a counter and a number, up to the highest value.
func more(value, times uint64) uint64 { return value + min(times, counters.Highest-value) }

// add adds a key so many times, and reports whether it was present.
func (t *table) add(hash, times uint64) (present bool) {
	if times == 0 {
		return t.query(hash)
	}
	if t.rule == increase {
		least := t.minimum(t.first, hash)
		for x, k := hash, t.hashes; k > 0; k-- {
			x = probe.Next(x)
			t.first.RaiseTo(t.first.At(x), more(least, times))
		}
		return least > 0
	}
	least, single := t.raise(t.first, hash, times)
	if t.rule == recurring {
		moved := t.marker.Query(hash)
		if !moved && single || moved && t.minimum(t.second, hash) == 0 {
			t.marker.Insert(hash)
			t.raise(t.second, hash, more(least, times)) // all that it has
		} else if moved {
			t.raise(t.second, hash, times)
		}
	}
	return least > 0
}

// remove takes a key out once.
func (t *table) remove(hash uint64) filter.Status {
	if !t.query(hash) {
		return filter.Absent
	}
	zero := t.lower(t.first, hash)
	if t.rule == recurring && t.marker.Query(hash) && t.minimum(t.second, hash) > 0 {
		t.lower(t.second, hash)
	}
	if zero {
		return filter.Deleted
	}
	return filter.Retained
}

// merge adds the counters of another table without secondary ones.
func (t *table) merge(from *table) {
	for i := range t.first.Counters() {
		place := t.first.Index(i)
		if value := from.first.Get(place); value > 0 {
			t.first.Raise(place, value)
		}
	}
}

// ahead is how many keys of a batch are touched before the first of them is answered.
const ahead = 8

// touch reads of the counters of keys what is read first, so that their cache misses overlap.
//
//go:noinline
func (t *table) touch(hashes []uint64) (sum uint64) {
	for _, hash := range hashes {
		for range t.hashes {
			hash = probe.Next(hash)
			sum += t.first.Touch(t.first.At(hash))
		}
	}
	return sum
}
