package expected

import (
	"math"
	"testing"
)

var (
	block512 = Lanes{Count: 7, Bits: 64}
	block256 = Lanes{Count: 7, Bits: 32}
)

// The tables in the documentation of package kernel, in percent: the rates by this formula, and the
// deletable shares as they were counted in tables of a million random keys.
func TestTheTablesOfTheDocumentation(t *testing.T) {
	const keys = 1_000_000
	for _, test := range []struct {
		shape           Lanes
		blockBits, bits int
		rate, deletable float64
	}{
		{block512, 512, 8, 4.48, 34.1}, {block512, 512, 10, 1.81, 58.7}, {block512, 512, 12, 0.81, 76.0},
		{block512, 512, 16, 0.21, 92.2}, {block512, 512, 20, 0.068, 97.3}, {block512, 512, 24, 0.027, 98.9},
		{block256, 256, 12, 0.98, 72.9}, {block256, 256, 16, 0.28, 89.6}, {block256, 256, 20, 0.100, 95.7},
	} {
		nblocks := keys * test.bits / test.blockBits
		if got := 100 * Rate(keys, nblocks, test.shape); math.Abs(got-test.rate) > 0.02*test.rate {
			t.Errorf("%v at %d bits a key: rate %.4f %%, want %v %%", test.shape, test.bits, got, test.rate)
		}
		if got := 100 * Deletable(keys, nblocks, test.shape); math.Abs(got-test.deletable) > 0.15 {
			t.Errorf("%v at %d bits a key: %.3f %% deletable, want %v %%", test.shape, test.bits, got, test.deletable)
		}
	}
}

// The formulas give what counting every case gives, in a block that is small enough for that.
func TestEveryCase(t *testing.T) {
	for _, shape := range []Lanes{{1, 2}, {1, 5}, {2, 2}, {2, 3}, {3, 3}} {
		for keys := 1; keys <= 3; keys++ {
			rate, deletable := count(shape, keys)
			if got := Rate(keys, 1, shape); math.Abs(got-rate) > 1e-12 {
				t.Errorf("%v, %d keys: rate %v, want %v", shape, keys, got, rate)
			}
			if got := Deletable(keys, 1, shape); math.Abs(got-deletable) > 1e-12 {
				t.Errorf("%v, %d keys: %v deletable, want %v", shape, keys, got, deletable)
			}
		}
	}
}

// count goes through all positions that the keys of a block can have: by symmetry a stranger that has
// position 0 in every lane stands for all, and the first key for any.
func count(shape Lanes, keys int) (rate, deletable float64) {
	digits := keys * shape.Count
	cases := int(math.Pow(float64(shape.Bits), float64(digits)))
	for c := range cases {
		set := make([]int, shape.Count*shape.Bits) // how often each bit was set
		var first []int
		for digit, rest := 0, c; digit < digits; digit++ {
			lane := digit % shape.Count
			set[lane*shape.Bits+rest%shape.Bits]++
			if digit < shape.Count {
				first = append(first, rest%shape.Bits)
			}
			rest /= shape.Bits
		}
		present, goes := 1.0, 0.0
		for lane := range shape.Count {
			if set[lane*shape.Bits] == 0 {
				present = 0
			}
			clean := true
			for other := range shape.Count {
				clean = clean && set[other*shape.Bits+first[lane]] <= 1
			}
			if clean {
				goes = 1
			}
		}
		rate += present / float64(cases)
		deletable += goes / float64(cases)
	}
	return rate, deletable
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
		"no blocks":         func() { Rate(1, 0, block512) },
		"fewer than none":   func() { Rate(-1, 1, block512) },
		"no members at all": func() { Deletable(0, 1, block512) },
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
