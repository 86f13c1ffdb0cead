package fallback

import "math/bits"

// InsertMask sets the bits of mask in block and reports whether it was present before. Every data
// bit that was set already marks its region, the bit's column, in the collision lane. The mask's
// own collision lane is OR-ed in.
func InsertMask[T Lane](block, mask *[Lanes]T) bool {
	present := QueryMask(block, mask)
	collided := mask[0]
	for lane := CollisionLanes; lane < Lanes; lane++ {
		collided |= block[lane] & mask[lane]
		block[lane] |= mask[lane]
	}
	block[0] |= collided
	return present
}

// Insert inserts the hash h and reports whether it was present before: InsertMask of its block and
// its mask. A key that is present already is inserted too, because its collisions have to be
// marked: it may be a false positive, whose bits belong to other keys.
func Insert[T Lane](table [][Lanes]T, h uint64) bool {
	return insert(&table[Index(h, uint64(len(table)))], Spread(h))
}

// insert is InsertMask of the mask of a spread hash.
func insert[T Lane](block *[Lanes]T, g uint64) bool {
	m1, m2, m3, m4 := own[T](g, 1), own[T](g, 2), own[T](g, 3), own[T](g, 4)
	m5, m6, m7 := own[T](g, 5), own[T](g, 6), own[T](g, 7)
	c1, c2, c3, c4 := block[1]&m1, block[2]&m2, block[3]&m3, block[4]&m4
	c5, c6, c7 := block[5]&m5, block[6]&m6, block[7]&m7
	block[0] |= c1 | c2 | c3 | c4 | c5 | c6 | c7
	block[1] |= m1
	block[2] |= m2
	block[3] |= m3
	block[4] |= m4
	block[5] |= m5
	block[6] |= m6
	block[7] |= m7
	missing := (c1 ^ m1) | (c2 ^ m2) | (c3 ^ m3) | (c4 ^ m4) | (c5 ^ m5) | (c6 ^ m6) | (c7 ^ m7)
	return missing == 0
}

// InsertBatch inserts the hashes one after another. Bit i of present[i/64] says whether hashes[i]
// was present just before its own insert, with present and the result as in QueryBatch.
func InsertBatch[T Lane](table [][Lanes]T, hashes, present []uint64) int {
	count := 0
	for word := 0; len(hashes) > 0; word++ {
		group := hashes[:min(len(hashes), wordBits)]
		hashes = hashes[len(group):]
		fetch(table, group)
		var found uint64
		for i, h := range group {
			var present uint64
			if Insert(table, h) {
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

// InsertPart inserts the hashes into a part of a table of nblocks blocks: part[0] is block first of
// it, and the blocks of all the hashes are in the part.
func InsertPart[T Lane](part [][Lanes]T, first, nblocks int, hashes []uint64) {
	for _, h := range hashes {
		insert(&part[Index(h, uint64(nblocks))-uint64(first)], Spread(h))
	}
}
