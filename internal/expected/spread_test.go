package expected

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Of many tables that were filled with random keys the mean rate is that of the theory, and one of
// 100 has a rate above that of Below99: not many more, and not many less.
func TestSpreadOfFilledTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct{ keys, bitsPerKey, tables, trials int }{
		{100, 8, 1, 10_000}, {100, 16, 1, 10_000}, {100, 32, 1, 10_000}, {100, 64, 1, 10_000},
		{100, 16, 4, 5000},
		{1000, 8, 1, 5000}, {1000, 16, 1, 5000}, {1000, 64, 1, 5000}, {1000, 24, 4, 2000},
		{10_000, 8, 1, 2000}, {10_000, 32, 1, 1000},
	} {
		if testing.Short() {
			test.trials /= 5
		}
		nblocks := max(1, test.keys*test.bitsPerKey/512)
		s := RateSpread(test.keys, nblocks, block512).Times(test.tables)
		most := s.Below99()
		table := make([][8]uint64, nblocks)
		sum, above := 0.0, 0
		for range test.trials {
			rate := 0.0
			for range test.tables {
				clear(table)
				for range test.keys {
					block, positions := &table[rng.IntN(nblocks)], rng.Uint64()
					for lane := 1; lane < 8; lane++ {
						block[lane] |= 1 << (positions & 63)
						positions >>= 6
					}
				}
				rate += RateOf(table)
			}
			sum += rate
			if rate > most {
				above++
			}
		}
		// The seed is fixed: these are what other seeds give as well, with four standard
		// deviations.
		n := float64(test.trials)
		mean, share := sum/n, float64(above)/n
		if deviation := math.Sqrt(s.Variance / n); math.Abs(mean-s.Mean) > 4*deviation {
			t.Errorf("%+v: a mean rate of %g, want %g ± %g", test, mean, s.Mean, deviation)
		}
		if least, most := 0.007-1/math.Sqrt(100*n)/2, 0.015+1/math.Sqrt(100*n); share < least ||
			share > most {
			t.Errorf("%+v: %.2f %% of the rates are above %g, want about 1 %%", test,
				100*share, most)
		}
	}
}

// The spread's mean is the rate, and tables of equal bits per key differ the less the larger they
// are.
func TestRateSpread(t *testing.T) {
	last := math.Inf(1)
	for _, keys := range []int{32, 320, 3200, 32_000, 3_200_000} {
		s := RateSpread(keys, keys/32, block512)
		if rate := Rate(keys, keys/32, block512); math.Abs(s.Mean/rate-1) > 1e-12 {
			t.Errorf("%d keys: mean %g, want %g", keys, s.Mean, rate)
		}
		ratio := s.Below99() / s.Mean
		if !(ratio > 1 && ratio < last) {
			t.Errorf("%d keys: 99 of 100 are below %g of the mean, and below %g with fewer keys",
				keys, ratio, last)
		}
		last = ratio
	}
	if last > 1.005 {
		t.Errorf("3.2 million keys: 99 of 100 are below %g of the mean", last)
	}
	for _, s := range []Spread{RateSpread(0, 3, block512), RateSpread(math.MaxInt, 2, block512)} {
		if s.Variance != 0 || s.Below99() != s.Mean {
			t.Errorf("%+v: below %g, want no spread", s, s.Below99())
		}
	}
}

// The spread of several tables is that of independent variables.
func TestTimes(t *testing.T) {
	if got, want := (Spread{1, 2, 3}).Times(4), (Spread{4, 8, 12}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// The moments of a lognormal variable give back its quantile.
func TestBelow99(t *testing.T) {
	for _, sigma := range []float64{0.01, 0.1, 0.5, 1, 1.5} {
		q := math.Exp(sigma * sigma)
		mean := math.Sqrt(q)
		variance := q * (q - 1)
		s := Spread{mean, variance, (q + 2) * math.Sqrt(q-1) * math.Pow(variance, 1.5)}
		if got, want := s.Below99(),
			math.Exp(2.3263478740408408*sigma); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("sigma %g: %g, want %g", sigma, got, want)
		}
	}
	if got := (Spread{1, 4, 0}).Below99(); math.Abs(got-5.6527) > 1e-4 {
		t.Errorf("without skewness: %g, want that of a normal variable", got)
	}
}

// A mean over any number of keys takes some thousand terms at most, also of a quantity that is 0,
// and is right: here of a step so smooth that the mean load decides it.
func TestMeanOfManyKeys(t *testing.T) {
	for _, keys := range []int{1, 1000, 1 << 20, math.MaxInt32, math.MaxInt} {
		for _, nblocks := range []int{1, 2, 3, 1000, 1 << 20, 1 << 30} {
			for _, height := range []float64{0, 1} {
				terms := 0
				mean := float64(keys) / float64(nblocks)
				got := Mean(keys, nblocks, func(load int) float64 {
					terms++
					return height * float64(load) / (float64(load) + mean)
				})
				if terms > 10_000 || !(got >= 0 && got <= 1) || mean > 1e5 &&
					math.Abs(got-height/2) > 1e-4 {
					t.Errorf("%d keys in %d blocks: %g, of %d terms", keys, nblocks, got, terms)
				}
			}
		}
	}
	// Just before and just after loads are taken in steps, a quantity that is not linear has the
	// same mean.
	const nblocks = 1000
	previous := 0.0
	for load := 16_000; load < 80_000; load *= 2 { // a deviation of 126, and of 253
		n := float64(load)
		got := Mean(load*nblocks, nblocks, func(l int) float64 {
			return math.Exp(-(float64(l) - n) * (float64(l) - n) / n)
		})
		if want := 1 / math.Sqrt(3); math.Abs(got-want) > 5e-4 || previous != 0 &&
			math.Abs(got-previous) > 2e-5 {
			t.Errorf("a load of %d: %g, want %g", load, got, want)
		}
		previous = got
	}
}
