package deletable

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
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
func (f *Filter) Merge(other filter.Stored) error {
	return base.Merge(&f.Body, other, nil, (*table).merge)
}
