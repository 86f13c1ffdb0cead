package sharded

import (
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/filtertest"
)

// A sharded filter keeps the laws of a deletable filter, and has the same file.
func TestLaws(t *testing.T) {
	kind := deletable.Kind
	kind.New = base.NewOf(func(s filter.Sizing) (*Filter, error) {
		return New(deletable.Config(s))
	})
	kind.Decode = base.DecodeOf(Decode)
	filtertest.Run(t, kind)
}
