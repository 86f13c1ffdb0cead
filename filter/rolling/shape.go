package rolling

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Shape is the size of a filter. Its methods compute what the theory expects.
type Shape struct {
	Generations int // tables in the ring
	Capacity    int // inserts per table
	Blocks      int // per table, of [deletable.BlockBytes] each
}

// Rate returns the sum of the false-positive rates that are expected of the tables after a number
// of inserts of different keys and no deletes, at most 1. It is the mean over hash keys.
//
// From Generations*Capacity inserts on, such as after [math.MaxInt], it is the planned rate: after
// any inserts and deletes, the mean rate is at most this. About half of all full filters, with
// Capacity inserts in each table, are above it. Rate panics if inserts is negative.
func (s Shape) Rate(inserts int) float64 {
	if inserts < 0 {
		panic(fmt.Sprintf("rolling: the rate of %d inserts", inserts))
	}
	full, table := min(inserts/s.Capacity, s.Generations), deletable.Shape{Blocks: s.Blocks}
	rate := float64(float64(full) * table.Rate(s.Capacity))
	if full < s.Generations {
		rate += table.Rate(inserts % s.Capacity)
	}
	return min(1, rate)
}

// Rate99 returns the rate that about 99 of 100 full filters are below. With a million members it is
// hardly more than the planned rate. Planned for 1 %, it is 1.15 times as much with a thousand
// members, and 1.5 times with a hundred.
func (s Shape) Rate99() float64 {
	spread := expected.RateSpread(s.Capacity, s.Blocks,
		expected.Lanes{Count: dataLanes, Bits: regions})
	return max(s.Rate(math.MaxInt), min(1, spread.Times(s.Generations).Below99()))
}

// Bytes returns the memory of all tables.
func (s Shape) Bytes() int { return s.Generations * s.Blocks * deletable.BlockBytes }

func (s Shape) String() string {
	return fmt.Sprintf("%d tables of %d blocks", s.Generations, s.Blocks)
}

// Shape returns the size of the filter.
func (f *Filter) Shape() Shape { return base.Require(&f.Life).shape }
