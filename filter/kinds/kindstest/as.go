package kindstest

import (
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
)

// abilities are all interfaces of what a filter can do.
var abilities = map[string]func(filter.Querier) (any, bool){
	"Set": ask[filter.Set], "Deleter": ask[filter.Deleter], "Counter": ask[filter.Counter],
	"Grower": ask[filter.Grower], "Clearer": ask[filter.Clearer],
	"Prefetcher": ask[filter.Prefetcher], "Scanner": ask[filter.Scanner],
	"Merger": ask[filter.Merger], "Intersecter": ask[filter.Intersecter],
	"Estimator": ask[filter.Estimator],
	"Folder":    ask[filter.Folder], "Content": ask[filter.Content], "Stored": ask[filter.Stored],
	"Rebuilder": ask[filter.Rebuilder], "Resetter": ask[filter.Resetter],
}

func ask[T any](f filter.Querier) (any, bool) { return filter.As[T](f) }

// wrapper hides what a filter can do.
type wrapper struct{ filter.Stored }

func (w wrapper) Unwrap() filter.Stored { return w.Stored }

// As tests that what a filter can do is found through wrappers, one or two, open or closed.
func (suite Suite) As(t *testing.T) {
	for _, kind := range suite.Kinds {
		f, err := suite.made(kind, filter.Sizing{Members: 100, BitsPerKey: 16, Key: key.New()})
		if err != nil {
			t.Fatal(err)
		}
		wrapped := map[string]filter.Stored{"": f, "wrapper of ": wrapper{f}}
		of, ok := f.(audit.Deleter)
		if ok && kind.Promises.Has(base.NoFalseNegatives|base.Multiset) &&
			!kind.Promises.Has(base.Grows) {
			audited, err := audit.New(of, audit.Config{})
			if err != nil {
				t.Fatal(err)
			}
			wrapped["audit of "] = audited
			wrapped["wrapper of audit of "] = wrapper{audited}
		}
		for _, closed := range []bool{false, true} {
			if closed {
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
			for name, as := range abilities {
				_, want := as(f)
				for by, g := range wrapped {
					if found, ok := as(g); ok != want || ok == (found == nil) {
						t.Errorf("%s%s, closed %v: a %s: %v, want %v", by, kind.Name, closed, name,
							ok, want)
					}
				}
			}
		}
	}
	for _, none := range []filter.Querier{nil, new(audit.Filter)} {
		if f, ok := filter.As[filter.Grower](none); ok || f != nil {
			t.Errorf("%T grows", none)
		}
	}
}

// Abilities tests which kinds can do what, by their names, which is their authors' word: a
// signature that is a little wrong would be no error, but a kind without the ability.
func (suite Suite) Abilities(t *testing.T, want map[string]string) {
	for ability, kinds := range want {
		var found []string
		for _, kind := range suite.Kinds {
			sizing := filter.Sizing{Members: 100, BitsPerKey: 16, Key: key.New()}
			f, err := suite.made(kind, sizing)
			if err != nil {
				t.Fatal(err)
			}
			if _, can := abilities[ability](f); can {
				found = append(found, kind.Name)
			}
		}
		if got := strings.Join(found, " "); got != kinds {
			t.Errorf("%s: %s, want %s", ability, got, kinds)
		}
	}
}
