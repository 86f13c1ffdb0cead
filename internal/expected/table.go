package expected

import "math/bits"

// RateOf returns the exact false-positive rate of the bits of a table, for blocks of a collision
// lane and seven data lanes of 64 bits. A non-member is present in a block with the product of the
// fills of its data lanes, because a key owns one random bit in each, and the rate is the mean over
// the blocks. It is 0 for an empty table.
func RateOf[Block ~[8]uint64](table []Block) float64 {
	const patterns = 1 << (6 * 7) // of the 64 positions in each of 7 lanes
	present := 0.0
	for i := range table {
		block := [8]uint64(table[i])
		product := 1.0 // exact: at most 2^42
		for _, lane := range block[1:] {
			product *= float64(bits.OnesCount64(lane))
		}
		present += float64(product)
	}
	return present / patterns / float64(max(1, len(table)))
}
