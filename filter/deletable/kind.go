package deletable

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Promises is the set of promises of this kind.
const Promises = filter.NoFalseNegatives | filter.Deletes | filter.Multiset | filter.MergesExactly |
	filter.KeepsRate

// Kind describes the kind, for programs that work with any kind.
var Kind = filter.Kind{
	Name: kindName,
	Source: "Rothenberg, Macapuna, Verdi and Magalhães: The Deletable Bloom Filter (IEEE " +
		"Communications Letters, 2010)",
	Promises:  Promises,
	New:       filter.NewOf(func(s filter.Sizing) (*Filter, error) { return New(Config(s)) }),
	Decode:    filter.DecodeOf(Decode),
	Merge:     filter.MergeOf((*Filter).Merge),
	Intersect: filter.MergeOf((*Filter).Intersect),
	Fold:      filter.FoldOf((*Filter).Fold),
}

// Fresh returns an empty filter with the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.empty(f.Blocks()) }

// expectedFill returns the expected share of the data bits that are set after a number of inserts.
// Each insert sets one bit per lane.
func expectedFill(inserts, nblocks int) float64 {
	return expected.Fill(float64(inserts), float64(laneBits*nblocks))
}

// State returns the size, the members, the fill and the rate: see [filter.State]. Before the first
// delete it computes fill and rate from the counters, and later from a scan of the table.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	s := filter.State{Bytes: len(t.blocks) * BlockBytes, Members: float64(f.history.Members())}
	if f.history.Deleted == 0 && f.history.Retained == 0 {
		inserts := int(f.history.Inserts)
		s.Rate, s.Fill = ExpectedRate(inserts, len(t.blocks)), expectedFill(inserts, len(t.blocks))
		return s
	}
	ones, _ := t.blocks.Count()
	s.Fill = float64(ones) / float64(len(t.blocks)) / (dataLanes * laneBits)
	s.Rate, s.Scanned = expected.RateOf(t.blocks), true
	runtime.KeepAlive(t)
	return s
}

// ScanFill returns the share of the data bits in use and the most that an insert adds to it: see
// [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	ones, _ := t.blocks.Count()
	runtime.KeepAlive(t)
	bits := float64(len(t.blocks) * dataLanes * laneBits)
	return float64(ones) / bits, dataLanes / bits, nil
}
