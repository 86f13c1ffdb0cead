package plain

import (
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Bits    int  // m, of the table
	Hashes  int  // k, the bits of a key
	Blocked bool // all bits of a key are in one block of [BlockBits]
}

// Rate returns the false-positive rate that is expected after a number of inserts of different
// keys. It is the mean over hash keys. Rate panics if inserts is negative.
func (s Shape) Rate(inserts int) float64 { return s.table().Rate(inserts) }

func (s Shape) String() string { return s.table().String() }

// Bytes returns the memory of the table.
func (s Shape) Bytes() int { return 8 * int(s.table().Words()) }

func (s Shape) table() bloom.Shape {
	return bloom.Plan{Blocked: s.Blocked, Hashes: s.Hashes}.OfBits(uint64(s.Bits))
}

// Shape returns the size of the filter.
func (f *Filter) Shape() Shape {
	t := base.Open(&f.Body)
	return shapeOf(t.Shape, t.blocked)
}

func shapeOf(s bloom.Shape, blocked bool) Shape { return Shape{int(s.Bits()), s.Hashes, blocked} }
