package deletable

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// The rates of docs/theory/kernel.md: false positives by the formula, and deletable members by
// simulation.
func TestTheTableOfTheDocumentation(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct {
		bitsPerKey  float64
		rate        string // %
		deletable   float64
		deletableBy float64
	}{
		{8, "4.48", 34.1, 0.2}, {10, "1.81", 58.6, 0.2}, {12, "0.81", 75.9, 0.2},
		{16, "0.21", 92.2, 0.1}, {20, "0.068", 97.2, 0.1}, {24, "0.027", 98.9, 0.1},
	} {
		size, err := (&Config{Members: members, BitsPerKey: test.bitsPerKey}).Shape()
		if err != nil {
			t.Fatal(err)
		}
		digits := len(test.rate) - len("0.")
		if got := fmt.Sprintf("%.*f", digits, 100*size.Rate(members)); got !=
			test.rate {
			t.Errorf("%g bits per key: %s %% false positives, want %s %%", test.bitsPerKey,
				got, test.rate)
		}
		sample := scaled(members)
		f, hashes := filled(t, sample, scaled(size.Blocks))
		got := 100 * float64(f.DeleteHashBatch(hashes, nil)) / float64(sample)
		if math.Abs(got-test.deletable) > test.deletableBy*widened(t) {
			t.Errorf("%g bits per key: %.2f %% deletable, want %.1f %%", test.bitsPerKey, got,
				test.deletable)
		}
	}
}

// scaled returns the size n of a sample, or a tenth of it with -short.
func scaled(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// widened returns the factor by which the bounds of a scaled sample are wider.
func widened(t *testing.T) float64 {
	t.Helper()
	if testing.Short() {
		t.Log("a tenth of the keys")
		return math.Sqrt(10)
	}
	return 1
}

// filled returns a filter of nblocks with random members, and their hashes.
func filled(t *testing.T, members, nblocks int) (*Filter, []uint64) {
	t.Helper()
	f, err := New(Config{Members: members, BitsPerKey: float64(nblocks) * float64(8*BlockBytes) /
		float64(members)})
	if err != nil || f.Shape().Blocks != nblocks {
		t.Fatalf("a filter of %d blocks: %v", nblocks, err)
	}
	rng := rand.New(rand.NewPCG(uint64(members), uint64(nblocks)))
	hashes := make([]uint64, members)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	f.InsertHashBatch(hashes, nil)
	return f, hashes
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

// The textbook formula uses the mean load for every block, so its rate is too low.
func TestTheTextbookFormulaIsTooLow(t *testing.T) {
	for _, test := range []struct{ bitsPerKey, atMost float64 }{{8, 0.91}, {16, 0.71}, {24, 0.56}} {
		const members = 1_000_000
		size, err := (&Config{Members: members, BitsPerKey: test.bitsPerKey}).Shape()
		if err != nil {
			t.Fatal(err)
		}
		dataBits := float64(size.Blocks) * 7 * 64
		// the letter's equation 2
		textbook := math.Pow(-math.Expm1(7*members*math.Log1p(-1/dataBits)), 7)
		expected := size.Rate(members)
		if textbook > test.atMost*expected {
			t.Errorf("%g bits per key: textbook %g, expected %g: ratio above %g",
				test.bitsPerKey, textbook, expected, test.atMost)
		}
		f, _ := filled(t, scaled(members), scaled(size.Blocks))
		measured := f.Stats().Rate
		if math.Abs(measured-expected) > math.Abs(measured-textbook) {
			t.Errorf("%g bits per key: measured %g is nearer to textbook %g than to expected %g",
				test.bitsPerKey, measured, textbook, expected)
		}
	}
}

func TestExpectedRateOfSimulations(t *testing.T) {
	for _, test := range []struct {
		inserts, nblocks int
		within           float64 // relative to the rate, several standard deviations
	}{
		{1_000_000, 15625, 0.02},
		{1_000_000, 31250, 0.03},
		{1_000_000, 46875, 0.06},
		{200_000, 1000, 0.01},
		{100_000, 30_000, 0.25},
	} {
		test.inserts, test.nblocks = scaled(test.inserts), scaled(test.nblocks)
		f, _ := filled(t, test.inserts, test.nblocks)
		expected, got := Shape{test.nblocks}.Rate(test.inserts), f.Stats()
		if math.Abs(got.Rate-expected) > test.within*widened(t)*expected {
			t.Errorf("%d inserts, %d blocks: simulated %g, expected %g", test.inserts, test.nblocks,
				got.Rate, expected)
		}
		if got.PlannedRate != expected {
			t.Errorf("%d inserts, %d blocks: planned %g, expected %g", test.inserts, test.nblocks,
				got.PlannedRate, expected)
		}
	}
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
		mustPanic(t, test.want, func() { Shape{test.nblocks}.Rate(test.inserts) })
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

// After one turnover, at 16 bits per key, the rate is about eleven times that of a fresh filter, as
// the package comment says.
func TestRateAfterOneTurnover(t *testing.T) {
	members := scaled(200_000)
	f, err := New(Config{Members: members, BitsPerKey: 16, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	hashes := make([]uint64, members)
	for i := range hashes {
		hashes[i] = rng.Uint64()
		f.InsertHash(hashes[i])
	}
	fresh := f.Stats()
	for i := range hashes { // the oldest member is deleted, and a new one is inserted
		f.DeleteHash(hashes[i])
		hashes[i] = rng.Uint64()
		f.InsertHash(hashes[i])
	}
	turned := f.Stats()
	if ratio := turned.Rate / fresh.Rate; ratio < 7 || ratio > 14 {
		t.Errorf("the rate grew from %g to %g, by a factor of %g, want about 11", fresh.Rate,
			turned.Rate, ratio)
	}
	if turned.Members != members || turned.Inserts != 2*members {
		t.Errorf("%d members after %d inserts, want %d after %d", turned.Members, turned.Inserts,
			members, 2*members)
	}
	if found := f.QueryHashBatch(hashes, nil); found != members {
		t.Errorf("%d of %d members are found", found, members)
	}
	t.Logf("rate %.3g fresh, %.3g after one turnover: %.1f times", fresh.Rate, turned.Rate,
		turned.Rate/fresh.Rate)
}
