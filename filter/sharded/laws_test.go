package sharded

import (
	"fmt"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
)

// A sharded filter keeps the laws of a deletable filter, and has the same file.
func TestLaws(t *testing.T) {
	kind := deletable.Kind
	kind.New = filter.NewOf(func(s filter.Sizing) (*Filter, error) {
		return New(deletable.Config(s))
	})
	kind.Decode = filter.DecodeOf(Decode)
	kind.Fold, kind.Intersect = nil, nil // a Snapshot has them
	kind.Merge = func(to, from filter.Stored) error {
		f, ok := to.(*Filter)
		if !ok {
			return file.Wrong(file.ErrKind, fmt.Sprintf("a %T", to), fmt.Sprintf("a %T", f))
		}
		return f.Merge(from)
	}
	filtertest.Run(t, kind)
}
