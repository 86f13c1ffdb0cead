package plain

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// The mean rate of many filters of random keys is that of the theory, for several sizes and k: within four
// standard deviations of the mean, which are 0.1 to 3 % here. A filter's rate is that of its bits, exactly,
// and a sample of keys that are no members meets it.
func TestRateIsThatOfTheTheory(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, test := range []struct {
		bits, members, hashes int
		blocked               bool
		filters               int
	}{
		{64, 8, 5, false, 20_000}, {100, 10, 3, false, 20_000}, {1000, 100, 7, false, 4000},
		{1000, 300, 1, false, 2000}, {10_007, 1000, 7, false, 500}, {24_000, 1000, 17, false, 2000}, // 1e-5
		{512, 40, 7, true, 20_000}, {5120, 500, 6, true, 2000}, {1 << 16, 5000, 8, true, 150},
		{1 << 15, 1000, 20, true, 500}, {1 << 14, 8000, 1, true, 100},
	} {
		unit := uint64(1)
		size := shape{1, uint64(test.bits), test.hashes}
		if test.blocked {
			unit = BlockBits
			size = shape{uint64(test.bits) / unit, unit, test.hashes}
		}
		want := size.rate(test.members)
		sum, squares, sampled, expected := 0.0, 0.0, 0, 0.0
		table := newTable(size)
		const samples = 200
		for range test.filters {
			clear(table.words)
			for range test.members {
				table.insert(rng.Uint64())
			}
			_, rate := table.count()
			sum += rate
			squares += rate * rate
			expected += samples * rate
			for range samples {
				if table.query(rng.Uint64()) {
					sampled++
				}
			}
		}
		n := float64(test.filters)
		mean := sum / n
		deviation := math.Sqrt((squares/n - mean*mean) / n)
		if math.Abs(mean-want) > 4*deviation+0.001*want {
			t.Errorf("%+v: rate %.4g ± %.1g, want %.4g", test, mean, deviation, want)
		}
		if math.Abs(float64(sampled)-expected) > 4*math.Sqrt(expected)+3 {
			t.Errorf("%+v: %d sampled keys are present, want %.0f", test, sampled, expected)
		}
		t.Logf("%+v: rate %.5g ± %.1g, theory %.5g, sampled %.4g", test, mean, deviation, want,
			float64(sampled)/samples/n)
	}
}

// At a rate of 1e-5 keys are sampled, because it is there that positions that depend on each other would
// show: double hashing has 1.8 times the rate in a filter of this size (package probe).
func TestSampledRateAt1e5(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const members, filters, samples = 1000, 10, 1_000_000
	size := shape{1, 24_000, 17}
	table := newTable(size)
	found, want := 0, 0.0
	for range filters {
		clear(table.words)
		for range members {
			table.insert(rng.Uint64())
		}
		_, rate := table.count()
		want += samples * rate
		for range samples {
			if table.query(rng.Uint64()) {
				found++
			}
		}
	}
	if math.Abs(float64(found)-want) > 4*math.Sqrt(want) {
		t.Errorf("%d of %d keys that are no members are present, want %.0f", found, filters*samples, want)
	}
	t.Logf("%.3g found, %.3g by the bits, %.3g by theory",
		float64(found)/filters/samples, want/filters/samples, size.rate(members))
}

// Sizes by a rate are the smallest that have it; and one by bits has just these.
func TestSizing(t *testing.T) {
	for _, members := range []int{1, 10, 1000, 1_000_000} {
		for _, rate := range []float64{0.5, 0.01, 1e-5, 1e-9} {
			for _, blocked := range []bool{false, true} {
				for _, turnovers := range []float64{0, 1.5} {
					c := Config{Members: members, Rate: rate, Blocked: blocked, Turnovers: turnovers}
					size, err := c.solve()
					if err != nil {
						t.Errorf("%+v: %v", c, err)
						continue
					}
					inserts := int(math.Round(float64(members) * (1 + turnovers)))
					if got := size.rate(inserts); got > rate {
						t.Errorf("%+v: rate %g of %v", c, got, size)
					}
					smaller := size
					if blocked {
						smaller.blocks--
					} else {
						smaller.span--
					}
					for k := range MaxHashes {
						smaller.hashes = k + 1
						if smaller.bits() > 0 && smaller.rate(inserts) < rate*(1-1e-9) {
							t.Errorf("%+v: %v is smaller than %v and keeps the rate", c, smaller, size)
						}
						if size.hashes = k + 1; size.rate(inserts) <= rate {
							break
						}
					}
				}
			}
		}
	}
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 9.9999})
	if f.Bits() != 10_000 || f.Hashes() != 7 || f.State().Bytes != 1256 {
		t.Errorf("%v of %d bytes", f, f.State().Bytes)
	}
	if f := newFilter(t, Config{Members: 49, BitsPerKey: 512.0 / 49, Blocked: true}); f.Bits() != 512 {
		t.Errorf("%v, want one block", f)
	}
}

func TestSizingErrors(t *testing.T) {
	for field, all := range map[string][]Config{
		"Members": {{Rate: 0.1}, {Members: -1, Rate: 0.1}},
		"BitsPerKey": {
			{Members: 1}, {Members: 1, BitsPerKey: 1, Rate: 0.1},
			{Members: 1, BitsPerKey: math.NaN()}, {Members: 1, BitsPerKey: -1}, {Members: 1 << 30, BitsPerKey: 1 << 12},
			{Members: 1, BitsPerKey: math.Inf(1)},
		},
		"Rate": {
			{Members: 1, Rate: 1}, {Members: 1, Rate: -0.1}, {Members: 1, Rate: math.NaN()},
			{Members: 1 << 30, Rate: 1e-300},
		},
		"Turnovers": {{Members: 1, Rate: 0.1, Turnovers: -1}, {Members: 1, Rate: 0.1, Turnovers: math.NaN()}},
		"Hashes":    {{Members: 1, Rate: 0.1, Hashes: -1}, {Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
	} {
		for _, c := range all {
			for _, c.Blocked = range []bool{false, true} {
				_, err := New(c)
				var sizing *filter.SizingError
				if !errors.As(err, &sizing) || sizing.Field != field {
					t.Errorf("%+v: %v, want an error of %s", c, err, field)
				}
			}
		}
	}
}

// The state by the counter is what a scan of the bits finds, and of a closed filter both are zero.
func TestStatsAndState(t *testing.T) {
	for _, blocked := range []bool{false, true} {
		f, err := New(Config{Members: 20_000, BitsPerKey: 10, Blocked: blocked, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(20_000) {
			f.InsertUint64(n)
		}
		stats, state := f.Stats(), f.State()
		if math.Abs(stats.Fill/state.Fill-1) > 0.01 || math.Abs(stats.Rate/state.Rate-1) > 0.05 || state.Scanned {
			t.Errorf("blocked %v: %+v by the bits, %+v by the counter", blocked, stats, state)
		}
		if stats.Inserts != 20_000 || state.Members != 20_000 || stats.Ones != int(stats.Fill*float64(f.Bits())+0.5) {
			t.Errorf("blocked %v: %+v, %+v", blocked, stats, state)
		}
	}
	if s := new(Filter).Stats(); s != (Stats{}) {
		t.Errorf("%+v", s)
	}
}
