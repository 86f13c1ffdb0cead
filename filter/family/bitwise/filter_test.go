package bitwise

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

func newShape(t testing.TB, s Shape) *Filter {
	t.Helper()
	f, err := NewShape(s, 100, fixed)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// model is the filter that a multiset has, without packing, carries in flight or pruning: of each
// level the values of the cells, each a sum of all that is carried to it.
type model struct {
	shape  Shape
	values [][]uint64
}

// position returns the cell of x in a level, and the hash of it.
func (m *model) position(at int, x uint64) (number int, up uint64) {
	words, per := uint64(m.shape.Levels[at].Words), 64/m.shape.Levels[at].bits()
	word, cell := probe.Reduce(x, words), probe.Reduce(x*words, uint64(per))
	return int(word)*per + int(cell), above(at, word, cell)
}

func modelOf(s Shape, counts map[uint64]uint64) *model {
	m := &model{shape: s}
	for _, l := range s.Levels {
		m.values = append(m.values, make([]uint64, l.Cells()))
	}
	for hash, times := range counts {
		for range s.Hashes {
			hash = probe.Next(hash)
			cell, _ := m.position(0, hash)
			m.values[0][cell] += times
		}
	}
	for level, l := range s.Levels[:len(s.Levels)-1] {
		per := 64 / l.bits()
		for cell, value := range m.values[level] {
			to, _ := m.position(level+1, above(level, uint64(cell/per), uint64(cell%per)))
			m.values[level+1][to] += value >> l.Width
		}
	}
	return m
}

// words returns the packed cells, in which just those that have carried are marked, and which bits
// are marks.
func (m *model) words() (words, marks []uint64) {
	for at, l := range m.shape.Levels {
		per, last := 64/l.bits(), at == len(m.shape.Levels)-1
		packed, marked := make([]uint64, l.Words), make([]uint64, l.Words)
		for cell, value := range m.values[at] {
			shift := cell % per * l.bits()
			packed[cell/per] |= value & (1<<l.Width - 1) << shift
			if !last {
				marked[cell/per] |= 1 << (shift + l.Width)
			}
			if !last && value>>l.Width > 0 {
				packed[cell/per] |= 1 << (shift + l.Width)
			}
		}
		words, marks = append(words, packed...), append(marks, marked...)
	}
	return words, marks
}

// value returns the value of the cell of x in a level, by the marks of a filter's words.
func (m *model) value(level int, x uint64, words []uint64) uint64 {
	l := m.shape.Levels[level]
	cell, up := m.position(level, x)
	value, per := m.values[level][cell]&(1<<l.Width-1), 64/l.bits()
	if level+1 < len(m.shape.Levels) && words[cell/per]>>(cell%per*l.bits()+l.Width)&1 > 0 {
		value += m.value(level+1, up, words[l.Words:]) << l.Width
	}
	return value
}

// count returns the least value of the cells of a key.
func (m *model) count(hash uint64, words []uint64) uint64 {
	least := ^uint64(0)
	for range m.shape.Hashes {
		hash = probe.Next(hash)
		least = min(least, m.value(0, hash, words))
	}
	return least
}

// shapes are tight, with carries through all levels: the paper's widths of 1, and others.
var shapes = []Shape{
	{[]Level{{8, 1}, {8, 1}, {6, 1}, {5, 1}, {4, 1}, {3, 1}, {3, 1}, {9, 64}}, 3},
	{[]Level{{20, 2}, {14, 2}, {6, 3}, {5, 64}}, 5}, {[]Level{{30, 3}, {20, 5}, {9, 64}}, 4},
	{[]Level{{40, 4}, {16, 4}, {3, 8}, {2, 64}}, 7}, {[]Level{{100, 16}, {50, 64}}, 1},
	{[]Level{{300, 64}}, 2}, {[]Level{{1, 1}, {1, 64}}, 2},
	{[]Level{{2, 1}, {1, 2}, {1, 64}}, 6}, {[]Level{{6, 1}, {1, 2}, {1, 64}}, 4},
}

// Through any history of inserts, adds and deletes of members a filter is that of its multiset, in
// any order, except for marks that deletes leave. No count is too low.
func TestHistories(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range shapes {
		f := newShape(t, s)
		counts := map[uint64]uint64{}
		var members []uint64 // distinct
		total, over, left, seen := uint64(0), 0, 0, map[filter.Status]int{}
		for step := range 4000 {
			hash, known := rng.Uint64(), len(members) > 0 && rng.IntN(4) > 0
			if known {
				hash = members[rng.IntN(len(members))]
			}
			switch {
			case total > 3000 || known && rng.IntN(2) == 0:
				if counts[hash] == 0 {
					continue
				}
				status := f.DeleteHash(hash)
				if status == filter.Absent || (status == filter.Retained) != f.QueryHash(hash) {
					t.Fatalf("%v, step %d: %v, and present is %v", s, step, status,
						f.QueryHash(hash))
				}
				seen[status]++
				total--
				if counts[hash]--; counts[hash] == 0 {
					members = slices.DeleteFunc(members, func(m uint64) bool { return m == hash })
				}
				continue
			case !known && len(members) > 40:
				continue
			}
			present, times := f.QueryHash(hash), uint64(1)
			if rng.IntN(3) == 0 {
				times += rng.Uint64N(1 << rng.IntN(8))
				if err := f.AddHash(hash, times); err != nil {
					t.Fatal(err)
				}
			} else if got, err := f.InsertHash(hash); got != present || err != nil {
				t.Fatalf("%v, step %d: an insert says %v, a query %v (%v)", s, step,
					got, present, err)
			}
			if counts[hash] == 0 {
				members = append(members, hash)
			}
			counts[hash] += times
			total += times
			if step%40 != 0 {
				continue
			}
			m, words := modelOf(s, counts), base.Open(&f.Body).words
			packed, marks := m.words()
			for i, word := range words {
				if packed[i]&^word != 0 || (packed[i]^word)&^marks[i] != 0 {
					t.Fatalf("%v, step %d: word %d is %016x, of the multiset %016x", s, step, i,
						word, packed[i])
				}
				left += bits.OnesCount64(packed[i] ^ word)
			}
			if left > 0 && seen[filter.Deleted]+seen[filter.Retained] == 0 {
				t.Fatalf("%v, step %d: marks of nothing, before any delete", s, step)
			}
			for _, hash := range append(workload.Hashes(rng, 30), members...) {
				want := m.count(hash, words)
				if got := f.CountHash(hash); got != want || got < counts[hash] ||
					f.QueryHash(hash) != (got > 0) {
					t.Fatalf("%v, step %d: a count of %d, want %d, which is in %d times", s, step,
						got, want, counts[hash])
				}
				if want > counts[hash] {
					over++
				}
			}
			if f.Members() != int(total) {
				t.Fatalf("%v: %d members, want %d", s, f.Members(), total)
			}
		}
		if len(s.Levels) > 1 && s.Levels[0].Words > 1 && s.Levels[0].Width < 9 && left == 0 {
			t.Errorf("%v: no mark is ever left", s)
		}
		if over == 0 || seen[filter.Deleted] == 0 && s.Levels[0].Words > 1 ||
			seen[filter.Retained] == 0 {
			t.Errorf("%v: %d counts over, and statuses %v: too much room", s, over, seen)
		}
		for hash, times := range counts {
			for range times {
				f.DeleteHash(hash)
			}
		}
		_, marks := modelOf(s, nil).words()
		for i, word := range base.Open(&f.Body).words {
			if word&^marks[i] != 0 {
				t.Errorf("%v: of no members there is %016x, which is more than marks", s, word)
			}
		}
		if got := f.QueryHashBatch(workload.Hashes(rng, 1000), nil); got != 0 || f.Members() != 0 ||
			f.State().Rate != 0 {
			t.Errorf("%v: %d of 1000 keys are present in no members", s, got)
		}
	}
}

// Deletes of non-members take from others, as in all filters, and do no worse: no cell goes below
// 0, which would make a huge count.
func TestDeletesOfNonMembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, s := range shapes {
		f := newShape(t, s)
		for range 60 {
			if err := f.AddHash(rng.Uint64(), 1+rng.Uint64N(200)); err != nil {
				t.Fatal(err)
			}
		}
		gone := 0
		for range 40_000 {
			hash := rng.Uint64()
			before := f.CountHash(hash)
			if f.DeleteHash(hash) != filter.Absent {
				gone++
			}
			if after := f.CountHash(hash); after > before {
				t.Fatalf("%v: a count went from %d to %d by a delete", s, before, after)
			}
		}
		if gone == 0 {
			t.Errorf("%v: no false positive", s)
		}
	}
}

// A cell of which only the mark is left does not change when one is subtracted from it.
func TestTakeFromAMark(t *testing.T) {
	f := newShape(t, Shape{[]Level{{1, 3}, {1, 3}, {1, 64}}, 1})
	table := base.Open(&f.Body)
	table.words[0] = 1 << 3
	if table.takeAt(0, 0, 0); table.words[0] != 1<<3 || table.words[1] != 0 || table.words[2] != 0 {
		t.Errorf("words %x", table.words)
	}
}

// Queries see through marks of nothing, and so do the answers of inserts and deletes.
func TestMarksOfNothing(t *testing.T) {
	f := newShape(t, Shape{[]Level{{1, 1}, {1, 64}}, 2})
	words := base.Open(&f.Body).words
	const marks = 0xAAAA_AAAA_AAAA_AAAA
	words[0] = marks
	if present, err := f.InsertHash(1); present || err != nil || f.CountHash(1) != 1 {
		t.Errorf("present is %v of a key that is not (%v), and then it is in %d times", present,
			err, f.CountHash(1))
	}
	words[0], words[1] = marks, 1 // one for all: the first cell takes it
	if status := f.DeleteHash(1); status != filter.Deleted || f.QueryHash(1) {
		t.Errorf("%v, and present is %v", status, f.QueryHash(1))
	}
	words[0], words[1] = ^uint64(0), 1<<63 // of no filter: twice this is no uint64
	if got := f.CountHash(1); got != most || !f.QueryHash(1) {
		t.Errorf("count %d, want %d", got, uint64(most))
	}
}

// The last level holds the highest count, and one more is refused.
func TestHighestCount(t *testing.T) {
	for _, s := range []Shape{
		{[]Level{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 64}}, MaxHashes},
		{[]Level{{1, 64}}, MaxHashes}, {[]Level{{1, 16}, {1, 64}}, MaxHashes}, shapes[2], shapes[4],
	} {
		f, g := newShape(t, s), newShape(t, s)
		if err := f.AddHash(7, MaxCount); err != nil {
			t.Fatal(err)
		}
		if got := f.CountHash(7); got < MaxCount {
			t.Errorf("%v: count %d", s, got)
		}
		before := f.Clone()
		var full *FullError
		if _, err := f.InsertHash(7); !errors.As(err, &full) || full.Members != MaxCount ||
			full.Times != 1 {
			t.Errorf("%v: %v", s, err)
		}
		if n, err := f.InsertHashBatch([]uint64{7}, nil); n != 0 || !errors.As(err, &full) {
			t.Errorf("%v: %d are in: %v", s, n, err)
		}
		g.InsertHash(7)
		if err := f.Merge(g); !errors.As(err, &full) || !f.Equal(before) {
			t.Errorf("%v: a merge beyond the end: %v", s, err)
		}
		f.DeleteHash(7)
		if n, err := f.InsertHashBatch([]uint64{7, 8, 9}, nil); n != 1 || !errors.As(err, &full) ||
			full.Times != 3 {
			t.Errorf("%v: %d are in: %v", s, n, err)
		}
		if !slices.Equal(base.Open(&f.Body).words, base.Open(&before.Body).words) {
			t.Errorf("%v: a delete and an insert made another filter", s)
		}
	}
}

// A merge of two multisets is their sum, bit for bit. Marks that deletes left stay.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, s := range shapes {
		a, b, all := newShape(t, s), newShape(t, s), newShape(t, s)
		for i, hash := range workload.Hashes(rng, 80) {
			f := a
			if i%3 == 0 {
				f = b
			}
			times := 1 + rng.Uint64N(300)
			for _, g := range []*Filter{f, all} {
				if err := g.AddHash(hash, times); err != nil {
					t.Fatal(err)
				}
			}
		}
		err := a.Merge(b)
		if err != nil || !slices.Equal(base.Open(&a.Body).words, base.Open(&all.Body).words) ||
			a.Members() != all.Members() {
			t.Errorf("%v: the merge differs: %v", s, err)
		}
		for _, g := range []*Filter{a, b} {
			for _, hash := range workload.Hashes(rng, 30) {
				if err := g.AddHash(hash, 900); err != nil {
					t.Fatal(err)
				}
				for range 900 {
					g.DeleteHash(hash)
				}
			}
		}
		before, c := a.Clone(), newShape(t, s)
		c.AddHash(1, 1000)
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		if err := before.Merge(c); err != nil || before.CountHash(1) < 1000 {
			t.Errorf("%v: %v, and the count of 1000 is %d", s, err, before.CountHash(1))
		}
	}
	f := newShape(t, shapes[1])
	for name, s := range map[string]Shape{
		"k": {shapes[1].Levels, 4}, "widths": {[]Level{{20, 2}, {14, 3}, {6, 3}, {5, 64}}, 5},
		"sizes": {[]Level{{20, 2}, {14, 2}, {7, 3}, {4, 64}}, 5},
	} {
		if err := f.Merge(newShape(t, s)); !errors.Is(err, filter.ErrUnequalSize) {
			t.Errorf("other %s: %v", name, err)
		}
		if f.Equal(newShape(t, s)) {
			t.Errorf("other %s: equal", name)
		}
	}
}

// The state is that of the cells as queries see them, also if a scan looks only at some of the
// words.
func TestState(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, s := range []Shape{shapes[0], shapes[1],
		{[]Level{{3*sampled + 17, 2}, {3000, 4}, {500, 64}}, 3}} {
		f := newShape(t, s)
		for range s.Levels[0].Cells() / s.Hashes / 3 {
			if err := f.AddHash(rng.Uint64(), 1+rng.Uint64N(40)); err != nil {
				t.Fatal(err)
			}
		}
		table, used := base.Open(&f.Body), uint64(0)
		for word := range uint64(s.Levels[0].Words) {
			for cell := range table.levels[0].PerWord() {
				used += table.value(0, word, cell, 1)
			}
		}
		want := float64(used) / float64(s.Levels[0].Cells())
		state, within := f.State(), 0.0
		if s.Levels[0].Words > sampled {
			within = 4 * 0.5 / 700 // of half a million cells
		}
		if state.Fill < want-within || state.Fill > want+within || !state.Scanned ||
			state.Bytes != 8*s.Words() {
			t.Errorf("%v: %+v, want a fill of %.4f", s, state, want)
		}
	}
}

// One key that comes often is counted right, also if the levels above have hardly any cell: its own
// cells do not meet there.
func TestOneKeyThatComesOften(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, tail := range []Tail{Zipf(0), Zipf(1)} {
		right := 0
		for range 100 {
			f, hash := newFilter(t, Config{Members: 1000, Rate: 1e-3, Tail: tail}), rng.Uint64()
			if err := f.AddHash(hash, 1_000_000); err != nil {
				t.Fatal(err)
			}
			if f.CountHash(hash) == 1_000_000 {
				right++
			}
		}
		if right < 90 {
			t.Errorf("%d of 100 counts are right", right)
		}
	}
}
