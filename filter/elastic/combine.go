package elastic

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// Merge adds the members of other, which must have the same key and plan, and does not change. f is
// then the filter of all inserts of both. One of them may have grown further than the other. The
// error wraps [file.ErrWrongKey], [filter.ErrUnequalSize], [filter.ErrSelf] or [filter.ErrFull], or
// [filter.ErrClosed] if one of the two is closed or other is nil. On an error f does not change.
func (f *Filter) Merge(other filter.Stored) error {
	o, to, from, err := f.check("merge", other)
	if err != nil {
		return err
	}
	if all := f.members + o.members; all > f.most {
		return fmt.Errorf("merge: %w", &FullError{all, f.most})
	}
	_, err = f.insertAll(to, o.sorted(from), nil)
	return err
}

// Intersect deletes the members of f that are not members of other, which must have the same key
// and plan, and does not change. A key stays a member as often as in the filter that has it less
// often. The errors are those of [Filter.Merge], without [filter.ErrFull].
func (f *Filter) Intersect(other filter.Stored) error {
	o, to, from, err := f.check("intersect", other)
	if err != nil {
		return err
	}
	theirs := o.sorted(from)
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

// check returns the other filter, and the tables that queries read, for an operation on both.
func (f *Filter) check(op string, other filter.Stored) (o *Filter, to, from *table, err error) {
	if o, err = base.Partner[Filter](op, other); err != nil {
		return nil, nil, nil, err
	}
	to, from = base.Held(&f.Life), base.Held(&o.Life)
	return o, to, from, base.CheckMerge(op, f.mergeable(to), o.mergeable(from))
}

func (f *Filter) mergeable(t *table) base.Mergeable {
	if t == nil {
		return base.Mergeable{}
	}
	shape := fmt.Sprintf("elastic, %d members in %d blocks to begin with", f.plan.members,
		f.plan.blocks)
	return base.Mergeable{Open: true, Key: base.Identity(&f.Life), Shape: shape,
		Memory: t}
}
