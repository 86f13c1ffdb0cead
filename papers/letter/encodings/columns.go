package encodings

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/fallback"
)

// Columns has one collision bit per 2 columns or per 4.
type Columns int

// String implements Encoding.
func (e Columns) String() string { return fmt.Sprintf("%d columns per region", int(e)) }

// regions returns the number of collision bits.
func (e Columns) regions() int { return laneBits / int(e) }

// collided returns the columns that are collided: the bits of lane 0, once for each column of a
// region.
func (e Columns) collided(b *Block) uint64 {
	n := e.regions()
	repeated := b[0] & (1<<n - 1)
	for ; n < laneBits; n *= 2 {
		repeated |= repeated << n
	}
	return repeated
}

// fold returns the collision bits of the regions that columns are of.
func (e Columns) fold(columns uint64) uint64 {
	for n := laneBits / 2; n >= e.regions(); n /= 2 {
		columns |= columns >> n
	}
	return columns & (1<<e.regions() - 1)
}

// eighth returns the cell of g in lane 0.
func (e Columns) eighth(g uint64) uint64 {
	return 1 << (uint64(e.regions()) + last(g, uint64(laneBits-e.regions())))
}

// Query implements Encoding.
func (e Columns) Query(b *Block, g uint64) bool {
	missing := e.eighth(g) &^ b[0]
	for lane := 1; lane < fallback.Lanes; lane++ {
		missing |= own(g, lane-1) &^ b[lane]
	}
	return missing == 0
}

// Insert implements Encoding.
func (e Columns) Insert(b *Block, g uint64) bool {
	cell := e.eighth(g)
	missing, common := cell&^b[0], cell&b[0]
	b[0] |= cell
	for lane := 1; lane < fallback.Lanes; lane++ {
		cell := own(g, lane-1)
		missing |= cell &^ b[lane]
		common |= cell & b[lane]
		b[lane] |= cell
	}
	b[0] |= e.fold(common)
	return missing == 0
}

// Delete implements Encoding.
func (e Columns) Delete(b *Block, g uint64) fallback.Status {
	if !e.Query(b, g) {
		return fallback.Absent
	}
	collided := e.collided(b)
	cleared := e.eighth(g) &^ collided
	b[0] &^= cleared
	for lane := 1; lane < fallback.Lanes; lane++ {
		free := own(g, lane-1) &^ collided
		b[lane] &^= free
		cleared |= free
	}
	return status(cleared)
}

// Rate implements Encoding.
func (e Columns) Rate(b *Block) float64 {
	eighth := float64(bits.OnesCount64(b[0]>>e.regions())) / float64(laneBits-e.regions())
	return eighth * filled(b[1:])
}
