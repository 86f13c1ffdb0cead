package counting

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	_ filter.Deleter   = (*Filter)(nil)
	_ filter.Rebuilder = (*Filter)(nil)
	_ filter.Resetter  = (*Filter)(nil)
)

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

// model is the filter with cells that are ints, without packing: the reference of this package.
type model struct {
	cells   []int
	highest int
	k       int
}

func modelOf(f *Filter) *model {
	return &model{make([]int, f.Shape().Cells),
		1<<f.Shape().Width - 1, f.Shape().Hashes}
}

func (m *model) find(hash uint64, words int) (cells []*int) {
	per := len(m.cells) / words
	for range m.k {
		hash = probe.Next(hash)
		word, inWord := probe.Reduce(hash, uint64(words)),
			probe.Reduce(hash*uint64(words), uint64(per))
		cells = append(cells, &m.cells[int(word)*per+int(inWord)])
	}
	return cells
}

func (m *model) present(cells []*int) bool {
	return !slices.ContainsFunc(cells, func(c *int) bool { return *c == 0 })
}

func (m *model) insert(cells []*int) {
	for _, c := range cells {
		*c = min(*c+1, m.highest)
	}
}

func (m *model) delete(cells []*int) filter.Status {
	if !m.present(cells) {
		return filter.Absent
	}
	for _, c := range cells {
		if *c != m.highest {
			*c = max(0, *c-1)
		}
	}
	if m.present(cells) {
		return filter.Retained
	}
	return filter.Deleted
}

// A filter of any width equals cells that are ints, through random histories of inserts, also of
// members, and deletes, also of non-members. As long as only members are deleted every member is
// found.
func TestHistories(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for width := 1; width <= MaxWidth; width++ {
		for _, honest := range []bool{true, false} {
			f := newFilter(t, Config{Members: 60, BitsPerKey: float64(6 * width),
				Hashes: 1 + width%6, Width: width})
			m := modelOf(f)
			length := f.State().Bytes / 8
			var members []uint64
			seen := map[filter.Status]int{}
			for step := range 3000 {
				switch {
				case rng.IntN(2) == 0 && len(members) < 120:
					hash := rng.Uint64()
					if len(members) > 0 && rng.IntN(3) == 0 {
						hash = members[rng.IntN(len(members))]
					}
					cells := m.find(hash, length)
					if present, err := f.InsertHash(hash); err != nil ||
						present != m.present(cells) {
						t.Fatalf("width %d, step %d: insert: %v (%v)", width, step, present, err)
					}
					m.insert(cells)
					members = append(members, hash)
				case !honest && rng.IntN(4) == 0:
					hash := rng.Uint64()
					got, want := f.DeleteHash(hash), m.delete(m.find(hash, length))
					if got != want {
						t.Fatalf("width %d, step %d: delete of a non-member: %v, want %v", width,
							step, got, want)
					}
				case len(members) > 0:
					i := rng.IntN(len(members))
					hash := members[i]
					members = slices.Delete(members, i, i+1)
					got, want := f.DeleteHash(hash), m.delete(m.find(hash, length))
					if got != want || honest && got == filter.Absent ||
						f.QueryHash(hash) != (got == filter.Retained) {
						t.Fatalf("width %d, step %d: delete: %v, want %v", width, step, got, want)
					}
					seen[got]++
				}
				if honest && step%50 == 0 {
					if got := f.QueryHashBatch(members, nil); got != len(members) ||
						f.Members() != len(members) {
						t.Fatalf("width %d, step %d: %d of %d members are found", width, step,
							got, len(members))
					}
				}
			}
			used, saturated := 0, 0
			for i, count := range m.cells {
				if count > 0 {
					used++
				}
				if count == m.highest {
					saturated++
				}
				per := f.Shape().Cells / length
				if got := base.Open(&f.Body).Packed[i/per] >> (i % per * width) &
					(1<<width - 1); got != uint64(count) {
					t.Fatalf("width %d: cell %d is %d, want %d", width, i, got, count)
				}
			}
			if s := f.Stats(); s.Used != used || s.Saturated != saturated ||
				s.Deleted != seen[filter.Deleted] && honest {
				t.Errorf("width %d: %+v, want %d used and %d saturated", width, s, used, saturated)
			}
			if width > 1 && seen[filter.Deleted] == 0 || seen[filter.Retained] == 0 {
				t.Errorf("width %d: statuses %v", width, seen)
			}
			if width <= 2 && saturated == 0 {
				t.Errorf("width %d: no cell is saturated", width)
			}
		}
	}
}

// A key that was inserted several times stays present until it was deleted as often. Its cells do
// not pass their highest value, and a cell that reaches it stays there.
func TestSaturation(t *testing.T) {
	for width := 1; width <= 8; width++ {
		f := newFilter(t, Config{Members: 100, BitsPerKey: 100, Width: width, Hashes: 3})
		const hash = 0x123456789abcdef
		highest := 1<<width - 1
		for n := 1; n < highest; n++ {
			for range n {
				f.InsertHash(hash)
			}
			for left := n - 1; left >= 0; left-- {
				want := filter.Retained
				if left == 0 {
					want = filter.Deleted
				}
				if got := f.DeleteHash(hash); got != want || f.QueryHash(hash) != (left > 0) {
					t.Fatalf("width %d: %v with %d left", width, got, left)
				}
			}
			if got := f.DeleteHash(hash); got != filter.Absent {
				t.Fatalf("width %d: %v of no member", width, got)
			}
			if n > 20 {
				break
			}
		}
		for range highest + 3 {
			f.InsertHash(hash)
		}
		for range highest + 9 {
			if got := f.DeleteHash(hash); got != filter.Retained {
				t.Fatalf("width %d: %v of a saturated key", width, got)
			}
		}
		if s := f.Stats(); s.Saturated != f.Shape().Hashes || s.Used != f.Shape().Hashes {
			t.Errorf("width %d: %+v", width, s)
		}
	}
}

// The rate after members came and went is that of a Bloom filter with a bit per cell.
func TestRateIsThatOfTheTheory(t *testing.T) {
	require.Once(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []Config{
		{Members: 100, BitsPerKey: 40}, {Members: 300, BitsPerKey: 25, Width: 5, Hashes: 2},
		{Members: 1000, BitsPerKey: 64, Width: 4},
		{Members: 200, BitsPerKey: 160, Width: 16, Hashes: 9},
	} {
		sum, squares, filters := 0.0, 0.0, 300
		want := 0.0
		for range filters {
			f := newFilter(t, c)
			members := workload.Hashes(rng, c.Members)
			f.InsertHashBatch(members, nil)
			for range 2 { // turnovers
				f.DeleteHashBatch(members, nil)
				members = workload.Hashes(rng, c.Members)
				f.InsertHashBatch(members, nil)
			}
			rate := f.State().Rate
			sum += rate
			squares += rate * rate
			want = f.Shape().Rate(c.Members)
		}
		n := float64(filters)
		mean := sum / n
		deviation := math.Sqrt((squares/n - mean*mean) / n)
		if math.Abs(mean-want) > 4*deviation+0.001*want {
			t.Errorf("%+v: rate %.4g ± %.1g, want %.4g", c, mean, deviation, want)
		}
		t.Logf("%+v: rate %.4g ± %.1g, theory %.4g", c, mean, deviation, want)
	}
}

func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for width := 1; width <= MaxWidth; width++ {
		c := Config{Members: 100, BitsPerKey: float64(2 * width), Width: width}
		a, b, all := newFilter(t, c), newFilter(t, c), newFilter(t, c)
		for i, hash := range slices.Concat(workload.Hashes(rng, 200),
			slices.Repeat([]uint64{7 << 60}, 300)) {
			f := a
			if i%3 == 0 {
				f = b
			}
			f.InsertHash(hash)
			all.InsertHash(hash)
		}
		if err := a.Merge(b); err != nil || !a.Equal(all) {
			t.Errorf("width %d: the merge differs: %v", width, err)
		}
	}
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 8})
	for name, c := range map[string]Config{
		"size":  {Members: 1100, BitsPerKey: 8, Hashes: f.Shape().Hashes},
		"k":     {Members: 1000, BitsPerKey: 8, Hashes: f.Shape().Hashes + 1},
		"width": {Members: 1000, BitsPerKey: 8, Hashes: f.Shape().Hashes, Width: 5},
	} {
		if err := f.Merge(newFilter(t, c)); !errors.Is(err, filter.ErrUnequalSize) {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// Counters stay at their highest value.
func TestCountersSaturate(t *testing.T) {
	f := newFilter(t, Config{Members: 100, Rate: 0.01})
	table := base.Open(&f.Body)
	table.history = base.History{Inserts: base.MaxCount - 1, Deleted: base.MaxCount,
		Retained: base.MaxCount}
	f.InsertHashBatch([]uint64{1, 2}, nil)
	f.InsertHash(1)
	f.InsertHash(1)
	f.DeleteHashBatch([]uint64{1, 2, 1, 1}, nil)
	if table.history != (base.History{Inserts: base.MaxCount, Deleted: base.MaxCount,
		Retained: base.MaxCount}) || f.Members() != 0 {
		t.Errorf("counters %+v", table.history)
	}
}

func TestSizing(t *testing.T) {
	for _, width := range []int{1, 3, 4, 5, 16} {
		for _, planned := range []float64{0.5, 0.01, 1e-6} {
			c := Config{Members: 1000, Rate: planned, Width: width}
			size, err := c.Shape()
			if err != nil || size.Rate(1000) > planned {
				t.Errorf("%+v: %v of rate %g (%v)", c, size, size.Rate(1000), err)
			}
			size.Cells -= 64 / size.Width
			if size.Hashes = size.bestHashes(1000); size.Rate(1000) <= planned {
				t.Errorf("%+v: %v is smaller", c, size)
			}
		}
	}
	for field, all := range map[string][]Config{
		"Members":    {{Rate: 0.1}},
		"BitsPerKey": {{Members: 1}, {Members: 1 << 30, BitsPerKey: 1 << 12}},
		"Rate":       {{Members: 1, Rate: 1}, {Members: 1 << 30, Rate: 1e-300}},
		"Turnovers": {{Members: 1, Rate: 0.1, Turnovers: -1},
			{Members: 1, Rate: 0.1, Turnovers: 1, Width: 3}},
		"Hashes": {{Members: 1, Rate: 0.1, Hashes: -1},
			{Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
		"Width": {{Members: 1, Rate: 0.1, Width: -1},
			{Members: 1, Rate: 0.1, Width: MaxWidth + 1}},
	} {
		for _, c := range all {
			var sizing *filter.SizingError
			if _, err := New(c); !errors.As(err, &sizing) || sizing.Field != field {
				t.Errorf("%+v: %v, want an error of %s", c, err, field)
			}
		}
	}
}

// The sizes of the package documentation.
func TestDocumentedSizes(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct {
		config        Config
		bits, percent float64
	}{
		{Config{BitsPerKey: 16}, 16, 14.7}, {Config{BitsPerKey: 24}, 24, 5.61},
		{Config{BitsPerKey: 32}, 32, 2.15}, {Config{BitsPerKey: 40}, 40, 0.819},
		{Config{BitsPerKey: 48}, 48, 0.314}, {Config{BitsPerKey: 64}, 64, 0.0458},
		{Config{Rate: 0.01}, 38.4, 1}, {Config{Rate: 0.001}, 57.5, 0.1},
		{Config{Rate: 0.0001}, 76.7, 0.01}, {Config{Rate: 0.00001}, 95.9, 0.001},
	} {
		test.config.Members = members
		s, err := test.config.Shape()
		bits, percent := 8*float64(s.Bytes())/members, 100*s.Rate(members)
		if err != nil || math.Abs(bits-test.bits) > 0.06 ||
			math.Abs(percent/test.percent-1) > 0.006 {
			t.Errorf("%+v: %.2f bits per key, %.4g %%, want %+v (%v)", test.config, bits, percent,
				test, err)
		}
	}
}
