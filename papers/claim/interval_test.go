package claim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// An interval of 95 % holds the true value in about 95 of 100 cases.
func TestCoverage(t *testing.T) {
	const cases = 2000
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(n int, mean, deviation float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = mean + deviation*rng.NormFloat64()
		}
		return values
	}
	for _, test := range []struct {
		name      string
		truth     float64
		interval  func() Interval
		low, high float64 // share of the cases
	}{
		{"mean of 5", 3, func() Interval { return Mean(normal(5, 3, 2)) }, 0.935, 0.965},
		{"mean of 200", 3, func() Interval { return Mean(normal(200, 3, 2)) }, 0.935, 0.965},
		{"difference of pairs", -1, func() Interval {
			x := normal(50, 3, 2)
			y := normal(50, 4, 1)
			for i := range y {
				y[i] += x[i] - 3
			}
			return Difference(x, y)
		}, 0.935, 0.965},
		{"ratio", 0.5, func() Interval {
			x, y := normal(200, 5, 1), normal(200, 0, 1)
			for i := range y {
				y[i] += 2 * x[i]
			}
			return Ratio(x, y)
		}, 0.93, 0.97},
		{"independent", -1,
			func() Interval { return Mean(normal(50, 3, 2)).Less(Mean(normal(50, 4, 1))) }, 0.935,
			0.97},
		{"logarithm", math.Log(3), func() Interval { return Mean(normal(50, 3, 1)).Map(math.Log) },
			0.935, 0.97},
		{"proportion", 0.03, func() Interval {
			hits := 0
			for range 200 {
				if rng.Float64() < 0.03 {
					hits++
				}
			}
			return Proportion(hits, 200)
		}, 0.94, 1},
		{"among", 5.5 / 30, func() Interval { // with more cases where more hit
			hits, all := make([]float64, 200), make([]float64, 200)
			for i := range hits {
				all[i] = float64(10 * (1 + i%2))
				hits[i] = float64(rng.IntN(int(all[i]/2) - 2 + 2*(i%2)))
			}
			return Among(hits, all)
		}, 0.93, 0.97},
	} {
		held := 0.
		for range cases {
			i := test.interval()
			if *i.Low > *i.Measured || *i.Measured > *i.High {
				t.Fatalf("%s: %g is not from %g to %g", test.name, *i.Measured, *i.Low, *i.High)
			}
			if *i.Low <= test.truth && test.truth <= *i.High {
				held += 1. / cases
			}
		}
		if held < test.low || held > test.high {
			t.Errorf("%s: %.3f of the intervals hold the value, want %g to %g", test.name,
				held, test.low, test.high)
		}
	}
	// The rule of three, and its mirror.
	if i := Proportion(0, 1000); *i.Low != 0 || math.Abs(*i.High-0.00368) > 1e-5 {
		t.Errorf("none of 1000: %g to %g", *i.Low, *i.High)
	}
	if i := Proportion(1000, 1000); *i.High != 1 || math.Abs(*i.Low-0.99632) > 1e-5 {
		t.Errorf("all of 1000: %g to %g", *i.Low, *i.High)
	}
}

// Of cases of which none hit, or all, the interval is that of a proportion of all of them.
func TestAmong(t *testing.T) {
	cases := []float64{400, 600}
	for hits, want := range map[float64]Interval{
		0: Proportion(0, 1000), 1: Proportion(1000, 1000),
	} {
		i := Among([]float64{400 * hits, 600 * hits}, cases)
		if *i.Measured != hits || *i.Low != *want.Low || *i.High != *want.High {
			t.Errorf("%g: %g [%g, %g]", hits, *i.Measured, *i.Low, *i.High)
		}
	}
	if i := Among([]float64{0, 3}, cases); *i.Measured != 0.003 || *i.Low != 0 || *i.High < 0.006 {
		t.Errorf("3 of 1000, of one trial: %g [%g, %g]", *i.Measured, *i.Low, *i.High)
	}
}

// Shares stay from 0 to 1, and where all are one of these, the interval is that of a proportion.
func TestMeanShare(t *testing.T) {
	for _, test := range []struct {
		shares    []float64
		low, high float64
	}{
		{make([]float64, 100), 0, *Proportion(0, 100).High},
		{slices.Repeat([]float64{1}, 100), *Proportion(100, 100).Low, 1},
		{[]float64{0, 0, 0.1}, 0, *Mean([]float64{0, 0, 0.1}).High},
		{[]float64{1, 1, 0.9}, *Mean([]float64{1, 1, 0.9}).Low, 1},
	} {
		if i := MeanShare(test.shares); *i.Low != test.low || *i.High != test.high ||
			i.Trials != len(test.shares) {
			t.Errorf("%v: %g to %g of %d, want %g to %g", test.shares, *i.Low, *i.High, i.Trials,
				test.low, test.high)
		}
	}
}
