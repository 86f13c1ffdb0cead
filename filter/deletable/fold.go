package deletable

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/kernel"
)

// Fold returns a filter of f's members in half the blocks, which merges with filters of that size;
// f stays as it is. Blocks 2i and 2i + 1 become block i, so that the new filter is what inserting
// everything into one of its size would have made, if there were no deletes. Its rate of false
// positives is that of its size. The key, the counters and the planned members stay, and the
// planned rate becomes that of the smaller table.
//
// Its error wraps [filter.ErrOddSize] where the number of blocks is odd, and [filter.ErrClosed]; it
// is a *[filter.SizingError] where no plan has so few blocks.
func (f *Filter) Fold() (*Filter, error) {
	t := f.table.Load()
	if t == nil {
		return nil, fmt.Errorf("fold: %w", filter.ErrClosed)
	}
	nblocks := len(t.blocks)
	if nblocks%2 != 0 {
		return nil, fmt.Errorf("fold: %w: found %d blocks", filter.ErrOddSize, nblocks)
	}
	p := f.plan
	plan := planning.Plan{Members: int(p.members), Bytes: nblocks / 2 * BlockBytes,
		Turnovers: p.turnovers, Lifetime: p.lifetime, Reinserts: p.reinserts, BlockBits: blockBits}
	planned, err := plan.Solve()
	if err != nil {
		return nil, fmt.Errorf("fold: %w", configError(err))
	}
	p.rate = planned.End.Rate
	half := kernel.NewTable512(nblocks / 2)
	half.Fold(t.blocks)
	runtime.KeepAlive(t)
	g := filterOf(&table{blocks: half}, f.Key(), p)
	g.history, g.fingerprint = f.history, f.fingerprint
	return g, nil
}
