package encodings

import (
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Lanes is the encoding with that number of collision lanes, 1 to 7, in front of the data lanes.
type Lanes int

// String implements Encoding.
func (e Lanes) String() string {
	return quantity.Of(int(e), "collision lane")
}

// Query implements Encoding.
func (e Lanes) Query(b *Block, g uint64) bool {
	missing := uint64(0)
	for lane := int(e); lane < fallback.Lanes; lane++ {
		missing |= own(g, lane-int(e)) &^ b[lane]
	}
	return missing == 0
}

// Insert implements Encoding.
func (e Lanes) Insert(b *Block, g uint64) bool {
	missing, group := uint64(0), 0 // data lane e is of the first one
	for lane := int(e); lane < fallback.Lanes; lane++ {
		cell := own(g, lane-int(e))
		missing |= cell &^ b[lane]
		b[group] |= cell & b[lane]
		b[lane] |= cell
		if group++; group == int(e) {
			group = 0
		}
	}
	return missing == 0
}

// Delete implements Encoding.
func (e Lanes) Delete(b *Block, g uint64) fallback.Status {
	if !e.Query(b, g) {
		return fallback.Absent
	}
	cleared, group := uint64(0), 0
	for lane := int(e); lane < fallback.Lanes; lane++ {
		free := own(g, lane-int(e)) &^ b[group]
		b[lane] &^= free
		cleared |= free
		if group++; group == int(e) {
			group = 0
		}
	}
	return status(cleared)
}

// Rate implements Encoding.
func (e Lanes) Rate(b *Block) float64 { return filled(b[e:]) }
