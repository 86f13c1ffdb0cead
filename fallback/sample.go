package fallback

// Sample finds which hashes are in a keyed sample: bit i of present[i/64] says whether the product
// of hashes[i] and odd (mod 2^64) is below limit. One branch decides for eight hashes, by the least
// of their products.
func Sample(hashes, present []uint64, odd, limit uint64) {
	clear(present[:(len(hashes)+63)/64])
	start := 0
	for rest := hashes; len(rest) >= 8; rest = rest[8:] {
		g := (*[8]uint64)(rest)
		a, b := min(g[0]*odd, g[1]*odd), min(g[2]*odd, g[3]*odd)
		c, d := min(g[4]*odd, g[5]*odd), min(g[6]*odd, g[7]*odd)
		if min(a, b, c, d) < limit {
			present[start/64] |= marks(g[:], odd, limit) << (start % 64)
		}
		start += 8
	}
	if start < len(hashes) {
		present[start/64] |= marks(hashes[start:], odd, limit) << (start % 64)
	}
}

// marks returns the answers of up to eight hashes.
func marks(hashes []uint64, odd, limit uint64) (present uint64) {
	for i, h := range hashes {
		if h*odd < limit {
			present |= 1 << i
		}
	}
	return present
}
