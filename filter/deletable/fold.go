package deletable

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// Fold returns a new filter with the members of f in half the blocks, so that it can merge with
// filters of that size. f does not change. Blocks 2i and 2i + 1 become block i. If nothing was
// deleted, the result is the filter of the same inserts in half the blocks, bit for bit. It has the
// key, the counters and the planned members of f; its false-positive rate and its planned rate are
// those of its size.
//
// The error wraps [filter.ErrOddSize] if the number of blocks is odd, or [filter.ErrClosed]. It is
// a *[filter.SizingError] if the plan is not possible in so few blocks.
func (f *Filter) Fold() (filter.Stored, error) {
	t := base.Live(&f.Body)
	if t == nil {
		return nil, fmt.Errorf("fold: %w", filter.ErrClosed)
	}
	nblocks := len(t.blocks)
	if nblocks%2 != 0 {
		return nil, fmt.Errorf("fold: %w: found %d blocks", filter.ErrOddSize, nblocks)
	}
	p := t.plan
	plan := planning.Plan{Members: int(p.members), Bytes: nblocks / 2 * BlockBytes,
		Turnovers: p.turnovers, Lifetime: p.lifetime, Reinserts: p.reinserts, BlockBits: blockBits}
	planned, err := sizeOf(&plan)
	if err != nil {
		return nil, fmt.Errorf("fold: %w", err)
	}
	p.rate = planned.rate
	half := newTable(nblocks/2, p)
	half.blocks.Fold(t.blocks)
	half.history = t.history
	runtime.KeepAlive(t)
	return base.Sibling(f, half), nil
}
