package bloom

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

// Parts returns what a fold divides: the number of blocks or, of a table that is not blocked, that of
// bits.
func (s Shape) Parts(blocked bool) int {
	if blocked {
		return int(s.Blocks)
	}
	return int(s.Span)
}

// Part returns the shape of a number of parts.
func (s Shape) Part(parts int, blocked bool) Shape {
	if blocked {
		return Shape{uint64(parts), s.Span, s.Hashes}
	}
	return Shape{1, uint64(parts), s.Hashes}
}

// Fold makes t, which is empty and whose shape is a part of u's, the table of u's keys. A hash of
// bit or block j of m n is of bit or block j/m of n: see [probe.Reduce].
func (t *Table) Fold(u *Table) {
	m := int(u.Bits() / t.Bits())
	switch {
	case t.Span == u.Span:
		const words = BlockBits / 64
		for i := range u.Words {
			t.Words[i/words/m*words+i%words] |= u.Words[i]
		}
	case m == 2:
		for i := range t.Words {
			t.Words[i] = pairs(u.Words[2*i])
			if 2*i+1 < len(u.Words) {
				t.Words[i] |= pairs(u.Words[2*i+1]) << 32
			}
		}
	default:
		for i, word := range u.Words {
			for ; word != 0; word &= word - 1 {
				bit := (64*i + bits.TrailingZeros64(word)) / m
				t.Words[bit/64] |= 1 << (bit % 64)
			}
		}
	}
}

// block returns how the keys of a block hit its bits.
func (s Shape) block() expected.Block { return expected.BlockOfBits(int(s.Span), s.Hashes) }

// Estimate estimates how many keys are in.
func (t *Table) Estimate() kernel.Estimate {
	ones, _ := t.Count()
	return kernel.Estimate(t.block().Estimate(int(t.Bits())-ones, int(t.Blocks)))
}

// Common estimates how many keys are in t and in u, which has the same shape.
func (t *Table) Common(u *Table) kernel.Estimate {
	all := int(t.Bits())
	first, second, merged := all, all, all
	for i := range t.Words {
		first -= bits.OnesCount64(t.Words[i])
		second -= bits.OnesCount64(u.Words[i])
		merged -= bits.OnesCount64(t.Words[i] | u.Words[i])
	}
	return kernel.Estimate(t.block().Common(first, second, merged, int(t.Blocks)))
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
