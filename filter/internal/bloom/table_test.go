package bloom

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// The mean rate of many filters of random keys is that of the theory, for several sizes and k:
// within four standard deviations of the mean, which are 0.1 to 3 % here. A filter's rate is that
// of its bits, exactly, and a sample of keys that are no members meets it.
func TestRateIsThatOfTheTheory(t *testing.T) {
	require.Once(t)
	rng := rand.New(rand.NewPCG(5, 5))
	for _, test := range []struct {
		bits, members, hashes int
		blocked               bool
		filters               int
	}{
		{64, 8, 5, false, 20_000}, {100, 10, 3, false, 20_000}, {1000, 100, 7, false, 4000},
		// 1e-5
		{1000, 300, 1, false, 2000}, {10_007, 1000, 7, false, 500}, {24_000, 1000, 17, false, 2000},
		{512, 40, 7, true, 20_000}, {5120, 500, 6, true, 2000}, {1 << 16, 5000, 8, true, 150},
		{1 << 15, 1000, 20, true, 500}, {1 << 14, 8000, 1, true, 100},
	} {
		unit := uint64(1)
		size := Shape{1, uint64(test.bits), test.hashes}
		if test.blocked {
			unit = BlockBits
			size = Shape{uint64(test.bits) / unit, unit, test.hashes}
		}
		want := size.Rate(test.members)
		sum, squares, sampled, expected := 0.0, 0.0, 0, 0.0
		table := NewTable(size)
		const samples = 200
		for range test.filters {
			clear(table.Words)
			for range test.members {
				table.Insert(rng.Uint64())
			}
			_, rate := table.Count()
			sum += rate
			squares += rate * rate
			expected += samples * rate
			for range samples {
				if table.Query(rng.Uint64()) {
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

// At a rate of 1e-5 keys are sampled, because it is there that positions that depend on each other
// would show: double hashing has 1.8 times the rate in a filter of this size (package probe).
func TestSampledRateAt1e5(t *testing.T) {
	require.Once(t)
	rng := rand.New(rand.NewPCG(6, 6))
	const members, filters, samples = 1000, 10, 1_000_000
	size := Shape{1, 24_000, 17}
	table := NewTable(size)
	found, want := 0, 0.0
	for range filters {
		clear(table.Words)
		for range members {
			table.Insert(rng.Uint64())
		}
		_, rate := table.Count()
		want += samples * rate
		for range samples {
			if table.Query(rng.Uint64()) {
				found++
			}
		}
	}
	if math.Abs(float64(found)-want) > 4*math.Sqrt(want) {
		t.Errorf("%d of %d keys that are no members are present, want %.0f", found,
			filters*samples, want)
	}
	t.Logf("%.3g found, %.3g by the bits, %.3g by theory",
		float64(found)/filters/samples, want/filters/samples, size.Rate(members))
}
