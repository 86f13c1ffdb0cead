package deletable

import (
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Estimate implements [filter.Estimator]. A delete clears only some bits of its key, so the
// estimate is rather of the inserts: after one turnover at 16 bits per key it is 66 % above the
// members.
func (f *Filter) Estimate() filter.Estimate {
	t := base.Open(&f.Body)
	e := t.estimate()
	runtime.KeepAlive(t)
	return e
}

// EstimateCommon implements [filter.Estimator].
func (f *Filter) EstimateCommon(other filter.Stored) (filter.Estimate, error) {
	t, u, err := base.Pair("estimate", &f.Body, other)
	if err != nil {
		return filter.Estimate{}, err
	}
	e := t.common(u)
	runtime.KeepAlive(t)
	runtime.KeepAlive(u)
	return e, nil
}

// dataBlock is how the keys of a block hit its data lanes.
var dataBlock = expected.Lanes{Count: dataLanes, Bits: laneBits}.Block()

func (t *table) estimate() filter.Estimate {
	ones, _ := t.blocks.Count()
	return filter.Estimate(dataBlock.Estimate(len(t.blocks)*dataBlock.Cells-ones, len(t.blocks)))
}

// common estimates how many keys two tables have in common.
func (t *table) common(u *table) filter.Estimate {
	all := len(t.blocks) * dataBlock.Cells
	first, second, merged := all, all, all
	for i := range t.blocks {
		a, b := &t.blocks[i], &u.blocks[i]
		for lane := len(a) - dataLanes; lane < len(a); lane++ {
			first -= bits.OnesCount64(a[lane])
			second -= bits.OnesCount64(b[lane])
			merged -= bits.OnesCount64(a[lane] | b[lane])
		}
	}
	return filter.Estimate(dataBlock.Common(first, second, merged, len(t.blocks)))
}
