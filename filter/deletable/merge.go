package deletable

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// Merge adds the members of other, a filter with the same key and number of blocks. other does not
// change. On an error nothing changes: the error wraps [file.ErrWrongKey], [filter.ErrUnequalSize],
// [filter.ErrSelf], or [filter.ErrClosed] if one of the two is closed or other is nil.
//
// A member of both counts twice, and a delete of it is Retained, because all its bits have
// collided. If nothing was deleted from the two before, f is then the filter of the inserts into
// both, bit for bit. f gets the plan for more members; if both plans have as many, the one for more
// turnovers; and else it keeps its own. The inserts of both count against the plan: see
// [Filter.Due].
func (f *Filter) Merge(other *Filter) error {
	to, from, err := f.with("merge", other)
	if err != nil {
		return err
	}
	to.blocks.Merge(from.blocks)
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	if f.plan.below(&other.plan) {
		f.plan = other.plan
	}
	f.history.Add(other.history)
	f.round = round{} // other's blocks were not refreshed in it
	return nil
}

// with returns the tables of two filters for an operation on both.
func (f *Filter) with(op string, other *Filter) (to, from *table, err error) {
	if other == nil {
		return nil, nil, fmt.Errorf("%s: %w: found nil, expected a filter", op, filter.ErrClosed)
	}
	to, from = f.table.Load(), other.table.Load()
	if err := filter.CheckMerge(op, f.mergeable(to), other.mergeable(from)); err != nil {
		return nil, nil, err
	}
	return to, from, nil
}

func (f *Filter) mergeable(t *table) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	return filter.Mergeable{Open: true, Fingerprint: f.fingerprint,
		Shape: fmt.Sprintf("%d blocks", len(t.blocks)), Memory: &t.blocks[0]}
}
