package dlbf

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
)

// MaxHashes is the largest k.
const MaxHashes = 64

// Shape is the size of a filter, the letter's m, r and k. Its methods compute what to expect of
// such a filter; docs/theory/dlbf.md derives them.
type Shape struct {
	Bits    int // m: the collision bitmap and the cells
	Regions int // r: the bits of the collision bitmap, at most half of Bits
	Hashes  int // k: the bits of an element, which may coincide
}

// Cells returns m' = m - r, the number of bits that elements are hashed to.
func (s Shape) Cells() int { return s.Bits - s.Regions }

// RegionCells returns ⌈m'/r⌉, the number of cells of a region.
func (s Shape) RegionCells() int { return (s.Cells()-1)/s.Regions + 1 }

// UsedRegions returns the number of regions that have cells. It is below r if fewer than r regions
// of ⌈m'/r⌉ cells hold all cells: with 10 cells and r = 6, five regions have 2 cells each and the
// sixth has none.
func (s Shape) UsedRegions() int { return (s.Cells()-1)/s.RegionCells() + 1 }

// Bytes returns the memory of the array.
func (s Shape) Bytes() int { return 8 * s.words() }

func (s Shape) words() int { return (s.Bits-1)/64 + 1 }

// Check returns a *[filter.SizingError] if no filter can have this shape.
func (s Shape) Check() error {
	switch {
	case s.Bits < 2 || s.Bits > filter.MaxBits:
		return wrong("Bits", s.Bits, fmt.Sprintf("2 to %d", filter.MaxBits))
	case s.Regions < 1 || s.Regions > s.Bits/2:
		return wrong("Regions", s.Regions, fmt.Sprintf("1 to %d, half of the bits", s.Bits/2))
	case s.Hashes < 1 || s.Hashes > MaxHashes:
		return wrong("Hashes", s.Hashes, fmt.Sprintf("1 to %d", MaxHashes))
	}
	return nil
}

func (s Shape) String() string {
	return fmt.Sprintf("%d bits, %d regions of %d, %d hashes", s.Bits, s.Regions,
		s.RegionCells(), s.Hashes)
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kind.Name, Field: field, Found: found, Expected: expected}
}
