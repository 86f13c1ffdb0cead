// Package encodings is no API: it has other ways to code the collisions of a block of 512 bits than
// the format's one collision lane, for the questions that Rothenberg et al. leave open ("the
// letter": IEEE Communications Letters 14(6), 2010, section V): how many regions, of which cells,
// and whether they should adapt "in function on how collisions happen".
// docs/decisions/collision-lanes.md has what they are good for.
//
// All are blocks of eight lanes of 64 bits, in which the i-th data lane takes its position from the
// next six bits of the spread hash, from the top, as package fallback has it. A cell is a bit of a
// data lane; a column is the cells at one position. Each encoding says which cells are a region,
// and so have one collision bit.
//
//   - [Lanes] has c collision lanes and 8-c data lanes. Data lane i and collision lane i modulo c
//     are a group: a region is the cells of a column in a group. One collision lane is the format.
//   - [Columns] groups columns: of each g columns, 64/g apart, the cells of all lanes are a region.
//     The 64/g collision bits are at the bottom of lane 0; its other bits are an eighth, shorter
//     data lane, whose cells belong to the column that they stand in.
//   - [Growing] is the format until a number of a block's regions are collided. Then the block's
//     last data lane becomes a second collision lane.
//   - [Refining] is [Columns] of two until a number of them are collided. Then the block becomes
//     one of the format: the eighth data lane makes room for the collision bits of single columns.
//   - [Twice] is the format with two cells of a key in each data lane.
//
// # No false negatives
//
// The law is the first of DESIGN.md: what was inserted and not deleted since is found. It follows
// from "in a region that is not collided each set cell has one owner, which is a member and no
// other's cell": inserts keep it, because a cell that was set marks its region, and deletes,
// because they clear cells of such regions only, of which the key was the one owner.
//
// An adaptive block changes its regions at one insert, and once. The law survives, because each new
// region is a part of an old one and inherits its bit: what is not collided now was not before. And
// a data lane that is given up is not asked any more, which can only make more keys present.
// Whether a block has changed is seen from its collision bits alone, which never clear: it takes no
// bit, and never reverses.
package encodings

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/fallback"
)

// Block is a block of any encoding.
type Block = [fallback.Lanes]uint64

// Encoding is a way to code collisions. Keys are spread hashes (fallback.Spread).
type Encoding interface {
	String() string

	// Query reports whether g is present.
	Query(b *Block, g uint64) bool

	// Insert inserts g and reports whether it was present before.
	Insert(b *Block, g uint64) bool

	// Delete deletes g, which must be a member.
	Delete(b *Block, g uint64) fallback.Status

	// Rate returns the chance that a random key is present: its positions are independent.
	Rate(b *Block) float64
}

const laneBits = 64

// own returns the cell of g in the i-th data lane, i from 0 to 6.
func own(g uint64, i int) uint64 {
	return 1 << (g >> ((laneBits - 6 - 6*i) & 63) & (laneBits - 1))
}

// last returns the position of g in an eighth data lane of n positions: from the 22 bits that the
// seven others leave.
func last(g, n uint64) uint64 {
	const left = 64 - 7*6
	return g & (1<<left - 1) * n >> left
}

// filled returns the product of the parts of some lanes that are set.
func filled(lanes []uint64) float64 {
	product := 1.0
	for _, lane := range lanes {
		product *= float64(bits.OnesCount64(lane)) / laneBits
	}
	return product
}

func status(cleared uint64) fallback.Status {
	if cleared == 0 {
		return fallback.Retained
	}
	return fallback.Deleted
}
