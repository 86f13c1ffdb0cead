package kernel

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/internal/expected"
)

// Estimate is how many different keys are in a table, or in both of two, from the bits alone. The
// number is between Low and High with 95 %. With 16 bits per key the standard error of n keys is
// 0.22 times the square root of n: docs/theory/counting.md has the formulas. If every bit is set,
// High is infinite.
type Estimate struct{ Members, Low, High float64 }

var splitShape = expected.Lanes{Count: 8, Bits: 32}

// Estimate estimates how many different keys were inserted. It reads the whole table.
func (t SplitBlockTable) Estimate() Estimate {
	return Estimate(splitShape.Block().Estimate(256*len(t)-t.Count(), len(t)))
}

// EstimateCommon estimates how many keys were inserted into both tables. It panics if the lengths
// differ.
func (t SplitBlockTable) EstimateCommon(u SplitBlockTable) Estimate {
	requireEqual("EstimateCommon", len(t), len(u))
	merged := 256 * len(t)
	for i := range t {
		for lane := range t[i] {
			merged -= bits.OnesCount32(t[i][lane] | u[i][lane])
		}
	}
	return Estimate(splitShape.Block().Common(256*len(t)-t.Count(), 256*len(u)-u.Count(), merged,
		len(t)))
}

// FoldTo returns the fold of t into the fewest blocks in which the keys of its Estimate have an
// expected false-positive rate of at most rate, and whether there is such a fold. If t has more
// keys than that, the fold is a copy. So a writer that does not know how many different values come
// begins with a large table, of a number of blocks of [Foldable].
func (t SplitBlockTable) FoldTo(rate float64) (folded SplitBlockTable, is bool) {
	keys := int(t.Estimate().Members + 0.5)
	nblocks, is := expected.SmallestPart(len(t), func(part int) bool {
		return expected.Rate(keys, part, splitShape) <= rate
	})
	folded = NewSplitBlockTable(nblocks)
	folded.Fold(t)
	return folded, is
}

// Foldable returns the number of blocks, from nblocks to an eighth more, that a table folds into the
// most numbers of: it has the most divisors of the numbers without a prime factor above 13. From
// 30,000 blocks on, a fold into the fewest blocks that are needed has at most a fifth more than
// that, if they are at most a fifth of the table, and a twentieth more in the mean, if they are at
// most a 32nd. It panics if nblocks is below 1.
func Foldable(nblocks int) int {
	requireSize(nblocks, 64)
	most, best, divisors := nblocks+nblocks/8, nblocks, 0
	var try func(n, count int, primes []int)
	try = func(n, count int, primes []int) {
		if len(primes) == 0 {
			if n >= nblocks && (count > divisors || count == divisors && n < best) {
				best, divisors = n, count
			}
			return
		}
		for power := 1; n <= most; power++ {
			try(n, count*power, primes[1:])
			n *= primes[0]
		}
	}
	try(1, 1, []int{13, 11, 7, 5, 3, 2})
	return best
}
