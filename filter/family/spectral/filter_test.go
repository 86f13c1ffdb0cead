package spectral

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	_ filter.Rebuilder = (*RecurringMinimum)(nil)
	_ filter.Resetter  = (*MinimalIncrease)(nil)
)

var fixedKey = keytest.Fixed

// counter is any of the filters.
type counter interface {
	filter.StoredSet
	filter.Counter
	Shape() Shape
}

func newFilter(c Config, r rule) (counter, error) {
	switch r {
	case selection:
		return NewSelection(c)
	case increase:
		return NewIncrease(c)
	default:
		return NewRecurring(c)
	}
}

func mustNew(t testing.TB, c Config, r rule) counter {
	t.Helper()
	c.Key = fixedKey
	f, err := newFilter(c, r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func add(t testing.TB, f filter.Counter, hash, times uint64) {
	t.Helper()
	if err := f.AddHash(hash, times); err != nil {
		t.Fatal(err)
	}
}

var rules = []rule{selection, increase, recurring}

// Filters with counters of a fixed width keep the laws of their kinds too, also where these
// saturate.
func TestLawsOfAFixedWidth(t *testing.T) {
	for i, kind := range []base.Kind{Selection, Increase, Recurring} {
		kind.New = func(s filter.Sizing) (filter.StoredSet, error) {
			f, err := newFilter(Config{
				Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Turnovers: s.Turnovers,
				Key: s.Key, Width: 4,
			}, rules[i])
			if err != nil {
				return nil, err
			}
			return f, nil
		}
		t.Run(kind.Name, func(t *testing.T) { filtertest.RunAgain(t, kind, nil) })
	}
}

// A filter that is read back from a file, a stream or its bytes goes on as before.
func TestFiles(t *testing.T) {
	for _, c := range []Config{
		{Members: 1000, Rate: 0.01}, {Members: 1, BitsPerKey: 1},
		{Members: 100, Rate: 0.001, Width: 7},
		{Members: 300, BitsPerKey: 30, Times: 100},
	} {
		typed(t, c, NewSelection, filtertest.Readers[*MinimumSelection]{
			Open: OpenSelection, Load: LoadSelection, Read: ReadSelection})
		typed(t, c, NewIncrease, filtertest.Readers[*MinimalIncrease]{
			Open: OpenIncrease, Load: LoadIncrease, Read: ReadIncrease})
		typed(t, c, NewRecurring, filtertest.Readers[*RecurringMinimum]{
			Open: OpenRecurring, Load: LoadRecurring, Read: ReadRecurring})
	}
}

func typed[F interface {
	filtertest.Typed[F]
	filter.Counter
}](
	t *testing.T,
	c Config,
	make func(Config) (F, error),
	readers filtertest.Readers[F],
) {
	t.Helper()
	c.Key = fixedKey
	f, err := make(c)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(300) {
		add(t, f, n*n<<40, n)
	}
	other, err := make(Config{Members: 1, BitsPerKey: 1, Key: fixedKey})
	if err != nil {
		t.Fatal(err)
	}
	filtertest.Files(t, f, other, readers)
}

// A file whose words are not those of its numbers is refused, and numbers that no Config makes.
func TestFit(t *testing.T) {
	for _, width := range []int{0, 8} {
		for name, change := range map[string]func(c *file.Contents){
			"another width":          func(c *file.Contents) { c.Set("width", 16) },
			"a counter less":         func(c *file.Contents) { c.Set("counters", 279) },
			"a counter more":         func(c *file.Contents) { c.Set("counters", 281) },
			"other counters":         func(c *file.Contents) { c.Set("counters", 8) },
			"counters of no pages":   func(c *file.Contents) { c.Set("counters", 1025) },
			"all counters":           func(c *file.Contents) { c.Set("counters", filter.MaxBits) },
			"a secondary counter":    func(c *file.Contents) { c.Set("secondary", 8) },
			"all secondary counters": func(c *file.Contents) { c.Set("secondary", filter.MaxBits) },
			"a marker of other words": func(c *file.Contents) {
				c.Set("marker-bits", 1)
			},
			"a word more": func(c *file.Contents) {
				c.Sections[0].Words = append(slices.Clone(c.Sections[0].Words), 0)
			},
			"a word of the marker more": func(c *file.Contents) {
				c.Sections[2].Words = append(slices.Clone(c.Sections[2].Words), 0)
			},
		} {
			refused(t, fmt.Sprintf("%s, width %d", name, width), width, change)
		}
	}
	for name, change := range map[string]func(c *file.Contents){
		"an end of a group":     func(c *file.Contents) { c.Sections[0].Words[0]++ },
		"a counter of no value": func(c *file.Contents) { c.Sections[0].Words[2]++ },
	} {
		refused(t, name, 0, change)
	}
	for name, value := range map[string]uint64{
		"hashes": MaxHashes + 1, "width": MaxWidth + 1, "times": MaxTimes + 1, "retained": 1,
	} {
		c, err := mustNew(t, Config{Members: 128, BitsPerKey: 32}, increase).Contents()
		if err != nil {
			t.Fatal(err)
		}
		c.Set(name, value)
		if _, err := DecodeIncrease(c, fixedKey); !errors.Is(err, file.ErrBounds) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s %d: %v", name, value, err)
		}
	}
}

func refused(t *testing.T, name string, width int, change func(c *file.Contents)) {
	t.Helper()
	s := shapeOf(recurring, 280, width, 4, 100, 1)
	c, err := ofShape(s).Contents()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeRecurring(c, key.Unknown()); err != nil {
		t.Fatal(err)
	}
	change(c)
	if _, err := DecodeRecurring(c, key.Unknown()); !errors.Is(err, file.ErrBounds) {
		t.Errorf("%s: %v", name, err)
	}
}

// With the planned members in, a filter has the memory that was asked for, and the planned rate.
func TestSizing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, r := range rules {
		for _, c := range []Config{
			{Members: 20_000, BitsPerKey: 8}, {Members: 20_000, BitsPerKey: 24},
			{Members: 20_000, BitsPerKey: 40, Hashes: 3},
			{Members: 5000, BitsPerKey: 30, Times: 10},
			{Members: 20_000, BitsPerKey: 48, Width: 8}, {Members: 500, BitsPerKey: 24},
		} {
			f := mustNew(t, c, r)
			for range c.Members {
				add(t, f, rng.Uint64(), uint64(max(1, c.Times)))
			}
			got := 8 * float64(f.State().Bytes) / float64(c.Members)
			if got < 0.9*c.BitsPerKey || got > 1.05*c.BitsPerKey {
				t.Errorf("%v, %+v: %.2f bits per key", r, c, got)
			}
			if s := f.Shape(); c.Hashes > 0 && s.Hashes != c.Hashes || s.Width != c.Width {
				t.Errorf("%v, %+v: %v", r, c, f)
			}
		}
	}
	for field, all := range map[string][]Config{
		"Members":    {{Rate: 0.1}},
		"BitsPerKey": {{Members: 1}, {Members: 1 << 30, BitsPerKey: 1 << 12}},
		"Rate":       {{Members: 1, Rate: 1}, {Members: 1 << 30, Rate: 1e-300}},
		"Turnovers":  {{Members: 1, Rate: 0.1, Turnovers: -1}},
		"Times":      {{Members: 1, Rate: 0.1, Times: -1}},
		"Hashes": {{Members: 1, Rate: 0.1, Hashes: -1},
			{Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
		"Width": {{Members: 1, Rate: 0.1, Width: -1},
			{Members: 1, Rate: 0.1, Width: MaxWidth + 1}},
	} {
		for _, c := range all {
			for _, r := range rules {
				var sizing *filter.SizingError
				f, err := newFilter(c, r)
				if !errors.As(err, &sizing) || sizing.Field != field || sizing.Kind != r.String() {
					t.Errorf("%+v: %v, %v, want an error of %s", c, f, err, field)
				}
			}
		}
	}
}

// A merge of filters with minimum selection has exactly the counts of one filter with all inserts.
// With minimal increase no count is lower than those.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{0, 1, 5, 32} {
		c := Config{Members: 200, BitsPerKey: 12 + 3*float64(width), Width: width, Key: fixedKey}
		a, b, all := mustNew(t, c, selection), mustNew(t, c, selection), mustNew(t, c, selection)
		p, q := mustNew(t, c, increase), mustNew(t, c, increase)
		times := map[uint64]uint64{}
		for i, hash := range workload.Hashes(rng, 300) {
			for j := range uint64(1 + i%2) {
				n := uint64(1 + rng.IntN(9))
				times[hash] += n
				add(t, [2]counter{a, b}[(uint64(i)+j)%2], hash, n)
				add(t, [2]counter{p, q}[(uint64(i)+j)%2], hash, n)
				add(t, all, hash, n)
			}
		}
		merge := func(to, from filter.Stored) error { return to.(filter.Merger).Merge(from) }
		if err := merge(a, b); err != nil ||
			!a.(*MinimumSelection).Equal(all.(*MinimumSelection)) {
			t.Errorf("width %d: the merge differs: %v", width, err)
		}
		if err := merge(p, q); err != nil {
			t.Error(err)
		}
		for hash, want := range times {
			if got := p.CountHash(hash); got < want {
				t.Fatalf("width %d: the merge has a count of %d, want %d", width, got, want)
			}
		}
		other := c
		other.Hashes = a.Shape().Hashes + 1
		wider := c
		wider.Width = (wider.Width + 1) % (MaxWidth + 1)
		for _, d := range []Config{other, wider} {
			if err := merge(a, mustNew(t, d, selection)); !errors.Is(err, filter.ErrUnequalSize) {
				t.Errorf("%+v into %+v: %v", d, c, err)
			}
		}
	}
	// What is merged has the larger plan, and the memory of that.
	c := Config{Members: 4000, BitsPerKey: 30, Key: fixedKey}
	size, err := c.solve(selection)
	if err != nil {
		t.Fatal(err)
	}
	a, larger := ofShape(size).(*MinimumSelection), size
	larger.members *= 2
	larger.times = 9
	if err := a.Merge(ofShape(larger).(*MinimumSelection)); err != nil {
		t.Fatal(err)
	}
	if !a.Equal(ofShape(larger).(*MinimumSelection)) ||
		a.State() != ofShape(larger).State() || a.State() == ofShape(size).State() {
		t.Errorf("%+v, want %+v", a.State(), ofShape(larger).State())
	}
	if err := new(MinimumSelection).Merge(nil); !errors.Is(err, filter.ErrClosed) {
		t.Error(err)
	}
	if err := new(MinimalIncrease).Merge(nil); !errors.Is(err, filter.ErrClosed) {
		t.Error(err)
	}
}

func TestPrints(t *testing.T) {
	f := mustNew(t, Config{Members: 1000, Rate: 0.01, Width: 9}, recurring)
	want := fmt.Sprintf("spectral-rm filter of %d counters of 9 bits, 7 hashes, %d secondary "+
		"counters, a marker of %d bits, key with fingerprint %016x",
		f.Shape().Counters, 2401, 9595, fixedKey.Fingerprint())
	if got := fmt.Sprint(f); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
