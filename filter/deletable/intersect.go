package deletable

import (
	"math"
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/kernel"
)

// Intersect leaves in f the members that other, a filter of the same key and number of blocks, has
// too; other stays as it is. A key is present then just where it was present in both, and a key
// that was a member of both is one of f, as often as it was one where that is less often: it can be
// deleted. Its error is that of [Filter.Merge].
//
// So no member of both is lost, but the filter is worse than one that is made of the members of
// both. A key that was a member of one is present with the false-positive rate of the other, and
// other keys with less than either rate.
//
// Nobody counted the members of both. What f loses counts as deleted, by an estimate from the bits
// of the two: see [Filter.Members]. The plan of f stays.
func (f *Filter) Intersect(other *Filter) error {
	to, from, err := f.with("intersect", other)
	if err != nil {
		return err
	}
	members := float64(min(f.Members(), other.Members()))
	left := uint64(math.Round(max(0, min(common(to.blocks, from.blocks), members))))
	to.blocks.Intersect(from.blocks)
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	f.history.Deleted = filter.Total(f.history.Deleted, uint64(f.Members())-left)
	f.round = round{} // other's blocks were not refreshed in it
	return nil
}

// common estimates how many keys two tables have in common: those of one and those of the other,
// less those of both merged.
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

// keysOf estimates how many keys set a number of data bits: the inverse of expectedFill. With all
// bits set that is as many as leave half a bit.
func keysOf(ones, nblocks int) float64 {
	all := float64(nblocks) * laneBits * dataLanes
	fill := min(float64(ones), all-0.5) / all
	return math.Log1p(-fill) / math.Log1p(-1/float64(laneBits*nblocks))
}
