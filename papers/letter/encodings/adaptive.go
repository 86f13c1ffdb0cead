package encodings

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/fallback"
)

// Growing is the format until a number of a block's 64 columns are collided. Then its last data
// lane becomes a second collision lane, for data lanes 4 to 6. It begins as a copy of the first,
// which is for data lanes 1 to 3 from then on.
type Growing int

const (
	second = fallback.Lanes - 1 // the lane that changes its use
	upper  = 4                  // the first lane that it stands for
)

// String implements Encoding.
func (e Growing) String() string { return fmt.Sprintf("grows a lane at %d", int(e)) }

// grown reports whether the block has a second collision lane. It is the first one that decides,
// whose bits never clear.
func (e Growing) grown(b *Block) bool { return bits.OnesCount64(b[0]) >= int(e) }

// standsFor returns the collision lane of a data lane of a block that has grown.
func standsFor(lane int) int {
	if lane >= upper {
		return second
	}
	return 0
}

// Query implements Encoding.
func (e Growing) Query(b *Block, g uint64) bool {
	missing := uint64(0)
	for lane := 1; lane < second; lane++ {
		missing |= own(g, lane-1) &^ b[lane]
	}
	if !e.grown(b) {
		missing |= own(g, second-1) &^ b[second]
	}
	return missing == 0
}

// Insert implements Encoding.
func (e Growing) Insert(b *Block, g uint64) bool {
	if !e.grown(b) {
		present := Lanes(1).Insert(b, g)
		if e.grown(b) {
			b[second] = b[0]
		}
		return present
	}
	missing := uint64(0)
	for lane := 1; lane < second; lane++ {
		cell := own(g, lane-1)
		missing |= cell &^ b[lane]
		b[standsFor(lane)] |= cell & b[lane]
		b[lane] |= cell
	}
	return missing == 0
}

// Delete implements Encoding.
func (e Growing) Delete(b *Block, g uint64) fallback.Status {
	if !e.grown(b) {
		return Lanes(1).Delete(b, g)
	}
	if !e.Query(b, g) {
		return fallback.Absent
	}
	cleared := uint64(0)
	for lane := 1; lane < second; lane++ {
		free := own(g, lane-1) &^ b[standsFor(lane)]
		b[lane] &^= free
		cleared |= free
	}
	return status(cleared)
}

// Rate implements Encoding.
func (e Growing) Rate(b *Block) float64 {
	if e.grown(b) {
		return filled(b[1:second])
	}
	return Lanes(1).Rate(b)
}

// Refining is [Columns] of two until a number of a block's 32 regions are collided. Then it becomes
// a block of the format: both columns of a region get the bit that it had, and the eighth data lane
// goes.
type Refining int

const coarse Columns = 2

// String implements Encoding.
func (e Refining) String() string { return fmt.Sprintf("refines at %d", int(e)) }

// fine reports whether the block is one of the format. It is the lower half of lane 0 that decides,
// which is collision bits before and after, and so never clears.
func (e Refining) fine(b *Block) bool { return bits.OnesCount32(uint32(b[0])) >= int(e) }

// Query implements Encoding.
func (e Refining) Query(b *Block, g uint64) bool {
	if e.fine(b) {
		return Lanes(1).Query(b, g)
	}
	return coarse.Query(b, g)
}

// Insert implements Encoding.
func (e Refining) Insert(b *Block, g uint64) bool {
	if e.fine(b) {
		return Lanes(1).Insert(b, g)
	}
	present := coarse.Insert(b, g)
	if e.fine(b) {
		b[0] = coarse.collided(b)
	}
	return present
}

// Delete implements Encoding.
func (e Refining) Delete(b *Block, g uint64) fallback.Status {
	if e.fine(b) {
		return Lanes(1).Delete(b, g)
	}
	return coarse.Delete(b, g)
}

// Rate implements Encoding.
func (e Refining) Rate(b *Block) float64 {
	if e.fine(b) {
		return Lanes(1).Rate(b)
	}
	return coarse.Rate(b)
}
