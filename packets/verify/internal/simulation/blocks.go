package simulation

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/fallback"
)

// fills returns the product of the fills of a block's data lanes: the probability that a random key
// of the block is present.
func fills[B ~[fallback.Lanes]T, T fallback.Lane](block *B) float64 {
	product := 1.0
	for _, lane := range (*block)[fallback.CollisionLanes:] {
		product *= float64(bits.OnesCount64(uint64(lane))) / float64(fallback.LaneBits[T]())
	}
	return product
}

// clears reports whether the delete of a member would clear a bit: one in a region without
// collision.
func clears[B ~[fallback.Lanes]T, T fallback.Lane](block, mask *B) bool {
	for _, lane := range (*mask)[fallback.CollisionLanes:] {
		if lane&^(*block)[0] != 0 {
			return true
		}
	}
	return false
}
