package elastic

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/words"
)

// Merge adds the members of other, which must have the same key and plan, and does not change. f is
// then the filter of all inserts of both. One of them may have grown further than the other. The
// error wraps [file.ErrWrongKey], [filter.ErrUnequalSize], [filter.ErrSelf] or [ErrFull], or
// [filter.ErrClosed] if one of the two is closed or other is nil. On an error f does not change.
func (f *Filter) Merge(other *Filter) error {
	to, from, err := f.check("merge", other)
	if err != nil {
		return err
	}
	if all := f.members + other.members; all > f.plan.most {
		return fmt.Errorf("merge: %w", &FullError{all, f.plan.most})
	}
	_, err = f.insertAll(to, other.sorted(from), nil)
	return err
}

// Intersect deletes the members of f that are not members of other, which must have the same key
// and plan, and does not change. A key stays a member as often as in the filter that has it less
// often. The errors are those of [Filter.Merge], without [ErrFull].
func (f *Filter) Intersect(other *Filter) error {
	to, from, err := f.check("intersect", other)
	if err != nil {
		return err
	}
	theirs := other.sorted(from)
	var gone []uint64
	for _, hash := range f.sorted(to) {
		for len(theirs) > 0 && theirs[0] < hash {
			theirs = theirs[1:]
		}
		if len(theirs) > 0 && theirs[0] == hash {
			theirs = theirs[1:]
		} else {
			gone = append(gone, hash)
		}
	}
	f.deleteAll(to, gone, nil)
	return nil
}

// check returns the tables that queries read, for an operation on both filters.
func (f *Filter) check(op string, other *Filter) (to, from *table, err error) {
	if other == nil {
		return nil, nil, fmt.Errorf("%s: %w: found nil, expected a filter", op, filter.ErrClosed)
	}
	to, from = words.Held(&f.Life), words.Held(&other.Life)
	if err := filter.CheckMerge(op, f.mergeable(to), other.mergeable(from)); err != nil {
		return nil, nil, err
	}
	return to, from, nil
}

func (f *Filter) mergeable(t *table) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	shape := fmt.Sprintf("elastic, %d members in %d blocks to begin with", f.plan.members,
		f.plan.blocks)
	return filter.Mergeable{Open: true, Fingerprint: words.Fingerprint(&f.Life), Shape: shape,
		Memory: t}
}
