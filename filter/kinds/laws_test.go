package kinds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// makers make filters of the kinds that have no New.
var makers = map[string]filtertest.Maker{retouched.Kind.Name: retouch}

// retouch returns a retouched filter of hashes: a plain filter some of whose false positives are
// removed.
func retouch(s filter.Sizing, hashes []uint64) (filter.Stored, error) {
	f, err := plain.New(plain.Config{Members: s.Members, BitsPerKey: s.BitsPerKey, Key: s.Key})
	if err != nil {
		return nil, err
	}
	if _, err := f.InsertHashBatch(hashes, nil); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(3, 5))
	troublesome := make([]uint64, 10_000)
	for i := range troublesome {
		troublesome[i] = rng.Uint64()
	}
	g, _, err := retouched.New(f, retouched.Config{
		Members:     filter.Infallible(slices.Values(hashes)),
		Troublesome: filter.Infallible(slices.Values(troublesome)),
	})
	return g, err
}

// Every kind in the list keeps the laws of its promises.
func TestEveryKindKeepsItsLaws(t *testing.T) {
	var names []string
	for _, kind := range All() {
		if slices.Contains(names, kind.Name) {
			t.Errorf("two kinds are called %s", kind.Name)
		}
		names = append(names, kind.Name)
		t.Run(kind.Name, func(t *testing.T) {
			if kind.New != nil {
				filtertest.Run(t, kind)
				return
			}
			maker := makers[kind.Name]
			if maker == nil {
				t.Fatal("no maker: add one to makers")
			}
			filtertest.RunMade(t, kind, maker)
		})
	}
}

// A filter that is made from others keeps the laws too. This one is made from hashes.
func TestTheLawsOfMadeFilters(t *testing.T) {
	kind := deletable.Kind
	kind.New = nil
	filtertest.RunMade(t, kind, func(s filter.Sizing, hashes []uint64) (filter.Stored, error) {
		f, err := deletable.New(deletable.Config(s))
		if err != nil {
			return nil, err
		}
		_, err = f.InsertHashBatch(hashes, nil)
		return f, err
	})
}
