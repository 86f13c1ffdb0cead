package fallback

// MergeBlock merges the block other into block: the union of their bits and of their collided
// regions, and a collision wherever both have the same data bit. If nothing was deleted from
// either, the result is the block of all inserts one after another.
func MergeBlock[T Lane](block, other *[Lanes]T) {
	collided := block[0] | other[0]
	for lane := CollisionLanes; lane < Lanes; lane++ {
		collided |= block[lane] & other[lane]
		block[lane] |= other[lane]
	}
	block[0] = collided
}

// Merge merges the table other, of the same length, into table, block by block.
func Merge[T Lane](table, other [][Lanes]T) {
	other = other[:len(table)]
	for i := range table {
		MergeBlock(&table[i], &other[i])
	}
}
