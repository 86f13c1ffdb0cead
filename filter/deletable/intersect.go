package deletable

import (
	"math"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// Intersect removes from f what is not in other, a filter with the same key and number of blocks.
// other does not change. A key is present afterwards if and only if it was present in both. A
// member of both stays a member, and can be deleted. The errors are those of [Filter.Merge].
//
// A filter that is built from the members of both alone is better: in the intersection, a member of
// only one filter is present with the false-positive rate of the other. Other keys are present with
// a lower rate than in either filter.
//
// The number of members that are left is an estimate from the bits of both. The difference counts
// as deleted: see [Filter.Members]. The plan of f does not change.
func (f *Filter) Intersect(other filter.Stored) error {
	to, from, err := base.Pair("intersect", &f.Body, other)
	if err != nil {
		return err
	}
	members := float64(min(to.history.Members(), from.history.Members()))
	left := uint64(math.Round(min(to.common(from).Members, members)))
	to.blocks.Intersect(from.blocks)
	runtime.KeepAlive(from)
	to.history.Deleted = base.Total(to.history.Deleted, uint64(to.history.Members())-left)
	to.round = round{} // other's blocks were not refreshed in it
	runtime.KeepAlive(to)
	return nil
}
