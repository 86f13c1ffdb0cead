package bitwise

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// times draws how often a member comes, by Zipf's law.
func times(rng *rand.Rand, skew float64) uint64 {
	return uint64(min(1e6, math.Pow(1-rng.Float64(), -skew)))
}

// interval returns a mean, and 4 of its standard deviations.
func interval(x []float64) (mean, within float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		within += (v - mean) * (v - mean)
	}
	return mean, 4 * math.Sqrt(within/float64(len(x)-1)/float64(len(x)))
}

// simulated are filters that are planned for a skew, and what they get.
var simulated = []struct {
	config Config
	skew   float64
}{
	{Config{Members: 1500, BitsPerKey: 20, Tail: Zipf(0)}, 0.1},
	{Config{Members: 1500, BitsPerKey: 40}, 1},
	{Config{Members: 1500, BitsPerKey: 25}, 1},
	{Config{Members: 1500, BitsPerKey: 40, Tail: Zipf(0.5)}, 0.5},
	{Config{Members: 1500, BitsPerKey: 40, Tail: Zipf(2)}, 2},
	{Config{Members: 1500, BitsPerKey: 40, Tail: Zipf(0)}, 1},
	{Config{Members: 1500, BitsPerKey: 40, Widths: []int{1, 1, 1, 1, 1, 1, 1}}, 1},
	{Config{Members: 1500, BitsPerKey: 30, Widths: []int{2, 2, 2, 2}, Hashes: 3}, 0.7},
	{Config{Members: 1500, BitsPerKey: 60, Widths: []int{16}}, 1},
	{Config{Members: 1500, BitsPerKey: 12}, 1},
}

// The loads of all levels, the rate and the part of the members whose count is too high are those
// of the theory.
func TestTheory(t *testing.T) {
	for _, test := range simulated {
		s, err := test.config.Shape()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("%v, skew %g", s, test.skew), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 9))
			n, tail := test.config.Members, Zipf(test.skew)
			want := s.loads(n, tail)
			const filters, probes = 24, 4000
			rates, states, over := make([]float64, filters), make([]float64, filters),
				make([]float64, filters)
			surplus := make([]float64, filters)
			zeros, carries := make([][]float64, len(want)), make([][]float64, len(want))
			for i := range filters {
				f, counts := newShape(t, s), map[uint64]uint64{}
				for _, hash := range workload.Hashes(rng, n) {
					counts[hash] = times(rng, test.skew)
					if err := f.AddHash(hash, counts[hash]); err != nil {
						t.Fatal(err)
					}
				}
				rates[i] = float64(f.QueryHashBatch(workload.Hashes(rng, probes), nil)) / probes
				states[i] = f.State().Rate
				light, heavy := 0.0, 0.0
				for hash, times := range counts {
					wrong := 0.0
					if f.CountHash(hash) > times {
						wrong = 1
					}
					if times>>s.Levels[0].Width == 0 {
						over[i] += wrong
						light++
						continue
					}
					surplus[i] += wrong - s.Over(times, n, tail)
					heavy++
				}
				over[i] /= light
				surplus[i] /= max(1, heavy)
				for level, values := range modelOf(s, counts).values {
					zero, carried := 0, 0
					for _, value := range values {
						if value == 0 {
							zero++
						}
						if value>>s.Levels[level].Width > 0 {
							carried++
						}
					}
					zeros[level] = append(zeros[level], float64(zero)/float64(len(values)))
					carries[level] = append(carries[level], float64(carried)/float64(len(values)))
				}
			}
			for level, want := range want {
				cells := float64(s.Levels[level].Cells())
				got, within := interval(zeros[level])
				t.Logf("level %d: %.5f ± %.5f of %.0f cells are 0, theory %.5f",
					level, got, within, cells, want.zeros)
				if cells > 30 && math.Abs(got-want.zeros) > within+0.015+0.5/cells {
					t.Errorf("level %d: %.4f ± %.4f of %.0f cells are 0, want %.4f", level, got,
						within, cells, want.zeros)
				}
				got, within = interval(carries[level])
				if cells > 30 && math.Abs(got-want.carries) > within+0.03*want.carries+0.5/cells {
					t.Errorf("level %d: %.5f ± %.5f of %.0f cells carry, want %.5f", level, got,
						within, cells, want.carries)
				}
			}
			rate := s.Rate(n)
			for what, x := range map[string][]float64{"non-members are present": rates,
				"rate by the state": states, "counts of light members are over": over} {
				got, within := interval(x)
				t.Logf("%s: %.5f ± %.5f, theory %.5f", what, got, within, rate)
				if math.Abs(got-rate) > within+0.01*rate {
					t.Errorf("%s: %.5f ± %.5f, want %.5f", what, got, within, rate)
				}
			}
			got, within := interval(surplus)
			t.Logf("more counts of heavy members are over: %+.5f ± %.5f", got, within)
			if math.Abs(got) > within+0.1*rate {
				t.Errorf("counts of heavy members are over by %.5f ± %.5f more than by the theory",
					got, within)
			}
		})
	}
}

// Marks that deletes leave cost at most the planned part of the rate, if members that come by
// Zipf's law are replaced many times.
func TestTurnovers(t *testing.T) {
	const n, turnovers = 3000, 12
	for _, c := range []struct {
		Config
		skew float64
	}{
		{Config{Rate: 0.05}, 1}, {Config{Rate: 0.005}, 1},
		{Config{Rate: 0.02, Tail: Zipf(0.5)}, 0.5},
		{Config{Rate: 0.02, Tail: Zipf(1.5)}, 1.5}, {Config{Rate: 0.02, Widths: []int{4, 4}}, 1},
		{Config{Rate: 0.2, Widths: []int{1, 1, 1, 1, 1, 1, 1}}, 1},
		{Config{Rate: 0.03, Widths: []int{2, 2, 2, 2}}, 1},
	} {
		c.Config.Members, c.Config.Turnovers = n, turnovers
		f, skew := newFilter(t, c.Config), c.skew
		rng := rand.New(rand.NewPCG(4, 9))
		members, counts := make([]uint64, n), make([]uint64, n)
		var rates []float64
		for i := range (1 + turnovers) * n {
			key := i % n
			for range counts[key] {
				f.DeleteHash(members[key])
			}
			members[key], counts[key] = rng.Uint64(), min(3000, times(rng, skew))
			if err := f.AddHash(members[key], counts[key]); err != nil {
				t.Fatal(err)
			}
			if i > 6*n && i%(n/4) == 0 {
				rates = append(rates, f.State().Rate)
			}
		}
		got, within := interval(rates)
		fresh := f.Shape().Rate(n)
		t.Logf("%v: %.5f ± %.5f, planned %.5f, fresh %.5f", f.Shape(), got, within, c.Rate, fresh)
		if got > c.Rate+within || got < fresh {
			t.Errorf("%v: %.5f ± %.5f, want %.5f at most, and more than the fresh %.5f", f.Shape(),
				got, within, c.Rate, fresh)
		}
	}
}

// The distribution of a compound Poisson variable agrees with draws of it.
func TestCompound(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	sizes := []float64{0, 0.5, 0.2, 0.2, 0.1, 0, 0, 0, 0, 0}
	for _, mean := range []float64{0.01, 0.7, 3} {
		const draws = 200_000
		found := make([]int, len(sizes))
		for range draws {
			sum := 0
			for left := math.Exp(-mean) / (1 - rng.Float64()); left < 1; left /= 1 - rng.Float64() {
				sum += []int{1, 1, 1, 1, 1, 2, 2, 3, 3, 4}[rng.IntN(10)]
			}
			if sum < len(found) {
				found[sum]++
			}
		}
		for value, p := range compound(mean, sizes) {
			if math.Abs(float64(found[value])-draws*p) > 4*math.Sqrt(draws*p)+4 {
				t.Errorf("mean %g: %d is found %d times, want %.0f", mean, value,
					found[value], draws*p)
			}
		}
	}
}

// A size by a rate is the smallest that keeps it. A size by bits has the bits that are asked for.
func TestSizing(t *testing.T) {
	for _, c := range []Config{
		{Rate: 0.5}, {Rate: 0.01}, {Rate: 1e-6}, {Rate: 0.01, Tail: Zipf(0)},
		{Rate: 0.01, Tail: Zipf(4)},
		{Rate: 0.01, Widths: []int{1, 1, 1}},
		{Rate: 0.001, Hashes: 2}, {Rate: 0.01, Widths: []int{16, 16}},
	} {
		c.Members = 1000
		s, err := c.Shape()
		if err != nil || s.Rate(1000) > c.Rate {
			t.Errorf("%+v: %v of rate %g (%v)", c, s, s.Rate(1000), err)
			continue
		}
		less := Shape{slices.Clone(s.Levels), s.Hashes}
		if less.Levels[0].Words--; less.Rate(1000) <= c.Rate {
			t.Errorf("%+v: %v is smaller than %v", c, less, s)
		}
		for other := c; other.Hashes < 40 && c.Hashes == 0; {
			other.Hashes++
			if less, err := other.Shape(); err == nil && less.Words() < s.Words() {
				t.Errorf("%+v: %v is smaller than %v", c, less, s)
			}
		}
		c.Rate, c.BitsPerKey = 0, 64*float64(s.Words())/1000
		same, err := c.Shape()
		if err != nil || same.Words() != s.Words() || same.Rate(1000) > s.Rate(1000) {
			t.Errorf("%+v: %v, want %v or better (%v)", c, same, s, err)
		}
		for other := c; other.Hashes < 40 && c.Hashes == 0; {
			other.Hashes++
			if better, err := other.Shape(); err == nil && better.Rate(1000) < same.Rate(1000) {
				t.Errorf("%+v: %v is better than %v", c, better, same)
			}
		}
	}
	for _, bits := range []float64{1, 8, 24, 77.7, 500} {
		for _, members := range []int{1, 100, 100_000} {
			c := Config{Members: members, BitsPerKey: bits}
			s, err := c.Shape()
			want := int(math.Ceil(float64(members) * bits / 64))
			if err != nil || s.Words() != max(want, s.Words()) || s.Words() > want &&
				s.Levels[0].Words > 1 {
				t.Errorf("%+v: %v of %d words, want %d (%v)", c, s, s.Words(), want, err)
			}
		}
	}
	// No count has bits above 64: the levels of these have the cells of one key.
	c := Config{Members: 1000, BitsPerKey: 40, Widths: []int{16, 16, 16, 16, 16, 16, 16}}
	s, err := c.Shape()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range s.Levels[4:] {
		if least := (2*s.Hashes-1)/(64/l.bits()) + 1; l.Words != least {
			t.Errorf("%v: level %d has %d words, want %d", s, 4+i, l.Words, least)
		}
	}
	// What is too large for an int of 32 bits is refused too, and not taken for small.
	for bits := 22; bits < 30; bits += 2 {
		for _, rate := range []float64{0.1, 1e-3, 1e-6, 1e-9} {
			for turnovers := range 2 {
				c := Config{Members: 1 << bits, Rate: rate, Turnovers: float64(turnovers),
					Tail: Zipf(math.Inf(1))}
				if s, err := c.Shape(); err == nil && s.Check() != nil {
					t.Errorf("%+v: %v (%v)", c, s, s.Check())
				}
			}
		}
	}
	for field, all := range map[string][]Config{
		"Members":    {{Rate: 0.1}},
		"BitsPerKey": {{Members: 1}, {Members: 1 << 30, BitsPerKey: 1 << 12}},
		"Rate": {{Members: 1, Rate: 1}, {Members: 1 << 30, Rate: 1e-300},
			{Members: 1 << 30, Rate: 1e-10, Hashes: 1}},
		"Hashes": {{Members: 1, Rate: 0.1, Hashes: -1},
			{Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
		"Tail": {
			{Members: 1, Rate: 0.1, Tail: func(uint64) float64 { return 0.9 }},
			{Members: 1, Rate: 0.1, Tail: Zipf(-1)},
			{Members: 1, Rate: 0.1, Tail: Zipf(math.NaN())},
		},
		"Widths": {
			{Members: 1, Rate: 0.1, Widths: []int{0}},
			{Members: 1, Rate: 0.1, Widths: []int{4, 17}},
			{Members: 1, Rate: 0.1, Widths: []int{4, 4, 4, 4, 4, 4, 4, 4}},
		},
	} {
		for _, c := range all {
			var sizing *filter.SizingError
			if _, err := New(c); !errors.As(err, &sizing) || sizing.Field != field {
				t.Errorf("%+v: %v, want an error of %s", c, err, field)
			}
		}
	}
	for field, all := range map[string][]Shape{
		"Levels": {{}, {make([]Level, MaxLevels+1), 1}},
		"Hashes": {{shapes[1].Levels, 0}, {shapes[1].Levels, MaxHashes + 1}},
		"Width": {{[]Level{{1, 4}}, 1}, {[]Level{{1, 0}, {1, 64}}, 1},
			{[]Level{{1, MaxWidth + 1}, {1, 64}}, 1}},
		"Words": {{[]Level{{0, 4}, {1, 64}}, 1}, {[]Level{{filter.MaxBits / 64, 4}, {1, 64}}, 1}},
	} {
		for _, s := range all {
			var sizing *filter.SizingError
			if _, err := NewShape(s, 1, fixed); !errors.As(err, &sizing) || sizing.Field != field {
				t.Errorf("%+v: %v, want an error of %s", s, err, field)
			}
		}
	}
	if _, err := NewShape(shapes[1], 0, fixed); err == nil {
		t.Error("a filter for no members")
	}
}

// Sizes, some of which the package documentation has.
func TestDocumentedSizes(t *testing.T) {
	ones := []int{1, 1, 1, 1, 1, 1, 1}
	for _, test := range []struct {
		config      Config
		bits, rate  float64 // per key, and in percent
		k, width, n int     // 0: not said
	}{
		{Config{Rate: 0.1, Tail: Zipf(0)}, 15.0, 10, 0, 2, 4},
		{Config{Rate: 0.01, Tail: Zipf(0)}, 30.1, 1, 0, 2, 4},
		{Config{Rate: 0.001, Tail: Zipf(0)}, 45.1, 0.1, 0, 2, 4},
		{Config{Rate: 0.0001, Tail: Zipf(0)}, 60.1, 0.01, 0, 2, 4},
		{Config{Rate: 0.1, Tail: Zipf(0.5)}, 20.5, 10, 0, 3, 4},
		{Config{Rate: 0.01, Tail: Zipf(0.5)}, 41.1, 1, 0, 3, 4},
		{Config{Rate: 0.001, Tail: Zipf(0.5)}, 61.6, 0.1, 0, 3, 4},
		{Config{Rate: 0.0001, Tail: Zipf(0.5)}, 82.1, 0.01, 0, 3, 4},
		{Config{Rate: 0.1}, 27.8, 10, 2, 3, 4}, {Config{Rate: 0.01}, 55.5, 1, 4, 3, 4},
		{Config{Rate: 0.001}, 83.3, 0.1, 6, 3, 4}, {Config{Rate: 0.0001}, 111.1, 0.01, 8, 3, 4},
		{Config{Rate: 0.1, Tail: Zipf(2)}, 49.8, 10, 0, 7, 4},
		{Config{Rate: 0.01, Tail: Zipf(2)}, 98.0, 1, 0, 7, 4},
		{Config{Rate: 0.001, Tail: Zipf(2)}, 147.0, 0.1, 0, 7, 4},
		{Config{Rate: 0.0001, Tail: Zipf(2)}, 196.0, 0.01, 0, 7, 4},
		{Config{BitsPerKey: 16}, 16, 27.1, 0, 3, 4}, {Config{BitsPerKey: 24}, 24, 13.8, 0, 3, 4},
		{Config{BitsPerKey: 32}, 32, 7.33, 0, 3, 4}, {Config{BitsPerKey: 40}, 40, 3.62, 0, 3, 4},
		{Config{BitsPerKey: 48}, 48, 1.91, 0, 3, 4}, {Config{BitsPerKey: 64}, 64, 0.496, 0, 3, 4},
		{Config{Rate: 0.01, Widths: ones}, 63.4, 1, 0, 1, 8},
		{Config{Rate: 0.01, Widths: []int{16}}, 204.7, 1, 0, 16, 2},
		{Config{Rate: 0.01, Widths: []int{2, 2, 2, 2, 2, 2}}, 53.8, 1, 0, 2, 7},
	} {
		test.config.Members = 1_000_000
		s, err := test.config.Shape()
		bits, rate := 64e-6*float64(s.Words()), 100*s.Rate(1_000_000)
		if err != nil || math.Abs(bits-test.bits) > 0.05 || rate > 1.005*test.rate ||
			rate < 0.99*test.rate || test.k > 0 && s.Hashes != test.k ||
			s.Levels[0].Width != test.width || len(s.Levels) != test.n {
			t.Errorf("%+v: %v, %.1f bits per key, rate %.3g %%, want %+v (%v)", test.config, s,
				bits, rate, test, err)
		}
	}
	for skew, want := range map[float64]float64{1: 59.3, 0: 30.1} {
		c := Config{Members: 1_000_000, Rate: 0.01, Tail: Zipf(skew), Turnovers: 1}
		if s, err := c.Shape(); err != nil || math.Abs(64e-6*float64(s.Words())-want) > 0.05 {
			t.Errorf("skew %g, with turnovers: %v, want %g bits per key (%v)", skew, s, want, err)
		}
	}
}
