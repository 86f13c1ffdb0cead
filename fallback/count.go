package fallback

import "math/bits"

// Count returns the number of data bits that are set and the number of regions that are collided.
func Count[T Lane](table [][Lanes]T) (ones, collided int) {
	for i := range table {
		block := &table[i]
		collided += bits.OnesCount64(uint64(block[0]))
		for _, lane := range block[CollisionLanes:] {
			ones += bits.OnesCount64(uint64(lane))
		}
	}
	return ones, collided
}
