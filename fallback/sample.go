package fallback

// Sample finds which hashes are in a keyed sample: bit i of hits[i/64] says whether the product of
// hashes[i] and odd (mod 2^64) is below limit. One branch decides for eight hashes, by the least of
// their products.
func Sample(hashes, hits []uint64, odd, limit uint64) {
	clear(hits[:(len(hashes)+63)/64])
	start := 0
	for rest := hashes; len(rest) >= 8; rest = rest[8:] {
		g := (*[8]uint64)(rest)
		a, b := min(g[0]*odd, g[1]*odd), min(g[2]*odd, g[3]*odd)
		c, d := min(g[4]*odd, g[5]*odd), min(g[6]*odd, g[7]*odd)
		if min(a, b, c, d) < limit {
			hits[start/64] |= sampled(g[:], odd, limit) << (start % 64)
		}
		start += 8
	}
	if start < len(hashes) {
		hits[start/64] |= sampled(hashes[start:], odd, limit) << (start % 64)
	}
}

// sampled returns the hits of up to eight hashes.
func sampled(hashes []uint64, odd, limit uint64) (hits uint64) {
	for i, h := range hashes {
		if h*odd < limit {
			hits |= 1 << i
		}
	}
	return hits
}
