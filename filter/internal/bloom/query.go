//go:build !(goexperiment.simd && amd64 && !purego && !race)

package bloom

import "github.com/bloomlane/bloomlane/internal/probe"

// Query reports whether the bits of a hash are set.
//
// In a block it has no branch for a bit, of which a processor would guess one wrong for every
// second key: the line is loaded anyway. The upper 9 bits of x are probe.Reduce(x, BlockBits).
func (t *Table) Query(hash uint64) bool {
	if t.Span != BlockBits {
		return t.queryFrom(hash, t.Base(hash), t.Hashes)
	}
	block := (*[BlockBits / 64]uint64)(t.Words[t.Base(hash)/64:])
	x, all := hash, uint64(1)
	for range t.Hashes / 2 { // two at a time, because one waits for the one before
		next := probe.Next(x)
		x = probe.Second(x)
		all &= block[next>>61] >> (next >> 55 & 63) & (block[x>>61] >> (x >> 55 & 63))
	}
	if t.Hashes%2 == 1 {
		x = probe.Next(x)
		all &= block[x>>61] >> (x >> 55 & 63)
	}
	return all != 0
}
