package sharded

import (
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key"
)

// A sharded filter keeps the laws of a deletable filter, and has the same file.
func TestLaws(t *testing.T) {
	kind := deletable.Kind
	of := func(f *deletable.Filter, err error) (*Filter, error) {
		if err != nil {
			return nil, err
		}
		return Of(f)
	}
	kind.New = filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		return New(deletable.Config(s))
	})
	kind.Decode = filter.DecodeOf(func(c *file.Contents, k key.Key) (*Filter, error) {
		return of(deletable.Decode(c, k))
	})
	kind.Fold, kind.Intersect = nil, nil                       // a Snapshot has them
	kind.Merge = filter.MergeOf(func(to, from *Filter) error { // by a Snapshot, as a program would
		a, err := to.Snapshot()
		if err != nil {
			return err
		}
		b, err := from.Snapshot()
		if err != nil {
			return err
		}
		if to == from {
			b = a
		}
		if err := a.Merge(b); err != nil {
			return err
		}
		merged, err := Of(a)
		if err == nil {
			to.table.Set(merged.table.Load())
		}
		return err
	})
	filtertest.Run(t, kind)
}
