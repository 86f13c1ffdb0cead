package kernel

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The bits of split blocks say how many different hashes were inserted, and how many into both of
// two tables. internal/expected has the tests of the intervals.
func TestEstimateSplitBlocks(t *testing.T) {
	rng := seeded[uint32](50)
	hashes := workload.Hashes(rng, 30_000)
	a, b := NewSplitBlockTable(2000), NewSplitBlockTable(2000)
	for range 2 {
		a.AddBatch(hashes[:20_000])
		b.AddBatch(hashes[15_000:])
	}
	for _, test := range []struct {
		got  Estimate
		want float64
	}{{a.Estimate(), 20_000}, {a.EstimateCommon(b), 5000}, {b.EstimateCommon(a), 5000},
		{NewSplitBlockTable(5).Estimate(), 0}} {
		if off := math.Abs(test.got.Members - test.want); test.got.Low > test.got.Members ||
			off > 3*(test.got.High-test.got.Members) || off > 0.05*test.want {
			t.Errorf("%+v, want %g", test.got, test.want)
		}
	}
	panics(t, "kernel: EstimateCommon: a table of 2000 blocks and one of 1999",
		func() { a.EstimateCommon(b[1:]) })
}

// FoldTo finds the smallest fold with the rate: that of the same inserts, of a number of blocks that
// is at most a fifth more than are needed.
func TestFoldToSplitBlocks(t *testing.T) {
	rng := seeded[uint32](51)
	whole := NewSplitBlockTable(Foldable(30_000))
	for _, keys := range []int{0, 1, 100, 5000, 20_000} {
		hashes := workload.Hashes(rng, keys)
		whole.Reset()
		whole.AddBatch(hashes)
		got, is := whole.FoldTo(0.01)
		want := NewSplitBlockTable(len(got))
		want.AddBatch(hashes)
		needed, _ := expected.Smallest(1, len(whole), 0.01,
			func(n int) float64 { return expected.Rate(keys, n, splitShape) })
		if !is || !slices.Equal(got, want) || len(got) > needed*6/5+1 || len(got) < needed*9/10 {
			t.Errorf("%d keys: %d blocks (%v), needed are %d", keys, len(got), is, needed)
		}
	}
	whole.AddBatch(workload.Hashes(rng, 1_000_000))
	if got, is := whole.FoldTo(0.01); is || !slices.Equal(got, whole) {
		t.Errorf("a table that is too small: %d blocks, %v", len(got), is)
	}
}

// A table of Foldable blocks folds into sizes that are as near to each other as its comment says.
func TestFoldable(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 100, 1000, 5000} {
		if got := Foldable(n); got < n || got > n+n/8 {
			t.Errorf("%d blocks for %d", got, n)
		}
	}
	for _, n := range []int{30_000, 77_777, 123_456, 1_000_000, 9_999_999} {
		got := Foldable(n)
		if got < n || got > n+n/8 {
			t.Errorf("%d blocks for %d", got, n)
		}
		last, mean, span := 5.0, 0.0, 0.0
		for m := 6; m <= got/100; m++ {
			if got%m != 0 {
				continue
			}
			more := float64(m) / last // of what is needed, at most
			if more > 1.2+1e-9 && last >= 5 && last < 32 {
				t.Errorf("%d blocks: none between a part of %g and of %d", got, last, m)
			}
			if last >= 32 { // needs are spread evenly over their logarithm
				mean += (more - 1) / 2 * math.Log(more)
				span += math.Log(more)
			}
			last = float64(m)
		}
		if mean /= span; mean > 0.05 {
			t.Errorf("%d blocks: %.1f %% more than needed in the mean", got, 100*mean)
		}
	}
	panics(t, "the number must be 1 to", func() { Foldable(0) })
}
