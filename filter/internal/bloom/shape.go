package bloom

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// MaxHashes is the largest k. It is the best k at 92 bits per key, where the rate is 1e-19.
const MaxHashes = 64

// BlockBits is the size of a block of a blocked table: a cache line.
const BlockBits = 512

// Shape is the geometry of a table: Blocks of Span bits each, and in one of them the bits of a key.
// A table that is not blocked is one block.
type Shape struct {
	Blocks, Span uint64
	Hashes       int // k
}

// Bits returns m, the number of bits.
func (s Shape) Bits() uint64 { return s.Blocks * s.Span }

// Words returns the number of words that the bits need.
func (s Shape) Words() uint64 { return (s.Bits() + 63) / 64 }

func (s Shape) String() string {
	if s.Span == BlockBits && s.Blocks > 1 {
		return fmt.Sprintf("%d blocks of %d bits, %d hashes", s.Blocks, s.Span, s.Hashes)
	}
	return fmt.Sprintf("%d bits, %d hashes", s.Bits(), s.Hashes)
}

// Base returns the first bit of the block of a hash.
func (s *Shape) Base(hash uint64) uint64 { return probe.Reduce(hash, s.Blocks) * s.Span }

// Fill returns the part of the bits that is expected to be set after a number of inserts of
// different keys.
func (s Shape) Fill(inserts int) float64 {
	return expected.Fill(float64(inserts)*float64(s.Hashes), float64(s.Bits()))
}

// Rate returns the expected false-positive rate after a number of inserts of different keys, the
// mean over hash keys. For a blocked table it is a mean over the loads of the blocks (Putze,
// Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, section 3).
func (s Shape) Rate(inserts int) float64 {
	rateOf := func(load int) float64 {
		return expected.RateOfBits(float64(load), float64(s.Span), s.Hashes)
	}
	if s.Span != BlockBits {
		return rateOf(inserts)
	}
	memo := &blockRates[s.Hashes]
	return expected.Mean(inserts, int(s.Blocks), func(load int) float64 { return memo.Of(load, rateOf) })
}

// blockRates are the rates of a block, by its hashes.
var blockRates [MaxHashes + 1]expected.Memo

// Plan is what a table is made for.
type Plan struct {
	Inserts int  // of different keys
	Hashes  int  // k; 0 is the best number for the size
	Blocked bool // all bits of a key in a block of BlockBits
}

// unit returns the bits that a table has a whole number of.
func (p Plan) unit() uint64 {
	if p.Blocked {
		return BlockBits
	}
	return 1
}

// OfBits returns the shape of a number of bits, rounded up to whole blocks where it is blocked.
func (p Plan) OfBits(bits uint64) Shape {
	s := Shape{Blocks: 1, Span: bits, Hashes: p.Hashes}
	if p.Blocked {
		s.Blocks, s.Span = (bits+BlockBits-1)/BlockBits, BlockBits
	}
	if s.Hashes == 0 {
		s.Hashes = s.bestHashes(p.Inserts)
	}
	return s
}

// OfRate returns the smallest shape of at most that number of bits whose expected rate after the
// inserts is at most the given one. If there is none, it returns the largest shape and false.
func (p Plan) OfRate(rate float64, most uint64) (s Shape, has bool) {
	sized := func(units int) Shape { return p.OfBits(uint64(units) * p.unit()) }
	largest := int(min(most/p.unit(), math.MaxInt-1)) // an int of 32 bits has the size behind it
	units, has := expected.Smallest(expected.Needed(p.Inserts, rate)/int(p.unit()), largest, rate,
		func(units int) float64 { return sized(units).Rate(p.Inserts) })
	return sized(min(units, largest)), has
}

// bestHashes returns the k of the lowest rate after a number of inserts. In one big block it is
// near m/n ln 2 (Broder and Mitzenmacher, "Network Applications of Bloom Filters: A Survey", 2004,
// section 2.1); in blocks the best k is smaller.
func (s Shape) bestHashes(inserts int) int {
	rate := func(k int) float64 {
		s.Hashes = k
		return s.Rate(inserts)
	}
	k := int(max(1, min(math.Ceil(float64(s.Bits())/float64(inserts)*math.Ln2), MaxHashes)))
	for k > 1 && rate(k-1) <= rate(k) {
		k--
	}
	return k
}
