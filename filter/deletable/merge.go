package deletable

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// Merge adds the members of other, a filter of the same key and number of blocks, which stays as it
// is. Its error wraps [file.ErrWrongKey], [filter.ErrUnequalSize], [filter.ErrSelf] or, where one
// of the two is closed or other is nil, [filter.ErrClosed], and then nothing changed.
//
// A member of both counts twice, is pinned by the collisions that it has with itself, and is
// Retained when deleted. Without deletes before, f is then what inserting everything into one
// filter would have made it. The plan becomes that for more members, and of two for as many that
// for more turnovers; of equal ones f's stays, with its lifetime. The inserts of both count against
// it: see [Filter.Due].
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
	if f == other {
		return nil, nil, fmt.Errorf("%s: %w", op, filter.ErrSelf)
	}
	return to, from, nil
}

func (f *Filter) mergeable(t *table) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	return filter.Mergeable{Open: true, Fingerprint: f.fingerprint,
		Shape: fmt.Sprintf("%d blocks", len(t.blocks))}
}
