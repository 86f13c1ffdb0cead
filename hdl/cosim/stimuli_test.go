package cosim

import (
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
)

// stimuli makes blocks and masks such that everything that can happen to a block does: uniformly
// random ones would rarely be present, and never retained.
type stimuli[T fallback.Lane] struct {
	*rand.Rand
	key     bool // masks are those of keys only: one bit in every data lane
	last    [fallback.Lanes]T
	members []uint64  // hashes that were inserted into the last block
	results [4][3]int // how often each operation had each result
	h       uint64    // of the mask, where key
}

func (s *stimuli[T]) sparse(words int) T {
	v := T(s.Uint64())
	for range words - 1 {
		v &= T(s.Uint64())
	}
	return v
}

// next returns an operation, a block and a mask, and what the definition makes of them.
func (s *stimuli[T]) next() (op uint64, block, mask, after [fallback.Lanes]T, result uint64) {
	op = s.Uint64() % 4
	block = s.block()
	mask = s.mask(&block)
	after = block
	result = perform(op, &after, &mask)
	s.results[op][result]++
	s.last = after
	if op == opInsert && s.h != 0 {
		s.members = append(s.members, s.h)
	}
	return op, block, mask, after, result
}

func (s *stimuli[T]) block() (block [fallback.Lanes]T) {
	switch s.IntN(16) {
	case 0: // empty
	case 1: // full
		for lane := range block {
			block[lane] = ^T(0)
		}
	case 2: // one bit
		block[s.IntN(fallback.Lanes)] = 1 << s.Uint64N(uint64(fallback.LaneBits[T]()))
	case 3: // anything, dense or sparse
		for lane := range block {
			block[lane] = s.sparse(1 + s.IntN(4))
		}
	case 4: // some keys
		s.members = s.members[:0]
		for range 1 + s.IntN(int(fallback.LaneBits[T]())) {
			s.members = append(s.members, s.Uint64())
			m := fallback.Mask[T](s.members[len(s.members)-1])
			fallback.InsertMask(&block, &m)
		}
	default: // go on with the last one
		return s.last
	}
	return block
}

// mask returns a mask for an operation on the block.
func (s *stimuli[T]) mask(block *[fallback.Lanes]T) (mask [fallback.Lanes]T) {
	s.h = s.Uint64()
	if len(s.members) > 0 && s.IntN(2) == 0 {
		s.h = s.members[s.IntN(len(s.members))]
	}
	choice := s.IntN(16)
	if s.key {
		// A key of the block's own bits, of collided ones in half of the cases.
		if choice < 6 {
			s.h = chosen(s.Rand, block, choice < 3)
		}
		return fallback.Mask[T](s.h)
	}
	if choice > 8 {
		return fallback.Mask[T](s.h)
	}
	s.h = 0
	for lane := range mask {
		any := s.sparse(1 + s.IntN(5))
		switch choice {
		case 0: // empty
		case 1: // full
			mask[lane] = ^T(0)
		case 2: // anything
			mask[lane] = any
		case 3, 4: // present
			mask[lane] = any & block[lane]
		case 5, 6: // present, and retained
			mask[lane] = any & block[lane] & block[0]
		case 7: // all but one bit present
			mask[lane] = any & block[lane]
		case 8: // the collision lane alone
			if lane == 0 {
				mask[lane] = any
			}
		}
	}
	if choice == 7 {
		mask[s.IntN(fallback.Lanes)] |= 1 << s.Uint64N(uint64(fallback.LaneBits[T]()))
	}
	return mask
}

// chosen returns a hash whose positions are, where the block allows it, bits that are set in it; in
// columns that collided, or else in any. A hash is determined by g, and g by its positions.
func chosen[T fallback.Lane](rng *rand.Rand, block *[fallback.Lanes]T, collided bool) uint64 {
	g := rng.Uint64()
	b := fallback.PositionBits[T]()
	for lane := uint(1); lane < fallback.Lanes; lane++ {
		lanes := block[lane]
		if collided {
			lanes &= block[0]
		}
		if lanes == 0 {
			continue
		}
		// The first set bit from a random one on.
		w := uint64(fallback.LaneBits[T]())
		place := rng.Uint64N(w)
		for lanes>>place&1 == 0 {
			place = (place + 1) % w
		}
		shift := 64 - b*lane
		g = g&^(uint64(fallback.LaneBits[T]()-1)<<shift) | place<<shift
	}
	return g * inverse
}

// inverse is the inverse of fallback.Multiplier modulo 2^64, by Newton's iteration.
var inverse = func() uint64 {
	x := uint64(fallback.Multiplier) // right in the low three bits
	for range 5 {
		x *= 2 - fallback.Multiplier*x
	}
	return x
}()

// everything returns an error unless every result of every operation occurred often enough for n
// records to mean something.
func (s *stimuli[T]) everything(n int) error {
	for op, results := range [][]int{opQuery: {0, 1}, opInsert: {0, 1}, opDelete: {0, 1, 2},
		opPass: {0}} {
		for _, result := range results {
			if got := s.results[op][result]; got < n/100 {
				return fmt.Errorf("operation %d had result %d in %d of %d records: %w", op, result,
					got, n, errNarrow)
			}
		}
	}
	return nil
}
