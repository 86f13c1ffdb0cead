package fallback

// Fold makes table the fold of other, which has twice as many blocks: its blocks 2i and 2i + 1 are
// merged into block i. A hash in block j of n lies in block j/2 of n/2 (see Index), and its mask is
// the same. Table may be the first half of other.
func Fold[T Lane](table, other [][Lanes]T) {
	other = other[:2*len(table)]
	for i := range table {
		block := other[2*i]
		MergeBlock(&block, &other[2*i+1])
		table[i] = block
	}
}

// Intersect leaves in table the bits that other, of the same length, has too. If two members of
// both tables have a bit, it was set twice in each table, and its region is collided in each. So
// lane 0 needs only the regions that are collided in both.
func Intersect[T Lane](table, other [][Lanes]T) {
	other = other[:len(table)]
	for i := range table {
		for lane := range table[i] {
			table[i][lane] &= other[i][lane]
		}
	}
}
