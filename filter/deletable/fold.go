package deletable

import (
	"fmt"
	"math"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Fold implements [filter.Folder]. The result has the key, the counters and the planned members of
// f; its false-positive rate and its planned rate are those of its size. The error may also be a
// *[filter.SizingError], if the plan is not possible in so few blocks.
func (f *Filter) Fold(divisor int) (filter.Stored, error) {
	t := base.Live(&f.Body)
	if t == nil {
		return nil, fmt.Errorf("fold: %w", filter.ErrClosed)
	}
	nblocks, err := base.Part(len(t.blocks), divisor)
	if err != nil {
		return nil, err
	}
	p := t.plan
	plan := planning.Plan{Members: int(p.members), Bytes: nblocks * BlockBytes,
		Turnovers: p.turnovers, Lifetime: p.lifetime, Reinserts: p.reinserts, BlockBits: blockBits}
	planned, err := sizeOf(&plan)
	if err != nil {
		return nil, fmt.Errorf("fold: %w", err)
	}
	p.rate = planned.rate
	folded := t.folded(nblocks, p)
	runtime.KeepAlive(t)
	return base.Sibling(f, folded), nil
}

// folded returns the fold of a table into nblocks, with a plan.
func (t *table) folded(nblocks int, p plan) *table {
	folded := newTable(nblocks, p)
	folded.blocks.Fold(t.blocks)
	folded.history = t.history
	return folded
}

// FoldTo implements [filter.Folder]. It is [Filter.FoldKeeping] with a deletability of 0.
func (f *Filter) FoldTo(rate float64) (filter.Stored, error) { return f.FoldKeeping(rate, 0) }

// FoldKeeping is FoldTo for the smallest fold that also keeps a deletability, the expected share of
// the members whose delete will clear bits. If f has had deletes, the rate is that of the bits of
// the fold, and the deletability is estimated from them as in [Health].
func (f *Filter) FoldKeeping(rate, deletability float64) (filter.Stored, error) {
	t := base.Live(&f.Body)
	if t == nil {
		return nil, fmt.Errorf("fold: %w", filter.ErrClosed)
	}
	defer runtime.KeepAlive(t)
	inserts, members := max(1, int(t.history.Inserts)), int(math.Round(t.estimate().Members))
	folded := func(nblocks int) *table {
		return t.folded(nblocks,
			plan{members: uint64(inserts), rate: Shape{nblocks}.Rate(inserts)})
	}
	// the deletability is 0 or 1 if it does not matter
	of := func(nblocks int) (now, deletable float64) {
		switch now = (Shape{nblocks}).Rate(members); {
		case members == 0 || now > rate:
			return now, 1
		case t.history.Deleted+t.history.Retained > 0:
			part := folded(nblocks)
			s := part.stats()
			if deletability > 0 {
				deletable = part.deletability(&s)
			}
			return s.Rate, deletable
		case deletability > 0:
			deletable = planning.FreshDeletability(blockBits, members, nblocks)
		}
		return now, deletable
	}
	nblocks, is := expected.SmallestPart(len(t.blocks), func(part int) bool {
		now, deletable := of(part)
		return now <= rate && deletable >= deletability
	})
	if !is {
		now, deletable := of(nblocks)
		if now > rate {
			return nil, base.FoldError(kindName, "Rate", rate, now)
		}
		return nil, base.FoldError(kindName, "Deletability", deletability, deletable)
	}
	return base.Sibling(f, folded(nblocks)), nil
}
