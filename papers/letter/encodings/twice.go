package encodings

import "github.com/bloomlane/bloomlane/fallback"

// Twice is the format with two cells of a key in each data lane, so that k is 14. The positions of
// the second ones are those of another spread hash. Where both fall on one position they are one
// cell.
type Twice struct{}

// String implements Encoding.
func (Twice) String() string { return "two bits per lane" }

// cells returns the cells of g in the i-th data lane.
func (Twice) cells(g uint64, i int) uint64 { return own(g, i) | own(fallback.Spread(g^g>>32), i) }

// Query implements Encoding.
func (e Twice) Query(b *Block, g uint64) bool {
	missing := uint64(0)
	for lane := 1; lane < fallback.Lanes; lane++ {
		missing |= e.cells(g, lane-1) &^ b[lane]
	}
	return missing == 0
}

// Insert implements Encoding.
func (e Twice) Insert(b *Block, g uint64) bool {
	missing, common := uint64(0), uint64(0)
	for lane := 1; lane < fallback.Lanes; lane++ {
		cells := e.cells(g, lane-1)
		missing |= cells &^ b[lane]
		common |= cells & b[lane]
		b[lane] |= cells
	}
	b[0] |= common
	return missing == 0
}

// Delete implements Encoding.
func (e Twice) Delete(b *Block, g uint64) fallback.Status {
	if !e.Query(b, g) {
		return fallback.Absent
	}
	cleared := uint64(0)
	for lane := 1; lane < fallback.Lanes; lane++ {
		free := e.cells(g, lane-1) &^ b[0]
		b[lane] &^= free
		cleared |= free
	}
	return status(cleared)
}

// Rate implements Encoding.
func (Twice) Rate(b *Block) float64 { return filled(b[1:]) * filled(b[1:]) }
