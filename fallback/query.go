package fallback

import "math/bits"

// QueryMask reports whether every bit of mask is set in block, the collision lane included. An
// empty mask is present.
func QueryMask[T Lane](block, mask *[Lanes]T) bool {
	var missing T
	for lane := range block {
		missing |= mask[lane] &^ block[lane]
	}
	return missing == 0
}

// Query reports whether the hash h is present: QueryMask of its block and its mask. It has no
// branch, because answers may be random. In the L1 a query that returns early after three lanes
// takes 0.86 times as long if the branch is predicted, and 2.1 times if it is not. The positions
// are shifted out at the bottom of g one after another, one instruction less per lane than
// Position.
func Query[T Lane](table [][Lanes]T, h uint64) bool {
	block, g := &table[Index(h, uint64(len(table)))], Spread(h)
	if Race {
		loaded := LoadBlock(block)
		block = &loaded
	}
	b, position := int(PositionBits[T]()), uint64(LaneBits[T]()-1)
	g = bits.RotateLeft64(g, b)
	all := block[1] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[2] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[3] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[4] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[5] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[6] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[7] >> (g & position)
	return all&1 != 0
}

// QueryBatch queries the hashes one after another. Bit i of present[i/64] says whether hashes[i] is
// present; the unused bits of the last word are zero. It returns the number present; present may be
// nil where only that is wanted. Answers are put together without a branch too: with a branch, a
// batch in which half of the keys are present takes twice as long.
func QueryBatch[T Lane](table [][Lanes]T, hashes, present []uint64) int {
	count := 0
	for word := 0; len(hashes) > 0; word++ {
		group := hashes[:min(len(hashes), wordBits)]
		hashes = hashes[len(group):]
		fetch(table, group)
		var found uint64
		for i, h := range group {
			var present uint64
			if Query(table, h) {
				present = 1
			}
			found |= present << (i & 63)
		}
		count += bits.OnesCount64(found)
		if present != nil {
			present[word] = found
		}
	}
	return count
}
