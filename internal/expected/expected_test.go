package expected

import (
	"math"
	"math/bits"
	"testing"
)

var (
	block512 = Lanes{Count: 7, Bits: 64}
	block256 = Lanes{Count: 7, Bits: 32}
)

// The tables of docs/theory.md, in percent.
func TestTheTablesOfTheDocumentation(t *testing.T) {
	const keys = 1_000_000
	for _, test := range []struct {
		shape           Lanes
		blockBits, bits int
		rate            float64
	}{
		{block512, 512, 8, 4.48}, {block512, 512, 10, 1.81}, {block512, 512, 12, 0.81},
		{block512, 512, 16, 0.21}, {block512, 512, 20, 0.068}, {block512, 512, 24, 0.027},
		{block256, 256, 12, 0.98}, {block256, 256, 16, 0.28}, {block256, 256, 20, 0.100},
	} {
		nblocks := keys * test.bits / test.blockBits
		if got := 100 * Rate(keys, nblocks, test.shape); math.Abs(got-test.rate) > 0.02*test.rate {
			t.Errorf("%v at %d bits per key: rate %.4f %%, want %v %%", test.shape, test.bits,
				got, test.rate)
		}
	}
}

// The formulas give what counting every case gives, in a block that is small enough for that.
func TestEveryCase(t *testing.T) {
	for _, shape := range []Lanes{{1, 2}, {1, 5}, {2, 2}, {2, 3}, {3, 3}} {
		for keys := range 4 {
			want := count(shape, keys)
			if got := Rate(keys, 1, shape); math.Abs(got-want[0]) > 1e-12 {
				t.Errorf("%v, %d keys: rate %v, want %v", shape, keys, got, want[0])
			}
			rate, square, cube := shape.powers(float64(keys))
			for i, got := range []float64{rate, square, cube} {
				if math.Abs(got-want[i]) > 1e-12 {
					t.Errorf("%v, %d keys: the power %d of the rate is %v, want %v", shape, keys,
						i+1, got, want[i])
				}
			}
			// The spread of a single block, whose load is known, has its central moments.
			s, mean := RateSpread(keys, 1, shape), want[0]
			if v := want[1] - mean*mean; math.Abs(s.Variance-v) > 1e-12 {
				t.Errorf("%v, %d keys: variance %v, want %v", shape, keys, s.Variance, v)
			}
			if third := want[2] - 3*mean*want[1] +
				2*mean*mean*mean; math.Abs(s.Third-max(0, third)) > 1e-12 {
				t.Errorf("%v, %d keys: third moment %v, want %v", shape, keys, s.Third, third)
			}
		}
	}
}

// count goes through all positions that the keys of a block can have, and returns the means of the
// powers of the block's rate.
func count(shape Lanes, keys int) (powers [3]float64) {
	digits := keys * shape.Count
	cases := int(math.Pow(float64(shape.Bits), float64(digits)))
	for c := range cases {
		set := make([]int, shape.Count) // a bit for each position
		for digit, rest := 0, c; digit < digits; digit++ {
			set[digit%shape.Count] |= 1 << (rest % shape.Bits)
			rest /= shape.Bits
		}
		rate := 1.0
		for _, lane := range set {
			rate *= float64(bits.OnesCount(uint(lane))) / float64(shape.Bits)
		}
		for i := range powers {
			powers[i] += math.Pow(rate, float64(i+1)) / float64(cases)
		}
	}
	return powers
}

func TestMean(t *testing.T) {
	const keys, nblocks = 1_000_000, 50_000
	// A quantity whose binomial mean has a closed form.
	got := Mean(keys, nblocks, func(load int) float64 { return math.Pow(0.5, float64(load)) })
	if want := math.Pow(1-0.5/nblocks, keys); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("the mean of 2^-load is %v, want %v", got, want)
	}
	// Every load counts: the mean of the load is known.
	for n := 1; n < 8; n++ {
		for blocks := 1; blocks < 8; blocks++ {
			got := Mean(n, blocks, func(load int) float64 { return float64(load) / float64(n) })
			if want := 1 / float64(blocks); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d keys in %d blocks: the mean load is %v of them, want %v", n,
					blocks, got, want)
			}
		}
	}
	if got := Mean(0, nblocks, func(load int) float64 { return float64(1 - load) }); got != 1 {
		t.Errorf("the mean with no keys is %v, want 1", got)
	}
}

func TestPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"no blocks":       func() { Rate(1, 0, block512) },
		"fewer than none": func() { Rate(-1, 1, block512) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
