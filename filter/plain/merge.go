package plain

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// Merge adds the members of other, which must have the same key, size and k, and does not change. f
// is then the filter of all inserts of both. It keeps the plan for more members. The error wraps
// [file.ErrWrongKey], [filter.ErrUnequalSize] or [filter.ErrSelf], or [filter.ErrClosed] if one of
// the two is closed or other is nil. On an error f does not change.
func (f *Filter) Merge(other *Filter) error {
	if other == nil {
		return fmt.Errorf("merge: %w: found nil, expected a filter", filter.ErrClosed)
	}
	to, from := f.table.Load(), other.table.Load()
	if err := filter.CheckMerge("merge", f.mergeable(to), other.mergeable(from)); err != nil {
		return err
	}
	for i, word := range from.Words {
		to.Words[i] |= word
	}
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	f.inserts = filter.Total(f.inserts, other.inserts)
	f.planned = max(f.planned, other.planned)
	return nil
}

func (f *Filter) mergeable(t *table) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	shape := fmt.Sprintf("%s, %v", f.kind(), t.Shape)
	return filter.Mergeable{Open: true, Fingerprint: f.fingerprint, Shape: shape,
		Memory: &t.Words[0]}
}
