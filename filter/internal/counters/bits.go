package counters

// load returns n bits of words, up to 64, from a bit on.
func load(words []uint64, at, n uint64) uint64 {
	word, shift := at/64, at%64
	value := words[word] >> shift
	if shift+n > 64 {
		value |= words[word+1] << (64 - shift)
	}
	return value & (1<<n - 1)
}

// store writes the lowest n bits of a value, up to 63 of them.
func store(words []uint64, at, n, value uint64) {
	word, shift, mask := at/64, at%64, uint64(1)<<n-1
	value &= mask
	words[word] = words[word]&^(mask<<shift) | value<<shift
	if shift+n > 64 {
		words[word+1] = words[word+1]&^(mask>>(64-shift)) | value>>(64-shift)
	}
}

// widen makes room for n bits, 1 to 63: what is between at and end moves up. One bit is 0, more are
// anything.
func widen(words []uint64, start, n, end uint64) {
	words = words[start/64 : (end+n-1)/64+1]
	for i := len(words) - 1; i > 0; i-- {
		words[i] = words[i]<<(n%64) | words[i-1]>>(-n%64)
	}
	below := uint64(1)<<(start%64) - 1
	words[0] = words[0]&below | words[0]&^below<<n
}

// narrow takes n bits away, 1 to 63: what is between at+n and end moves down.
func narrow(words []uint64, at, n, end uint64) {
	words = words[at/64 : (end-1)/64+1]
	below := uint64(1)<<(at%64) - 1
	keep := words[0] & below
	for i := range len(words) - 1 {
		words[i] = words[i]>>(n%64) | words[i+1]<<(-n%64)
	}
	words[len(words)-1] >>= n
	words[0] = keep | words[0]&^below
}
