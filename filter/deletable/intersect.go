package deletable

import (
	"math"
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/kernel"
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
	left := uint64(math.Round(max(0, min(common(to.blocks, from.blocks), members))))
	to.blocks.Intersect(from.blocks)
	runtime.KeepAlive(from)
	to.history.Deleted = base.Total(to.history.Deleted, uint64(to.history.Members())-left)
	to.round = round{} // other's blocks were not refreshed in it
	runtime.KeepAlive(to)
	return nil
}

// common estimates how many keys two tables have in common: the keys of one, plus the keys of the
// other, minus the keys of their merge.
func common(a, b kernel.Table512) float64 {
	var first, second, merged int
	for i := range a {
		for lane := len(a[i]) - dataLanes; lane < len(a[i]); lane++ {
			first += bits.OnesCount64(a[i][lane])
			second += bits.OnesCount64(b[i][lane])
			merged += bits.OnesCount64(a[i][lane] | b[i][lane])
		}
	}
	return keysOf(first, len(a)) + keysOf(second, len(a)) - keysOf(merged, len(a))
}

// keysOf estimates how many keys set the given number of data bits. It is the inverse of
// expectedFill. If all bits are set, it counts as if half a bit were clear.
func keysOf(ones, nblocks int) float64 {
	all := float64(float64(nblocks) * laneBits * dataLanes)
	fill := min(float64(ones), all-0.5) / all
	return elementary.Log1p(-fill) / elementary.Log1p(-1/float64(laneBits*nblocks))
}
