package deletable

import (
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/planning"
)

const (
	laneBits  = blockBits / fallback.Lanes
	blockBits = 512
	dataLanes = fallback.K // the number of data lanes, and of bits per key
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Blocks int // of [BlockBytes] each, 1 to [MaxBlocks]
}

// Rate returns the false-positive rate that is expected after a number of inserts of different keys
// and no deletes. It is the mean over hash keys: see [planning.Prediction.Rate99] for single
// filters. Rate panics if inserts is negative, or if there is no block.
//
// The rate is higher than that of a Bloom filter without blocks, because some blocks have more keys
// than others: docs/theory.md has the formula. Package planning also predicts rates of
// filters whose members come and go.
func (s Shape) Rate(inserts int) float64 {
	if inserts < 0 || s.Blocks < 1 {
		panic(fmt.Sprintf("deletable: the rate of %d inserts into %d blocks", inserts, s.Blocks))
	}
	return planning.FreshRate(blockBits, inserts, s.Blocks)
}

// Bytes returns the memory of the table.
func (s Shape) Bytes() int { return s.Blocks * BlockBytes }

func (s Shape) String() string { return fmt.Sprintf("%d blocks", s.Blocks) }

// Shape returns the size of the filter that [New] makes for c. The error is a
// *[filter.SizingError].
func (c *Config) Shape() (Shape, error) {
	size, err := c.solve()
	return Shape{size.blocks}, err
}

// Shape returns the size of the filter.
func (f *Filter) Shape() Shape { return base.Open(&f.Body).shape() }

func (t *table) shape() Shape { return Shape{len(t.blocks)} }
