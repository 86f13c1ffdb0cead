package counting

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Cells  int // m, of the table
	Width  int // bits of a cell
	Hashes int // k, the cells of a key
}

// Rate returns the false-positive rate that is expected with a number of members in. It is the mean
// over hash keys, and holds as long as hardly any cell has saturated. Rate panics if members is
// negative.
//
// Members that were deleted do not matter: a cell is above 0 only if a member has it, unless the
// cell is saturated. So the rate is that of a Bloom filter with a bit per cell.
func (s Shape) Rate(members int) float64 {
	if members < 0 {
		panic(fmt.Sprintf("counting: the rate of %d members", members))
	}
	return expected.RateOfBits(float64(members), float64(s.Cells), s.Hashes)
}

func (s Shape) String() string {
	return fmt.Sprintf("%d cells of %d bits, %d hashes", s.Cells, s.Width, s.Hashes)
}

// Bytes returns the memory of the table.
func (s Shape) Bytes() int { return 8 * int(s.table().Words) }

func (s Shape) table() cells.Shape {
	t := cells.Shape{Width: s.Width, Hashes: s.Hashes}
	t.Words = uint64(s.Cells) / t.PerWord()
	return t
}

// Shape returns the size of the filter.
func (f *Filter) Shape() Shape { return shapeOf(base.Open(&f.Body).Shape) }

func shapeOf(s cells.Shape) Shape { return Shape{int(s.Cells()), s.Width, s.Hashes} }
