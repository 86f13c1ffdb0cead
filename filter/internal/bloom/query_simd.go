//go:build goexperiment.simd && amd64 && !purego && !race

package bloom

import (
	"simd/archsimd"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// group is the number of positions that a register has.
const group = 8

// steps are the factors of a hash for the next positions, and ones is a bit for each of a group,
// with zeros behind it for the positions that the last group lacks.
var steps, ones = func() (steps [group]uint64, ones [2 * group]uint64) {
	x := uint64(1)
	for i := range steps {
		x = probe.Next(x)
		steps[i], ones[i] = x, 1
	}
	return steps, ones
}()

// Query reports whether the bits of a hash are set. For a block it has no branch on them, because
// answers may be random.
func (t *Table) Query(hash uint64) bool {
	if t.Span != BlockBits || !dispatch.Vectors() {
		return t.queryFrom(hash, t.Base(hash), t.Hashes)
	}
	// The upper 9 bits of a product are the position in a block: 3 for the word, 6 for the bit.
	first := t.Base(hash) / 64
	block := dispatch.Load64((*[group]uint64)(t.Words[first : first+group]))
	factors := dispatch.Load64(&steps)
	all := uint8(0xff)
	for left := t.Hashes; left > 0; left -= group {
		bits := ones[group-min(left, group):]
		positions := archsimd.BroadcastUint64x8(hash).Mul(factors).ShiftAllRight(64 - 9)
		mask := dispatch.Load64((*[group]uint64)(bits)).RotateLeft(positions)
		words := block.Permute(positions.ShiftAllRight(6))
		all &= words.And(mask).Equal(mask).ToBits()
		hash *= steps[group-1]
	}
	return all == 0xff
}
