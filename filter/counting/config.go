package counting

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	// MaxHashes is the largest k.
	MaxHashes = cells.MaxHashes

	// MaxWidth is the largest width of a cell in bits.
	MaxWidth = 16

	// DefaultWidth is the width that the paper recommends. With the best k a cell of 4 bits
	// saturates with a probability of 1.4e-15 (Fan et al., section V-C).
	DefaultWidth = 4
)

// Config is the plan of a filter. Members and one of BitsPerKey and Rate are required.
type Config struct {
	// Members is the number of members at a time to plan for, at least 1. The filter takes more,
	// with more false positives.
	Members int

	// BitsPerKey sizes the filter by memory, in bits of the table per planned member: Width times
	// the cells per member. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: New makes the smallest table whose expected
	// rate with the Members in is at most Rate. It is above 0 and below 1.
	Rate float64

	// Turnovers is how many times all members are replaced. The size does not depend on it, because
	// cells of DefaultWidth and more hardly ever saturate. For a smaller Width it must be 0.
	Turnovers float64

	// Hashes is k, the number of cells of a key, up to MaxHashes. With 0, New takes the k of the
	// lowest rate.
	Hashes int

	// Width is the number of bits of a cell, 1 to MaxWidth; 0 means DefaultWidth. Cells do not
	// cross words of 64 bits, so a width that does not divide 64 leaves 1 to 12 bits of each word
	// unused.
	Width int

	// Key is the secret hash key. With the zero Key, New draws a random one.
	Key key.Key
}

// Shape returns the size of the filter that [New] makes of c. The error is a *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(kind.Name, &plan.Members, c.Rate, plan.attempt)
}

// attempt returns the shape of c. The error is a *[base.RateError] if none keeps the rate.
func (c *Config) attempt() (Shape, error) {
	s := filter.Sizing{
		Members: c.Members, BitsPerKey: c.BitsPerKey, Rate: c.Rate, Turnovers: c.Turnovers,
	}
	if err := s.Check(kind.Name); err != nil {
		return Shape{}, err
	}
	width := c.Width
	if width == 0 {
		width = DefaultWidth
	}
	switch {
	case c.Hashes < 0 || c.Hashes > MaxHashes:
		return Shape{}, c.wrong("Hashes", c.Hashes, fmt.Sprintf("0 to %d", MaxHashes))
	case width < 0 || width > MaxWidth:
		return Shape{}, c.wrong("Width", c.Width, fmt.Sprintf("0 to %d", MaxWidth))
	case width < DefaultWidth && c.Turnovers > 0:
		return Shape{}, c.wrong("Turnovers", c.Turnovers,
			fmt.Sprintf("0 with cells of %d bits, which saturate", width))
	}
	sized := func(words uint64) Shape {
		size := shapeOf(cells.Shape{Words: words, Width: width, Hashes: c.Hashes})
		if size.Hashes == 0 {
			size.Hashes = size.bestHashes(c.Members)
		}
		return size
	}
	if c.Rate == 0 {
		return sized((uint64(s.Bits()) + 63) / 64), nil
	}
	const most = filter.MaxBits / 64
	rate := func(words int) float64 { return sized(uint64(words)).Rate(c.Members) }
	words, has := expected.Smallest(expected.Needed(c.Members, c.Rate)/(64/width), most, c.Rate, rate)
	if !has {
		return Shape{}, &base.RateError{Best: rate(most)}
	}
	return sized(uint64(words)), nil
}

// bestHashes returns the k of the lowest rate with a number of members in: near m/n ln 2 for m
// cells (Fan et al., section V-B).
func (s Shape) bestHashes(members int) int {
	rate := func(k int) float64 {
		s.Hashes = k
		return s.Rate(members)
	}
	k := int(max(1, min(math.Ceil(float64(s.Cells)/float64(members)*math.Ln2), MaxHashes)))
	for k > 1 && rate(k-1) <= rate(k) {
		k--
	}
	return k
}

func (c *Config) wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kind.Name, Field: field, Found: found, Expected: expected}
}
