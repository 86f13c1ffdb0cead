package fallback

import "math/bits"

// selectWords is the number of words of answers that a selection makes at a time.
const selectWords = 16

// SelectBatch queries the hashes and returns how many are present. positions[:selected] becomes the
// i for which hashes[i] is, ascending. There is an element for each hash, and the others may be
// written too.
func SelectBatch[T Lane](table [][Lanes]T, hashes []uint64, positions []uint32) (selected int) {
	for start := 0; start < len(hashes); start += selectWords * wordBits {
		var present [selectWords]uint64
		QueryBatch(table, hashes[start:min(start+selectWords*wordBits, len(hashes))], present[:])
		selected += positionsOf(&present, start, positions[selected:])
	}
	return selected
}

// SelectBatchSplit is SelectBatch for split blocks.
func SelectBatchSplit(table [][Lanes]uint32, hashes []uint64, positions []uint32) (selected int) {
	for start := 0; start < len(hashes); start += selectWords * wordBits {
		var present [selectWords]uint64
		QueryBatchSplit(table, hashes[start:min(start+selectWords*wordBits, len(hashes))],
			present[:])
		selected += positionsOf(&present, start, positions[selected:])
	}
	return selected
}

// positionsOf writes the positions of answers, of which the first has the position start, and
// returns how many these are.
func positionsOf(present *[selectWords]uint64, start int, positions []uint32) (n int) {
	for _, found := range present {
		for ; found != 0; found &= found - 1 {
			positions[n] = uint32(start + bits.TrailingZeros64(found))
			n++
		}
		start += wordBits
	}
	return n
}
