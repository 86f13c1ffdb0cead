package fallback

import (
	"math/bits"
	"unsafe"
)

// The block of format version 1: Lanes lanes of W bits, W = 32 or 64. The first CollisionLanes of
// them are the collision bitmap, the others hold data, and a key owns exactly one bit in each data
// lane.
const (
	// Lanes is the number of lanes of a block, the collision bitmap included.
	Lanes = 8

	// CollisionLanes is the number of lanes that hold the collision bitmap. The letter's r, the
	// number of regions, is CollisionLanes*W, so one lane gives m/r = 8. The letter has r as a
	// parameter; here it is part of the format. docs/decisions/collision-lanes.md has the reasons.
	CollisionLanes = 1

	// K is the number of bits that a key owns, one in each data lane.
	K = Lanes - CollisionLanes

	// Multiplier is 2^64 divided by the golden ratio, the constant of Knuth's multiplicative
	// hashing (The Art of Computer Programming, vol. 3, section 6.4). The product carries every
	// bit of a hash into the high bits, which the positions are taken from.
	Multiplier = 0x9E3779B97F4A7C15
)

// The forms of the operations that are written out lane by lane hold for this K only: a change of
// the constants above stops the build here.
var _ [K]struct{} = [7]struct{}{}

// Lane is the type of one lane: uint32 in a block of 256 bits, uint64 in one of 512.
type Lane interface{ uint32 | uint64 }

// LaneBits returns W, the width of a lane in bits: 32 or 64.
func LaneBits[T Lane]() uint { return 8 * uint(unsafe.Sizeof(T(0))) }

// PositionBits returns b = log2 W, the width of one position in bits: 5 or 6.
func PositionBits[T Lane]() uint { return 5 + LaneBits[T]()/64 }

// Index returns the block, of a table of nblocks, that the hash h belongs to: the high 64 bits of
// h * nblocks, which maps a uniform h to a uniform index without a division (Lemire, "Fast random
// integer generation in an interval", ACM TOMACS 2019).
func Index(h, nblocks uint64) uint64 {
	index, _ := bits.Mul64(h, nblocks)
	return index
}

// Interval returns the hashes of the blocks from first to end, which is not among them, of a table
// of nblocks: those from low to high, both included. It is the inverse of Index, which grows with
// h: so these are all of them. 0 <= first < end <= nblocks.
func Interval(first, end, nblocks uint64) (low, high uint64) {
	low, high = lowest(first, nblocks), ^uint64(0)
	if end < nblocks {
		high = lowest(end, nblocks) - 1
	}
	return low, high
}

// lowest returns the lowest hash of a block: first*2^64/nblocks, rounded up.
func lowest(first, nblocks uint64) uint64 {
	quotient, _ := bits.Div64(first, nblocks-1, nblocks)
	return quotient
}

// Spread returns g, the word that the positions of the hash h are cut from. It depends on h alone
// and not on the size of a table, so that a key has the same mask in every table and in a header.
func Spread(h uint64) uint64 { return h * Multiplier }

// Position returns the bit that g owns in a data lane, CollisionLanes <= lane < Lanes: the data
// lanes take b bits each from the top of g downwards.
func Position[T Lane](g uint64, lane uint) uint64 {
	// "& 63" tells the compiler that the shift is shorter than the word.
	return g >> ((64 - PositionBits[T]()*(lane+1-CollisionLanes)) & 63) & uint64(LaneBits[T]()-1)
}

// own returns the bit that g owns in a data lane, as a lane of the key's mask.
func own[T Lane](g uint64, lane uint) T { return 1 << Position[T](g, lane) }

// Positions returns the stored positions of the hash h, the high K*b bits of g: an element as a
// header or a hardware table holds it. The position in lane i is at bits [b*(Lanes-1-i) +: b].
func Positions[T Lane](h uint64) uint64 {
	return Spread(h) >> (64 - K*PositionBits[T]())
}

// Mask returns the K bits of the hash h as a block. The collision lane of a key's mask is empty.
func Mask[T Lane](h uint64) (mask [Lanes]T) {
	g := Spread(h)
	for lane := uint(CollisionLanes); lane < Lanes; lane++ {
		mask[lane] = own[T](g, lane)
	}
	return mask
}
