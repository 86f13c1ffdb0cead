package bitwise

import (
	"fmt"
	"strings"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
)

const (
	// MaxHashes is the largest k.
	MaxHashes = cells.MaxHashes

	// MaxWidth is the largest width of a level below the last.
	MaxWidth = 16

	// MaxLevels is the largest number of levels, with the last.
	MaxLevels = 8

	// lastWidth is the width of the last level. What is carried to its cells never fills them.
	lastWidth = 64

	// cellsPerCarry is how many cells a level has per cell that is expected to carry to it. With 5,
	// 18 % of the cells that carry seem to have carried more. A count is wrong only if all k cells
	// of its key are.
	cellsPerCarry = 5
)

// Level is the size of a level.
type Level struct {
	Words int // of 64 bits; none of their cells crosses to another

	// Width is the number of bits of a value that a cell of this level holds. A cell has one bit
	// more, its mark. Cells of the last level have 64 bits and no mark.
	Width int
}

// bits returns the number of bits of a cell.
func (l Level) bits() int { return min(l.Width+1, 64) }

// Cells returns the number of cells.
func (l Level) Cells() int { return l.Words * (64 / l.bits()) }

// Shape is the size of a filter. Its methods compute what to expect of such a filter, by the
// equations of docs/theory/bitwise.md.
type Shape struct {
	Levels []Level // from that of the lowest bits up; the last has cells of 64 bits
	Hashes int     // k, the cells of a key in the first level, which may coincide
}

// Words returns the number of words of all levels.
func (s Shape) Words() (words int) {
	for _, l := range s.Levels {
		words += l.Words
	}
	return words
}

// Bytes returns the memory of all levels.
func (s Shape) Bytes() int { return 8 * s.Words() }

// Check returns a *[filter.SizingError] if no filter can have this shape.
func (s Shape) Check() error {
	last := len(s.Levels) - 1
	if last < 0 || last >= MaxLevels {
		return wrong("Levels", len(s.Levels), fmt.Sprintf("1 to %d of them", MaxLevels))
	}
	left := filter.MaxBits / 64
	for i, l := range s.Levels {
		switch {
		case i == last && l.Width != lastWidth:
			return wrong("Width", l.Width, fmt.Sprintf("%d in the last level", lastWidth))
		case i < last && (l.Width < 1 || l.Width > MaxWidth):
			return wrong("Width", l.Width, fmt.Sprintf("1 to %d below the last level", MaxWidth))
		case l.Words < 1 || l.Words > left:
			return wrong("Words", l.Words, fmt.Sprintf("1 to %d, and %d in all levels", left,
				filter.MaxBits/64))
		}
		left -= l.Words
	}
	if s.Hashes < 1 || s.Hashes > MaxHashes {
		return wrong("Hashes", s.Hashes, fmt.Sprintf("1 to %d", MaxHashes))
	}
	return nil
}

func (s Shape) String() string {
	var b strings.Builder
	for i, l := range s.Levels {
		if i > 0 {
			b.WriteString(" + ")
		}
		fmt.Fprintf(&b, "%d x %d", l.Cells(), l.bits())
	}
	return fmt.Sprintf("%s bits, %d hashes", b.String(), s.Hashes)
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kind.Name, Field: field, Found: found, Expected: expected}
}
