package fallback

// Sample finds which hashes are in a keyed sample: bit i of hits[i/64] says whether the product of hashes[i] and
// odd (mod 2^64) is below limit. Eight hashes are looked at with one branch: the least product is what counts.
func Sample(hashes, hits []uint64, odd, limit uint64) {
	clear(hits[:(len(hashes)+63)/64])
	for start := 0; start < len(hashes); start += 8 {
		eight := hashes[start:min(start+8, len(hashes))]
		if len(eight) == 8 {
			g := (*[8]uint64)(eight)
			a, b := min(g[0]*odd, g[1]*odd), min(g[2]*odd, g[3]*odd)
			c, d := min(g[4]*odd, g[5]*odd), min(g[6]*odd, g[7]*odd)
			if min(a, b, c, d) >= limit {
				continue
			}
		}
		for i, h := range eight {
			if h*odd < limit {
				hits[start/64] |= 1 << ((start + i) % 64)
			}
		}
	}
}
