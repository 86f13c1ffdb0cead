package audit

import (
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key"
)

// An audited filter keeps the laws of its kind. Every hash that can be is in the sample, and looked
// at.
func TestLaws(t *testing.T) {
	for _, kind := range []base.Kind{deletable.Kind, cuckoo.Kind} {
		t.Run(kind.Name, func(t *testing.T) { filtertest.Run(t, audited(kind)) })
	}
}

// audited returns a kind whose filters are audited ones.
func audited(kind base.Kind) base.Kind {
	audit := func(f filter.Stored, err error) (filter.StoredSet, error) {
		if err != nil {
			return nil, err
		}
		a, err := New(f.(Deleter), Config{Every: 64})
		if err == nil {
			a.groups = math.MaxUint64
		}
		return a, err
	}
	plain := kind
	kind.New = func(s filter.Sizing) (filter.StoredSet, error) { return audit(plain.New(s)) }
	kind.Decode = func(c *file.Contents, k key.Key) (filter.Stored, error) {
		return audit(plain.Decode(c, k))
	}
	return kind
}
