package encoding

import "github.com/bloomlane/bloomlane/fallback"

// Plain has eight data lanes, and no way to delete.
type Plain struct{}

// String implements Encoding.
func (Plain) String() string { return "plain, never deletes" }

// cell returns the cell of g in a lane.
func (Plain) cell(g uint64, lane int) uint64 {
	if lane == fallback.Lanes-1 {
		return 1 << last(g, laneBits)
	}
	return own(g, lane)
}

// Query implements Encoding.
func (e Plain) Query(b *Block, g uint64) bool {
	missing := uint64(0)
	for lane := range b {
		missing |= e.cell(g, lane) &^ b[lane]
	}
	return missing == 0
}

// Insert implements Encoding.
func (e Plain) Insert(b *Block, g uint64) bool {
	missing := uint64(0)
	for lane := range b {
		cell := e.cell(g, lane)
		missing |= cell &^ b[lane]
		b[lane] |= cell
	}
	return missing == 0
}

// Delete implements Encoding.
func (e Plain) Delete(b *Block, g uint64) fallback.Status {
	if !e.Query(b, g) {
		return fallback.Absent
	}
	return fallback.Retained
}

// Rate implements Encoding.
func (Plain) Rate(b *Block) float64 { return Lanes(0).Rate(b) }
