package expected

import "math/bits"

// RateOf returns the false-positive rate that the bits of a table have, exactly: the mean over its
// blocks, of a collision lane and seven data lanes of 64 bits, of the probability that a non-member
// of the block is present. That is the product of the data lanes' fills, because a key owns one
// random bit in each. It is 0 for a table of no blocks.
func RateOf[Block ~[8]uint64](table []Block) float64 {
	const patterns = 1 << (6 * 7) // of the 64 positions in each of 7 lanes
	present := 0.0
	for i := range table {
		block := [8]uint64(table[i])
		product := 1.0 // exact: at most 2^42
		for _, lane := range block[1:] {
			product *= float64(bits.OnesCount64(lane))
		}
		present += product
	}
	return present / patterns / float64(max(1, len(table)))
}
