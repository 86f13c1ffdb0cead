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

// Query reports whether the hash h is present: QueryMask of its block and its mask. It leaves after
// three lanes if it can. A stranger seldom gets further, one in 16 at 16 bits a key, so that the branch
// is predicted: 3.7 ns in the L1 for 4.9 without it. Where answers are random it is not, but then
// neither is the branch that the caller takes on them.
func Query[T Lane](table [][Lanes]T, h uint64) bool {
	block, g := &table[Index(h, uint64(len(table)))], Spread(h)
	if bit(block, g, 1)&bit(block, g, 2)&bit(block, g, 3)&1 == 0 {
		return false
	}
	return bit(block, g, 4)&bit(block, g, 5)&bit(block, g, 6)&bit(block, g, 7)&1 != 0
}

// query is Query without a branch, for batches, whose answers may be random and are not branched on.
func query[T Lane](table [][Lanes]T, h uint64) bool {
	block, g := &table[Index(h, uint64(len(table)))], Spread(h)
	return bit(block, g, 1)&bit(block, g, 2)&bit(block, g, 3)&bit(block, g, 4)&
		bit(block, g, 5)&bit(block, g, 6)&bit(block, g, 7)&1 != 0
}

// bit returns, as bit 0 of its result, the bit of the block that g owns in a data lane. The other
// bits of the result are other keys'.
func bit[T Lane](block *[Lanes]T, g uint64, lane uint) T {
	return block[lane] >> Position[T](g, lane)
}

// QueryBatch queries the hashes one after another. Bit i of hits[i/64] says whether hashes[i] is
// present; the unused bits of the last word are zero. It returns the number present; hits may be
// nil where only that is wanted. No branch depends on an answer, because answers may be random: with
// one, a batch that half hits took twice the time.
func QueryBatch[T Lane](table [][Lanes]T, hashes, hits []uint64) int {
	count := 0
	for word := 0; len(hashes) > 0; word++ {
		group := hashes[:min(len(hashes), wordBits)]
		hashes = hashes[len(group):]
		fetch(table, group)
		var found uint64
		for i, h := range group {
			var present uint64
			if query(table, h) {
				present = 1
			}
			found |= present << (i & 63)
		}
		count += bits.OnesCount64(found)
		if hits != nil {
			hits[word] = found
		}
	}
	return count
}
