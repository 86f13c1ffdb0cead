package expected

import (
	"math"
	"slices"
	"testing"
)

var (
	block512 = Lanes{Count: 7, Bits: 64}
	block256 = Lanes{Count: 7, Bits: 32}
)

// The tables in the documentation of package kernel, in percent.
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
			t.Errorf("%v at %d bits a key: rate %.4f %%, want %v %%", test.shape, test.bits, got, test.rate)
		}
	}
}

// The formulas give what counting every case gives, in a block that is small enough for that.
func TestEveryCase(t *testing.T) {
	for _, shape := range []Lanes{{1, 2}, {1, 5}, {2, 2}, {2, 3}, {3, 3}} {
		for keys := 1; keys <= 3; keys++ {
			rate := count(shape, keys)
			if got := Rate(keys, 1, shape); math.Abs(got-rate) > 1e-12 {
				t.Errorf("%v, %d keys: rate %v, want %v", shape, keys, got, rate)
			}
		}
	}
}

// count goes through all positions that the keys of a block can have: by symmetry a stranger that has
// position 0 in every lane stands for all.
func count(shape Lanes, keys int) (rate float64) {
	digits := keys * shape.Count
	cases := int(math.Pow(float64(shape.Bits), float64(digits)))
	for c := range cases {
		set := make([]bool, shape.Count) // whether bit 0 is
		for digit, rest := 0, c; digit < digits; digit++ {
			if rest%shape.Bits == 0 {
				set[digit%shape.Count] = true
			}
			rest /= shape.Bits
		}
		if !slices.Contains(set, false) {
			rate += 1 / float64(cases)
		}
	}
	return rate
}

func TestMean(t *testing.T) {
	const keys, nblocks = 1_000_000, 50_000
	// A quantity whose binomial mean has a closed form.
	got := Mean(keys, nblocks, func(load int) float64 { return math.Pow(0.5, float64(load)) })
	if want := math.Pow(1-0.5/nblocks, keys); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("the mean of 2^-load is %v, want %v", got, want)
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
