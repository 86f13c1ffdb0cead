package dlbf

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// Merge adds the members of other, a filter of the same key, m, r and k, which stays as it is. A
// cell that is set in both is a collision, so f is then what inserting everything into one filter
// would have made it; the plan becomes that for more members. Its error wraps [file.ErrWrongKey],
// [filter.ErrUnequalSize], [filter.ErrSelf] or, where one of the two is closed or other is nil,
// [filter.ErrClosed], and then nothing changed.
func (f *Filter) Merge(other *Filter) error {
	if other == nil {
		return fmt.Errorf("merge: %w: found nil, expected a filter", filter.ErrClosed)
	}
	to, from := f.table.Load(), other.table.Load()
	if err := filter.CheckMerge("merge", f.mergeable(to), other.mergeable(from)); err != nil {
		return err
	}
	if f == other {
		return fmt.Errorf("merge: %w", filter.ErrSelf)
	}
	to.merge(&from.Array)
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	f.history.Add(other.history)
	f.planned = max(f.planned, other.planned)
	return nil
}

func (f *Filter) mergeable(t *table) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	return filter.Mergeable{Open: true, Fingerprint: f.fingerprint, Shape: t.shape.String()}
}
