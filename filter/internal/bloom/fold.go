package bloom

// Half returns the shape of half the blocks, or where there is one block, of half its bits; ok says
// whether there is one. A hash of bit or block j of n is of j/2 of n/2: see [probe.Reduce].
func (s Shape) Half() (half Shape, ok bool) {
	if s.Blocks > 1 {
		return Shape{s.Blocks / 2, s.Span, s.Hashes}, s.Blocks%2 == 0
	}
	return Shape{1, s.Span / 2, s.Hashes}, s.Span%2 == 0
}

// Fold makes t, whose shape is half of u's, the table of u's keys.
func (t *Table) Fold(u *Table) {
	if u.Blocks > 1 {
		const words = BlockBits / 64
		for i := range t.Words {
			first := i/words*2*words + i%words
			t.Words[i] = u.Words[first] | u.Words[first+words]
		}
		return
	}
	for i := range t.Words {
		t.Words[i] = pairs(u.Words[2*i])
		if 2*i+1 < len(u.Words) {
			t.Words[i] |= pairs(u.Words[2*i+1]) << 32
		}
	}
}

// pairs returns in bit i whether bit 2i or bit 2i + 1 of x is set.
func pairs(x uint64) uint64 {
	x = (x | x>>1) & 0x5555555555555555
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return (x | x>>16) & 0xffffffff
}
