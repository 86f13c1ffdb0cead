package stable

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	_ filter.Set       = (*Filter)(nil)
	_ filter.Rebuilder = (*Filter)(nil)
	_ filter.Resetter  = (*Filter)(nil)
)

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

func newShape(t testing.TB, s Shape) *Filter {
	t.Helper()
	f, err := NewShape(s, 1000, fixed)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func insert(t testing.TB, f *Filter, hashes []uint64) {
	t.Helper()
	if n, err := f.InsertHashBatch(hashes, nil); n != len(hashes) || err != nil {
		t.Fatalf("%d of %d are in: %v", n, len(hashes), err)
	}
}

// A filter equals cells that are ints, as in the paper: an insert decrements P cells one after
// another, around the end, and then sets K cells. All cells are decremented equally often.
func TestModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for width := 1; width <= MaxWidth; width++ {
		per := 64 / width
		for _, length := range []int{1, 2, 7} {
			m := length * per
			for _, decrements := range []int{1, per - 1, per, per + 1, 2*per + 3, m - 1, m} {
				if decrements < 1 || decrements > m {
					continue
				}
				s := Shape{length, width, 1 + rng.IntN(4), decrements}
				f := newShape(t, s)
				cells, taken, random := make([]int, m), make([]int, m), uint64(start)
				cell := func(x uint64) int {
					return int(probe.Reduce(x, uint64(length)))*per +
						int(probe.Reduce(x*uint64(length), uint64(per)))
				}
				for step := range 500 {
					hash := rng.Uint64()
					x, present := hash, true
					for range s.Hashes {
						x = probe.Next(x)
						present = present && cells[cell(x)] > 0
					}
					random = probe.Next(random)
					for i := range decrements {
						at := (cell(random) + i) % m
						cells[at] = max(0, cells[at]-1)
						taken[at]++
					}
					x = hash
					for range s.Hashes {
						x = probe.Next(x)
						cells[cell(x)] = s.Highest()
					}
					if got := f.QueryHash(hash); got != present {
						t.Fatalf("%v, step %d: query %v, want %v", s, step, got, present)
					}
					if got, err := f.InsertHash(hash); got != present || err != nil {
						t.Fatalf("%v, step %d: insert %v (%v), want %v", s, step, got, err, present)
					}
					for i, want := range cells {
						if got := base.Open(&f.Body).Packed[i/per] >> (i % per * width) &
							(1<<width - 1); int(got) != want {
							t.Fatalf("%v, step %d: cell %d is %d, want %d", s, step, i, got, want)
						}
					}
				}
				mean := 500 * float64(decrements) / float64(m)
				for i, n := range taken {
					if math.Abs(float64(n)-mean) > 6*math.Sqrt(mean)+1 {
						t.Errorf("%v: cell %d is decremented %d times, want %.1f", s, i, n, mean)
					}
				}
			}
		}
	}
}

// The smallest rate that a plan accepts is kept, or refused where one hash cannot keep it.
func TestTheSmallestRate(t *testing.T) {
	c := Config{Members: 1000, Rate: 5.5e-17}
	if s, err := c.Shape(); err != nil || s.StableRate() > c.Rate ||
		s.Missed(1000) > DefaultMissed {
		t.Errorf("%v of rate %g, which misses %g (%v)", s, s.StableRate(), s.Missed(1000), err)
	}
	c.Hashes = 1
	var e *filter.SizingError
	if s, err := c.Shape(); !errors.As(err, &e) || e.Field != "Rate" {
		t.Errorf("with one hash %v of rate %g (%v), want an error of Rate", s, s.StableRate(), err)
	}
}

// A filter is no larger than it must be, and keeps what its Config asks for.
func TestSizing(t *testing.T) {
	for _, width := range []int{0, 1, 2, 3, 5, 8} {
		for _, rate := range []float64{0.5, 0.05, 0.01, 1e-5} {
			for _, missed := range []float64{0, 0.01, 0.5} {
				c := Config{Members: 10_000, Rate: rate, Width: width, Missed: missed}
				s, err := c.Shape()
				if missed == 0 {
					missed = DefaultMissed
				}
				if err != nil || s.StableRate() > rate || s.Missed(10_000) > missed || width != 0 &&
					s.Width != width {
					t.Fatalf("%+v: %v of rate %g, which misses %g (%v)", c, s, s.StableRate(),
						s.Missed(10_000), err)
				}
				if s.Words--; s.Decrements > s.Cells() {
					continue
				}
				for k := 1; k <= MaxHashes; k++ {
					s.Hashes = k
					if less, found := s.decrementsFor(rate); found &&
						less.Missed(10_000) <= missed {
						t.Errorf("%+v: %v is smaller", c, less)
					}
				}
			}
		}
		for _, bits := range []float64{16, 50, 200} {
			c := Config{Members: 10_000, BitsPerKey: bits, Width: width}
			s, err := c.Shape()
			if width == 1 && bits == 16 {
				continue // so few cells of one bit miss more
			}
			if err != nil || s.Missed(10_000) > DefaultMissed ||
				s.Words != int(math.Ceil(bits*10_000/64)) {
				t.Fatalf("%+v: %v, which misses %g (%v)", c, s, s.Missed(10_000), err)
			}
			for _, better := range []Shape{{s.Words, s.Width, s.Hashes, s.Decrements + 1},
				{s.Words, s.Width, s.Hashes + 1, s.Decrements}} {
				if better.Missed(10_000) <= DefaultMissed && better.StableRate() < s.StableRate() {
					t.Errorf("%+v: %v is better than %v", c, better, s)
				}
			}
			c.Rate = 0.01
			both, err := c.Shape()
			if err != nil || both.Words != s.Words || both.StableRate() > 0.01 {
				t.Fatalf("%+v: %v of rate %g (%v)", c, both, both.StableRate(), err)
			}
			for k := 1; k <= MaxHashes; k++ {
				other, found := Shape{Words: both.Words, Width: both.Width,
					Hashes: k}.decrementsFor(0.01)
				if found && other.Missed(10_000) < both.Missed(10_000) {
					t.Errorf("%+v: %v misses less than %v", c, other, both)
				}
			}
		}
	}
	if s, err := (&Config{Members: 1000, Rate: 0.01, Hashes: 3}).Shape(); s.Hashes != 3 ||
		err != nil {
		t.Errorf("%v, of 3 hashes (%v)", s, err)
	}
	for field, all := range map[string][]Config{
		"Members": {{Rate: 0.1}, {BitsPerKey: 8, Rate: 0.1}},
		"BitsPerKey": {{Members: 1}, {Members: 1 << 30, BitsPerKey: 1 << 12},
			{Members: 1000, BitsPerKey: 0.01, Width: 1, Missed: 1e-9},
			{Members: 1, Rate: 0.1, BitsPerKey: -1}},
		"Rate": {{Members: 1, Rate: 1}, {Members: 1 << 30, Rate: 1e-300},
			{Members: 1, BitsPerKey: 8, Rate: math.NaN()},
			{Members: 1, BitsPerKey: 1, Rate: 1e-12}},
		"Missed": {{Members: 1, Rate: 0.1, Missed: 1}, {Members: 1, Rate: 0.1, Missed: -0.1},
			{Members: 1, Rate: 0.1, BitsPerKey: 8, Missed: 0.1},
			{Members: 1, Rate: 0.1, Missed: math.NaN()}},
		"Hashes": {{Members: 1, Rate: 0.1, Hashes: -1},
			{Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
		"Width": {{Members: 1, Rate: 0.1, Width: -1},
			{Members: 1, Rate: 0.1, Width: MaxWidth + 1}},
	} {
		for _, c := range all {
			var sizing *filter.SizingError
			if f, err := New(c); f != nil || !errors.As(err, &sizing) || sizing.Field != field {
				t.Errorf("%+v: %v, want an error of %s", c, err, field)
			}
		}
	}
	for field, s := range map[string]Shape{"Words": {0, 1, 1, 1}, "Width": {1, 9, 1, 1},
		"Hashes": {1, 1, 65, 1}, "Decrements": {1, 4, 1, 17}} {
		var sizing *filter.SizingError
		if f, err := NewShape(s, 1, fixed); f != nil || !errors.As(err, &sizing) ||
			sizing.Field != field {
			t.Errorf("%v: %v, want an error of %s", s, err, field)
		}
	}
	var sizing *filter.SizingError
	if f, err := NewShape(Shape{1, 1, 1, 1}, 0, fixed); f != nil || !errors.As(err, &sizing) ||
		sizing.Field != "Members" {
		t.Errorf("no members: %v", err)
	}
}

// The number of inserts stays at its highest. A window counts no more of them than it has.
func TestInsertsSaturate(t *testing.T) {
	f := newFilter(t, Config{Members: 100, Rate: 0.01})
	table := base.Open(&f.Body)
	table.inserts = base.MaxCount - 1
	for range 2 {
		insert(t, f, []uint64{1, 2})
		if table.inserts != base.MaxCount || f.State().Members != 100 {
			t.Errorf("%d inserts, and %+v", table.inserts, f.State())
		}
		if _, err := f.InsertHash(1); err != nil || table.inserts != base.MaxCount {
			t.Errorf("%d inserts (%v)", table.inserts, err)
		}
	}
}

// A filter that is read back from a file, a stream or its bytes goes on as before: it ages the same
// cells.
func TestFiles(t *testing.T) {
	for _, c := range []Config{
		{Members: 100, BitsPerKey: 40}, {Members: 1, BitsPerKey: 64},
		{Members: 100, Rate: 0.001, Width: 7},
	} {
		f := newFilter(t, c)
		for n := range uint64(300) {
			if _, err := f.InsertUint64(n); err != nil {
				t.Fatal(err)
			}
		}
		blank := newFilter(t, Config{Members: 1, BitsPerKey: 64})
		filtertest.Files(t, f, blank,
			filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
	}
}

// The random state in a file follows from the calls, and tells nothing of the key.
func TestTheRandomStateIsNoSecret(t *testing.T) {
	var states []uint64
	for seed := range byte(2) {
		f, err := New(Config{Members: 100, BitsPerKey: 40,
			Key: keytest.Key(seed, 1)})
		if err != nil {
			t.Fatal(err)
		}
		insert(t, f, workload.Hashes(rand.New(rand.NewPCG(uint64(seed), 1)), 10))
		states = append(states, base.Open(&f.Body).random)
	}
	want := uint64(start)
	for range 10 {
		want = probe.Next(want)
	}
	if states[0] != want || states[1] != want {
		t.Errorf("random states %x, want %x of both", states, want)
	}
}

// A file whose numbers do not fit each other is refused. The numbers of this kind end where its
// Config ends.
func TestFit(t *testing.T) {
	for _, wrong := range []struct {
		name  string
		value uint64
	}{
		{"hashes", 0}, {"hashes", MaxHashes + 1}, {"width", 0}, {"width", MaxWidth + 1},
		{"decrements", 0}, {"decrements", 16*16 + 1}, {"random", 0}, {"random", 1 << 40},
	} {
		f := newFilter(t, Config{Members: 128, BitsPerKey: 8})
		c, err := f.Contents()
		if err != nil || f.Shape().Cells() != 16*16 {
			t.Fatal(f, err)
		}
		c.Set(wrong.name, wrong.value)
		if _, err := Decode(c, fixed); !errors.Is(err, file.ErrBounds) {
			t.Errorf("%s %d: %v", wrong.name, wrong.value, err)
		}
	}
}
