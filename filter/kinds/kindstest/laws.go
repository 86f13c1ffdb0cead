// Package kindstest tests a list of kinds of filters: each by the laws of package filtertest, and
// what they have in common as a list: names, files that are documented and stay readable, wrappers,
// and the attacks of docs/keyed-hashing.md. It is for the tests of package kinds and of the
// family of kinds beside it.
package kindstest

import (
	"errors"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/kinds"
)

// Suite has the tests of a list of kinds.
type Suite struct {
	Kinds  kinds.List
	Makers map[string]filtertest.Maker // of the kinds that are made from others, by name
	Docs   string                      // the folder of the pages on files and attacks
}

// made returns a filter of a kind, also of a kind whose filters are made from others.
func (suite Suite) made(kind base.Kind, sizing filter.Sizing) (filter.Stored, error) {
	if kind.From != "" {
		return suite.Makers[kind.Name](sizing, []uint64{1, 2, 3})
	}
	return kind.New(sizing)
}

// Laws tests that every kind in the list keeps the laws of its promises.
func (suite Suite) Laws(t *testing.T) {
	var names []string
	for _, kind := range suite.Kinds {
		if slices.Contains(names, kind.Name) {
			t.Errorf("two kinds are called %s", kind.Name)
		}
		names = append(names, kind.Name)
		t.Run(kind.Name, func(t *testing.T) {
			if kind.From == "" {
				filtertest.Run(t, kind)
				return
			}
			maker := suite.Makers[kind.Name]
			if maker == nil {
				t.Fatal("no maker: add one to Makers")
			}
			filtertest.RunMade(t, kind, maker)
		})
	}
}

// New tests that a list's kinds make filters from a Sizing, or say what else they are made from.
func (suite Suite) New(t *testing.T) {
	for _, kind := range suite.Kinds {
		f, err := kind.New(filter.Sizing{Members: 100, BitsPerKey: 16})
		if kind.From == "" {
			if err != nil {
				t.Errorf("%s: %v", kind.Name, err)
			}
			continue
		}
		var sizing *filter.SizingError
		if f != nil || !errors.As(err, &sizing) || sizing.Kind != kind.Name ||
			sizing.Expected != kind.From || suite.Makers[kind.Name] == nil {
			t.Errorf("%s, made from %s: %v", kind.Name, kind.From, err)
		}
	}
}
