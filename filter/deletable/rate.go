package deletable

import (
	"fmt"
	"sort"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	laneBits  = 64         // W of a Block512
	dataLanes = fallback.K // the lanes that hold data, and the bits that a key owns
)

// ExpectedRate returns the expected false-positive rate of a filter of nblocks blocks after a
// number of inserts of different keys, and no deletes. It panics where an argument is below 1 or
// inserts is below 0.
//
// A key of the filter lives in one block, so what matters is the load of a stranger's block, the
// number of keys in it: P(L) is binomial. Given L, a lane's bit is clear with probability
// (1-1/W)^L, W = 64, because each of the L keys set one bit of the lane at random; and the seven
// lanes are independent given L, because a key's seven positions are. So the rate is
//
//	sum over L of P(L) * (1 - (1-1/W)^L)^7
//
// The textbook formula for one big bit array, equation 2 of the letter, puts in the mean load for
// every block. The seventh power makes crowded blocks cost more than empty ones save, so it is too
// low: by a tenth at 8 bits a key, by a third at 16, and by nearly a half at 24.
func ExpectedRate(inserts, nblocks int) float64 {
	if inserts < 0 || nblocks < 1 {
		panic(fmt.Sprintf("deletable: the expected rate of %d inserts into %d blocks", inserts, nblocks))
	}
	const saturated = 10_000 // a mean load at which a stranger's chance to be absent is below 1e-60
	if inserts/nblocks > saturated {
		return 1
	}
	return expected.Rate(inserts, nblocks, expected.Lanes{Count: dataLanes, Bits: laneBits})
}

// blocksForRate returns the smallest number of blocks whose expected rate is at most rate.
func blocksForRate(members int, rate float64) (int, error) {
	if !(rate > 0 && rate < 1) { // so written, NaN fails it too
		return 0, &ConfigError{"Rate", rate, "a number above 0 and below 1"}
	}
	if best := ExpectedRate(members, MaxBlocks); best > rate {
		return 0, &ConfigError{"Rate", rate,
			fmt.Sprintf("at least %.3g: the best for %d members in %d blocks", best, members, MaxBlocks)}
	}
	// The expected rate falls with every block more.
	smaller := sort.Search(MaxBlocks-1, func(i int) bool { return ExpectedRate(members, i+1) <= rate })
	return smaller + 1, nil
}
