package fallback

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Interval is the exact inverse of Index: at its ends, and beyond them, in small tables and huge
// ones.
func TestInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 0))
	check := func(first, end, nblocks uint64) {
		t.Helper()
		low, high := Interval(first, end, nblocks)
		if low > high || Index(low, nblocks) != first || Index(high, nblocks) != end-1 {
			t.Fatalf("blocks %d to %d of %d: hashes from %#x, of block %d, to %#x, of block %d",
				first, end, nblocks, low, Index(low, nblocks), high, Index(high, nblocks))
		}
		if (low == 0) != (first == 0) || (high == math.MaxUint64) != (end == nblocks) {
			t.Fatalf("blocks %d to %d of %d: hashes from %#x to %#x", first, end,
				nblocks, low, high)
		}
		if low > 0 && Index(low-1, nblocks) != first-1 || high < math.MaxUint64 &&
			Index(high+1, nblocks) != end {
			t.Fatalf("blocks %d to %d of %d: a hash beside %#x to %#x is of them", first, end,
				nblocks, low, high)
		}
	}
	for nblocks := uint64(1); nblocks <= 130; nblocks++ {
		for first := range nblocks {
			for end := first + 1; end <= nblocks; end++ {
				check(first, end, nblocks)
			}
		}
	}
	sizes := []uint64{math.MaxInt64, math.MaxUint64}
	for shift := range 64 {
		sizes = append(sizes, 1<<shift-1, 1<<shift, 1<<shift+1, rng.Uint64()>>shift)
	}
	for _, nblocks := range sizes {
		if nblocks == 0 {
			continue
		}
		check(0, nblocks, nblocks)
		check(0, 1, nblocks)
		check(nblocks-1, nblocks, nblocks)
		for range 100 {
			first := rng.Uint64N(nblocks)
			check(first, first+1+rng.Uint64N(nblocks-first), nblocks)
			check(first, first+1, nblocks)
		}
	}
}
