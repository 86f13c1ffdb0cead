package dlbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

// R1 of the letter: probabilistic guarantees of element deletability. If a filter is sized for a
// part of its members to be deletable, that part is, and the statistics say so.
func TestR1(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []Config{
		{Members: 1000, Deletability: 0.9}, {Members: 1000, Rate: 0.01, Deletability: 0.5},
		{Members: 100, BitsPerKey: 12, Deletability: 0.8},
		{Members: 300, BitsPerKey: 20, Deletability: 0.99, Hashes: 4},
		{Members: 100, Rate: 0.05, Turnovers: 0.5, Deletability: 0.7},
	} {
		var deletable, said []float64
		for range 200 {
			f := newFilter(t, c)
			members := workload.Hashes(rng, int(float64(c.Members)*(1+c.Turnovers)))
			if _, err := f.InsertHashBatch(members, nil); err != nil {
				t.Fatal(err)
			}
			said = append(said, f.Stats().Deletability)
			deletable = append(deletable,
				float64(f.DeleteHashBatch(members, nil))/float64(len(members)))
		}
		mean, within := interval(deletable)
		if mean+within < c.Deletability || mean-within > (1+c.Deletability)/2 {
			t.Errorf("%+v: deletable %.4f ± %.4f", c, mean, within)
		}
		if stats, off := interval(said); math.Abs(stats-mean) > within+off+0.02 {
			t.Errorf("%+v: deletable %.4f ± %.4f, by the statistics %.4f ± %.4f", c, mean,
				within, stats, off)
		}
	}
}

// R3 of the letter: fixed memory allocation. The filter has its m bits and no more memory, through
// any inserts and deletes.
func TestR3(t *testing.T) {
	f := newFilter(t, Config{Members: 100, BitsPerKey: 10})
	rng := rand.New(rand.NewPCG(8, 8))
	if f.Shape().Bits != 1000 || f.State().Bytes != 128 {
		t.Errorf("%v in %d bytes", f, f.State().Bytes)
	}
	churn := func() {
		hash := rng.Uint64()
		for i := range uint64(50) {
			f.InsertHash(hash + i)
		}
		for i := range uint64(40) {
			f.DeleteHash(hash + i)
		}
	}
	if n := testing.AllocsPerRun(100, churn); n != 0 || f.State().Bytes != 128 {
		t.Errorf("%v allocations, and %d bytes", n, f.State().Bytes)
	}
}

// R4 of the letter: low impact on the false-positive rate, which is comparable to that of a
// standard filter of the same m, and lower when elements are gone: here for the filters of its
// figure 4, with random elements.
func TestR4(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var before, after []float64
	for range 2000 {
		a, elements := newArray(letter), workload.Hashes(rng, letterN)
		for _, hash := range elements {
			a.Insert(hash)
		}
		rate := func() float64 {
			return math.Pow(float64(a.used())/float64(letter.Cells()),
				float64(letter.Hashes))
		}
		before = append(before, rate())
		for _, hash := range elements[:letterN/2] {
			a.Delete(hash)
		}
		after = append(after, rate())
	}
	full, within := interval(before)
	half, mean := interval(after)
	standard := math.Pow(1-math.Pow(1-1.0/240, 5*letterN), 5)
	if theory := letter.Rate(letterN); math.Abs(full-theory) > within+0.001*theory {
		t.Errorf("rate %.5f ± %.5f, in theory %.5f", full, within, theory)
	}
	if full > 1.7*standard || half+mean > 0.65*standard {
		t.Errorf("rate %.5f, and %.5f when half are gone; of a standard filter %.5f", full,
			half, standard)
	}
	// Where a twentieth of the bits is for collisions, less.
	if large := (Shape{Bits: 24_000, Regions: 1200, Hashes: 5}); large.Rate(2200) >
		1.25*math.Pow(1-math.Pow(1-1.0/24_000, 5*2200), 5) {
		t.Errorf("rate %.5f with m/r = 20", large.Rate(2200))
	}
}

func TestSizing(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   Shape
	}{
		{Config{Members: 22, BitsPerKey: 240.0 / 22, Regions: 24, Hashes: 5}, letter},
		{Config{Members: 10, BitsPerKey: 16, Hashes: 3}, Shape{160, 20, 3}},
		{Config{Members: 10, BitsPerKey: 16.1, Hashes: 3}, Shape{161, 21, 3}},
		{Config{Members: 1, BitsPerKey: 0.1}, Shape{2, 1, 1}},
		{Config{Members: 10, BitsPerKey: 16, Regions: 80, Hashes: 3}, Shape{160, 80, 3}},
	} {
		if got, err := test.config.Shape(); err != nil || got != test.want {
			t.Errorf("%+v: %v, want %v (%v)", test.config, got, test.want, err)
		}
	}
	for _, c := range []Config{
		{}, {Rate: 0.5}, {Rate: 0.02}, {Rate: 1e-9}, {Rate: 0.02, Hashes: 2},
		{Rate: 0.02, Turnovers: 3}, {Regions: 10},
		{Deletability: 0.95}, {BitsPerKey: 16, Deletability: 0.95},
		{BitsPerKey: 9, Deletability: 0.3, Hashes: 5},
	} {
		c.Members = 1000
		size, err := c.Shape()
		if err != nil || size.Check() != nil {
			t.Fatalf("%+v: %v (%v)", c, size, err)
		}
		inserts := int(1000 * (1 + c.Turnovers))
		rate := c.Rate
		if c.Rate == 0 {
			rate = DefaultRate
		}
		better := func(k int) bool {
			other := size
			other.Hashes = k
			return k >= 1 && k <= MaxHashes && other.Rate(inserts) < size.Rate(inserts)
		}
		if c.Hashes == 0 && (better(size.Hashes-1) || better(size.Hashes+1)) || c.Hashes > 0 &&
			size.Hashes != c.Hashes {
			t.Errorf("%+v: %d hashes", c, size.Hashes)
		}
		if c.BitsPerKey == 0 {
			less := Shape{size.Bits - 1, size.Regions, c.Hashes}
			if c.Hashes == 0 {
				less.Hashes = less.bestHashes(inserts)
			}
			if size.Rate(inserts) > rate || less.Rate(inserts) <= rate {
				t.Errorf("%+v: %v has a rate of %.4g, one bit less %.4g", c, size,
					size.Rate(inserts), less.Rate(inserts))
			}
		} else if size.Bits != int(1000*c.BitsPerKey) {
			t.Errorf("%+v: %d bits", c, size.Bits)
		}
		switch {
		case c.Regions > 0:
			if size.Regions != c.Regions {
				t.Errorf("%+v: %d regions", c, size.Regions)
			}
		case c.Deletability > 0:
			larger := size // regions, one cell more each
			larger.Regions = (size.Cells()-1)/(size.RegionCells()+1) + 1
			larger.Bits = size.Cells() + larger.Regions
			if size.Deletability(inserts) < c.Deletability ||
				larger.Deletability(inserts) > c.Deletability+0.001 {
				t.Errorf("%+v: %v deletable in %v, with larger regions %v", c,
					size.Deletability(inserts), size, larger.Deletability(inserts))
			}
		case size.RegionCells() != DefaultRegion:
			t.Errorf("%+v: %v", c, size)
		}
	}
	for members := range 20 { // among which there are cells that fill the last region
		c := Config{Members: 1000 + members}
		if size, err := c.Shape(); err != nil ||
			size.Regions != int(math.Ceil(float64(size.Cells())/DefaultRegion)) {
			t.Errorf("%v (%v)", size, err)
		}
	}
	for field, all := range map[string][]Config{
		"Members":    {{Rate: 0.1}, {}},
		"BitsPerKey": {{Members: 1, BitsPerKey: -1}, {Members: 1 << 30, BitsPerKey: 1 << 12}},
		"Rate":       {{Members: 1, Rate: 1}, {Members: 1 << 30, Rate: 1e-300}},
		"Turnovers":  {{Members: 1, Rate: 0.1, Turnovers: -1}},
		"Hashes": {{Members: 1, Rate: 0.1, Hashes: -1},
			{Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
		"Regions": {
			{Members: 1, Rate: 0.1, Regions: -1}, {Members: 10, BitsPerKey: 16, Regions: 81},
			{Members: 10, Rate: 0.1, Regions: 10_000},
			{Members: 10, Rate: 0.1, Regions: math.MaxInt}, {Members: 1, BitsPerKey: 1, Regions: 2},
		},
		"Deletability": {
			{Members: 1, Rate: 0.1, Deletability: -0.1}, {Members: 1, Rate: 0.1, Deletability: 1},
			{Members: 1, Rate: 0.1, Deletability: math.NaN()},
			{Members: 1, Rate: 0.1, Deletability: 0.5, Regions: 1},
			{Members: 1000, Rate: 0.1, Deletability: 0.99},
			{Members: 1000, BitsPerKey: 4, Deletability: 0.9},
		},
	} {
		for _, c := range all {
			var sizing *filter.SizingError
			if _, err := New(c); !errors.As(err, &sizing) || sizing.Field != field {
				t.Errorf("%+v: %v, want an error of %s", c, err, field)
			}
		}
	}
}

func TestStats(t *testing.T) {
	f := newFilter(t, Config{Members: 100, Rate: 0.01})
	f.InsertString("a")
	if s := f.Stats(); s.Inserts != 1 || s.Ones < 1 || s.Ones > f.Shape().Hashes ||
		s.Shape != f.Shape() || s.Deletability < 0.99 {
		t.Errorf("%+v", s)
	}
	if s := f.State(); s.Scanned ||
		math.Abs(s.Fill-float64(f.Stats().Ones)/float64(f.Shape().Cells())) > 0.001 {
		t.Errorf("%+v of a filter with a member", s)
	}
	if f.DeleteString("a") != filter.Deleted || f.QueryString("a") || f.Members() != 0 {
		t.Error("a is still there")
	}
	if s := f.State(); !s.Scanned || s.Fill != 0 || s.Rate != 0 {
		t.Errorf("%+v of a filter whose member is gone", s)
	}
	if s := f.Stats(); s.Deletability != 0 {
		t.Errorf("without members: a deletability of %g", s.Deletability)
	}
	for range 2 {
		f.InsertString("b")
	}
	if f.DeleteString("b") != filter.Retained || !f.QueryString("b") || f.Members() != 1 {
		t.Error("b is not retained")
	}
	if s := f.Stats(); s.Inserts != 3 || s.Deleted != 1 || s.Retained != 1 || s.Clearable != 0 ||
		s.Deletability != 0 {
		t.Errorf("%+v", s)
	}
}

// A filter that is read back from a file, a stream or its bytes goes on as before.
func TestFiles(t *testing.T) {
	for _, c := range []Config{
		{Members: 100, BitsPerKey: 16}, {Members: 1, BitsPerKey: 1}, {Members: 100, Regions: 700},
		{Members: 10, BitsPerKey: 10, Regions: 30, Hashes: 2},
	} {
		f := newFilter(t, c)
		for n := range uint64(c.Members) {
			if _, err := f.InsertUint64(n); err != nil {
				t.Fatal(err)
			}
		}
		f.DeleteUint64(0)
		blank := newFilter(t, Config{Members: 1, BitsPerKey: 1})
		filtertest.Files(t, f, blank,
			filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
	}
}

// A file whose words or regions are not those of its numbers is refused.
func TestFit(t *testing.T) {
	bit := func(word, bit int) func(*file.Contents) {
		return func(c *file.Contents) { c.Sections[0].Words[word] |= 1 << bit }
	}
	set := func(name string, value uint64) func(*file.Contents) {
		return func(c *file.Contents) { c.Set(name, value) }
	}
	for name, change := range map[string]func(*file.Contents){
		"fewer bits":        set("bits", 64),
		"more bits":         set("bits", 129),
		"regions":           set("regions", 51),
		"a bit behind":      bit(1, 36),
		"an empty region":   bit(0, 29),
		"the first of them": bit(0, 24),
	} {
		c, err := newFilter(t, Config{Members: 10, BitsPerKey: 10, Regions: 30}).Contents()
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		if _, err := Decode(c, fixed); !errors.Is(err, file.ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Filters with equal bits but other regions or another k do not merge.
func TestMergeOfUnequalShapes(t *testing.T) {
	f := newFilter(t, Config{Members: 10, BitsPerKey: 16, Hashes: 3})
	for _, c := range []Config{
		{Members: 10, BitsPerKey: 16, Hashes: 4},
		{Members: 10, BitsPerKey: 16, Hashes: 3, Regions: 21},
		{Members: 11, BitsPerKey: 16, Hashes: 3},
	} {
		if err := f.Merge(newFilter(t, c)); !errors.Is(err, filter.ErrUnequalSize) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
