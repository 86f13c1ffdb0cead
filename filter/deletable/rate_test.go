package deletable

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// The rates of docs/theory.md, and how far below them the textbook formula is (the letter's
// equation 2), which uses the mean load for every block.
func TestTheTableOfTheDocumentation(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct {
		bitsPerKey float64
		rate       string  // %
		deletable  float64 // %
		textbook   float64 // at most, as a part of the rate
	}{
		{8, "4.48", 34.1, 0.91}, {10, "1.81", 58.6, 1}, {12, "0.81", 75.9, 1},
		{16, "0.21", 92.2, 0.71}, {20, "0.068", 97.2, 1}, {24, "0.027", 98.9, 0.56},
	} {
		size, err := (&Config{Members: members, BitsPerKey: test.bitsPerKey}).Shape()
		if err != nil {
			t.Fatal(err)
		}
		rate, digits := size.Rate(members), len(test.rate)-len("0.")
		if got := fmt.Sprintf("%.*f", digits, 100*rate); got != test.rate {
			t.Errorf("%g bits per key: %s %% false positives, want %s %%", test.bitsPerKey,
				got, test.rate)
		}
		p := predict(t, planning.Table{Blocks: size.Blocks, Members: members})
		if got := 100 * p.Deletability; math.Abs(got-test.deletable) > 0.1 {
			t.Errorf("%g bits per key: %.2f %% deletable, want %.1f %%", test.bitsPerKey, got,
				test.deletable)
		}
		dataBits := float64(size.Blocks) * 7 * 64
		textbook := math.Pow(-math.Expm1(7*members*math.Log1p(-1/dataBits)), 7)
		if textbook > test.textbook*rate {
			t.Errorf("%g bits per key: textbook %g, expected %g: ratio above %g",
				test.bitsPerKey, textbook, rate, test.textbook)
		}
	}
	// the package comment
	table := planning.Table{Blocks: 6250, Members: 200_000, Turnovers: 1}
	if growth := predict(t, table).Rate / (Shape{6250}).Rate(200_000); growth < 10 || growth > 12 {
		t.Errorf("the rate grows by a factor of %g in a turnover, want about 11", growth)
	}
}

func predict(t *testing.T, table planning.Table) planning.Prediction {
	t.Helper()
	table.BlockBits = blockBits
	p, err := table.Predict()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Cases with a closed form, or with a result from another way of summing.
func TestExpectedRateExactly(t *testing.T) {
	one := math.Pow(1.0/64, 7) // a non-member in a block of one key
	two := math.Pow(1-63.0/64*63/64, 7)
	for _, test := range []struct {
		inserts, nblocks int
		want             float64
	}{
		{0, 1, 0},
		{0, 1000, 0},
		{1, 1, one},
		{2, 1, two},
		{1, 4, one / 4},
		{2, 2, two/4 + one/2}, // both keys in the non-member's block, or one of them
		{1, 1 << 30, one / (1 << 30)},
		{1_000_000, 1, 1},
		{math.MaxInt, 7, 1},
		{10_000_000, 1000, 1}, // the last load that is summed
		{1000, 37, naiveRate(t, 1000, 37)},
		{100_000, 3700, naiveRate(t, 100_000, 3700)},
		{100_000, 1_000_000, naiveRate(t, 100_000, 1_000_000)},
	} {
		got := Shape{test.nblocks}.Rate(test.inserts)
		if math.Abs(got-test.want) > 1e-9*test.want {
			t.Errorf("%d inserts, %d blocks: %g, want %g", test.inserts, test.nblocks,
				got, test.want)
		}
	}
}

// naiveRate returns the expected rate by its definition, term by term.
func naiveRate(t *testing.T, inserts, nblocks int) (rate float64) {
	t.Helper()
	lgamma := func(x int) float64 { y, _ := math.Lgamma(float64(x + 1)); return y }
	p, total := 1/float64(nblocks), 0.0
	for load := range inserts + 1 {
		weight := math.Exp(lgamma(inserts) - lgamma(load) - lgamma(inserts-load) +
			float64(load)*math.Log(p) + float64(inserts-load)*math.Log1p(-p))
		total += weight
		rate += weight * math.Pow(1-math.Pow(63.0/64, float64(load)), 7)
	}
	if math.Abs(total-1) > 1e-9 {
		t.Fatalf("the probabilities add up to %v", total)
	}
	return rate
}

func TestExpectedRateFallsWithSizeAndGrowsWithInserts(t *testing.T) {
	for inserts := 1; inserts <= 1_000_000; inserts *= 10 {
		for nblocks := 1; nblocks < 1<<20; nblocks = nblocks*3/2 + 1 {
			rate := Shape{nblocks}.Rate(inserts)
			if more := (Shape{nblocks + 1}).Rate(inserts); !(more < rate) && rate < 1-1e-9 {
				t.Errorf("%d inserts: %g in %d blocks, %g in one more", inserts, rate,
					nblocks, more)
			}
			if more := (Shape{nblocks}).Rate(inserts + 1); !(more > rate) && rate < 1-1e-9 {
				t.Errorf("%d blocks: %g after %d inserts, %g after one more", nblocks, rate,
					inserts, more)
			}
		}
	}
}

func TestRatePanics(t *testing.T) {
	for _, test := range []struct {
		inserts, nblocks int
		want             string
	}{
		{-1, 5, "deletable: the rate of -1 inserts into 5 blocks"},
		{5, 0, "deletable: the rate of 5 inserts into 0 blocks"},
	} {
		func() {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("panic %v, want %q", got, test.want)
				}
			}()
			Shape{test.nblocks}.Rate(test.inserts)
		}()
	}
}

// For a rate New makes the smallest filter that keeps it, from one block up to the largest table.
func TestBlocksOfARate(t *testing.T) {
	for _, members := range []int{1, 2, 10, 1000, 1_000_000, 100_000_000} {
		for _, rate := range []float64{0.999, 0.5, 0.1, 0.01, 1e-3, 1e-5, 1e-7, 1e-9, 1e-12} {
			rate = max(rate, filter.MinRate(members))
			size, err := (&Config{Members: members, Rate: rate}).Shape()
			if best := (Shape{MaxBlocks}).Rate(members); best > rate {
				var e *filter.SizingError
				if !errors.As(err, &e) || e.Field != "Rate" {
					t.Errorf("%d members, rate %g: error %v, want a *filter.SizingError of Rate",
						members, rate, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%d members, rate %g: %v", members, rate, err)
				continue
			}
			if got := size.Rate(members); got > rate {
				t.Errorf("%d members, rate %g: %v give %g", members, rate, size, got)
			}
			if size.Blocks > 1 && (Shape{size.Blocks - 1}).Rate(members) <= rate {
				t.Errorf("%d members, rate %g: %v, and one less would do", members, rate, size)
			}
		}
	}
}
