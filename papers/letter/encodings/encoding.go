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
//     last data lane becomes a second collision lane, for the three data lanes before it.
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
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Block is a block of any encoding.
type Block = [fallback.Lanes]uint64

// Encoding is a way to code collisions. Keys are spread hashes (fallback.Spread).
type Encoding struct {
	name string
	layout

	// An adaptive block has another layout once its first one has as many collision bits.
	then *layout
	most int
}

// String returns the encoding's name.
func (e *Encoding) String() string { return e.name }

// Lanes returns the encoding with that number of collision lanes, 1 to 7, in front of the data
// lanes.
func Lanes(c int) *Encoding {
	return &Encoding{name: quantity.Of(c, "collision lane"), layout: lanes(c)}
}

// Columns returns the encoding with one collision bit for each 2 columns, or for each 4.
func Columns(g int) *Encoding {
	return &Encoding{name: fmt.Sprintf("%d columns per region", g), layout: columns(g)}
}

// Growing returns the encoding that is the format until as many columns are collided.
func Growing(place int) *Encoding {
	grown := lanes(1)
	grown.end--
	for lane := 4; lane < grown.end; lane++ {
		grown.marks[lane] = grown.end
	}
	return &Encoding{fmt.Sprintf("grows a lane at %d", place), lanes(1), &grown, place}
}

// Refining returns the encoding that is [Columns] of two until as many regions are collided, and
// the format then.
func Refining(at int) *Encoding {
	fine := lanes(1)
	return &Encoding{fmt.Sprintf("refines at %d", at), columns(2), &fine, at}
}

// Twice returns the format with two cells of a key in each data lane, so that k is 14. The
// positions of the second ones are those of another spread hash. Where both fall on one position
// they are one cell.
func Twice() *Encoding {
	twice := lanes(1)
	twice.twice = true
	return &Encoding{name: "two bits per lane", layout: twice}
}

// layoutOf returns the layout of a block. Only collision bits decide, which never clear.
func (e *Encoding) layoutOf(b *Block) *layout {
	if e.then != nil && bits.OnesCount64(b[0]&e.collisions()) >= e.most {
		return e.then
	}
	return &e.layout
}

// Query reports whether g is present.
func (e *Encoding) Query(b *Block, g uint64) bool { return e.layoutOf(b).has(b, g) }

// Insert inserts g and reports whether it was present before. A block that changes its layout has
// the bits of the regions that the new ones are parts of.
func (e *Encoding) Insert(b *Block, g uint64) bool {
	l, missing := e.layoutOf(b), uint64(0)
	for lane, end := l.lanes(); lane < end; lane++ {
		cells := l.cells(g, lane)
		missing |= cells &^ b[lane]
		if common := cells & b[lane]; common != 0 {
			b[l.marks[lane]] |= l.fold(common)
		}
		b[lane] |= cells
	}
	if next := e.layoutOf(b); next != l {
		collided := l.collided(b, 0)
		for lane := next.first; lane < next.end; lane++ {
			b[next.marks[lane]] = collided
		}
	}
	return missing == 0
}

// Delete deletes g, which must be a member.
func (e *Encoding) Delete(b *Block, g uint64) fallback.Status {
	l, cleared := e.layoutOf(b), uint64(0)
	if !l.has(b, g) {
		return fallback.Absent
	}
	for lane, end := l.lanes(); lane < end; lane++ {
		free := l.cells(g, lane) &^ l.collided(b, l.marks[lane])
		b[lane] &^= free
		cleared |= free
	}
	if cleared == 0 {
		return fallback.Retained
	}
	return fallback.Deleted
}

// Rate returns the chance that a random key is present: its positions are independent.
func (e *Encoding) Rate(b *Block) float64 {
	l, rate := e.layoutOf(b), 1.0
	for lane, end := l.lanes(); lane < end; lane++ {
		word, cells := b[lane], laneBits
		if lane < l.first {
			word, cells = word>>l.regions, laneBits-l.regions
		}
		part := float64(bits.OnesCount64(word)) / float64(cells)
		if rate *= part; l.twice {
			rate *= part
		}
	}
	return rate
}

const laneBits = 64

// layout is what the lanes of a block are for.
type layout struct {
	first, end int                 // of the whole data lanes
	twice      bool                // a key has two cells in each
	marks      [fallback.Lanes]int // the collision lane of each data lane

	// regions is the collision bits of a lane. Where these are fewer than columns, column i is of
	// region i modulo regions, and the other bits of lane 0 are an eighth data lane.
	regions int
}

func lanes(c int) layout {
	l := layout{first: c, end: fallback.Lanes, regions: laneBits}
	for lane := c; lane < l.end; lane++ {
		l.marks[lane] = (lane - c) % c
	}
	return l
}

func columns(g int) layout {
	l := lanes(1)
	l.regions = laneBits / g
	return l
}

// collisions are the collision bits of lane 0.
func (l *layout) collisions() uint64 { return ^uint64(0) >> (laneBits - l.regions) }

// lanes returns where the data lanes begin and end: with lane 0, where it has an eighth one.
func (l *layout) lanes() (from, to int) {
	if l.regions < laneBits {
		return 0, l.end
	}
	return l.first, l.end
}

// cells returns the cells of g in a data lane.
func (l *layout) cells(g uint64, lane int) uint64 {
	switch {
	case lane < l.first:
		return 1 << (l.regions + int(last(g, uint64(laneBits-l.regions))))
	case l.twice:
		return own(g, lane-l.first) | own(fallback.Spread(g^g>>32), lane-l.first)
	}
	return own(g, lane-l.first)
}

// has says whether all cells of g are set.
func (l *layout) has(b *Block, g uint64) bool {
	missing := uint64(0)
	for lane, end := l.lanes(); lane < end; lane++ {
		missing |= l.cells(g, lane) &^ b[lane]
	}
	return missing == 0
}

// collided returns the columns that a collision lane has as collided.
func (l *layout) collided(b *Block, lane int) uint64 {
	repeated := b[lane] & l.collisions()
	for n := l.regions; n < laneBits; n *= 2 {
		repeated |= repeated << n
	}
	return repeated
}

// fold returns the collision bits of the regions that columns are of.
func (l *layout) fold(columns uint64) uint64 {
	for n := laneBits / 2; n >= l.regions; n /= 2 {
		columns |= columns >> n
	}
	return columns & l.collisions()
}

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
