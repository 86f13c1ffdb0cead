// Package garden is no API: it reproduces Vallentin's article "A Garden Variety of Bloom Filters",
// 2011, and the papers that it cites for its filters.
//
// docs/papers/garden.md has what is found.
//
// The filters are those of package filter. Models here stand for what none of them is: counters
// without a width, and sketches; the pair of buffers beside A², and A² as the text has it.
package garden

import (
	"embed"
	"math/rand/v2"
	"sync"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

//go:embed claims.tsv figures.tsv findings.md
var files embed.FS

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name:  "garden",
		Title: "Vallentin: A Garden Variety of Bloom Filters. 2011",
		Files: files,
		Quantities: func(run *trials.Run) (claim.Quantities, error) {
			return claim.Join(basic(), counted(), levelled(), spectra(run.Short), sketches(),
				aged(), windowed(), applied()), nil
		},
	}
}

// The names of formulas.
const (
	exact = "exact"
	// takes the cells of a filter as independent, and numbers of keys as their means
	meanField = "mean field"
	restored  = "the formula that is lost"
)

// secret is the key of all filters: trials draw hashes.
var secret = keytest.Key(1)

// measured is a share, and its formula.
func measured(t claim.Trials, name string, f claim.Formula) claim.Quantity {
	return t.Share().With(name, f)
}

// never is the formula of what does not happen.
var never = claim.Constant(0)

// given is the formula that is a parameter.
func given(name string) claim.Formula {
	return func(at claim.Parameters) float64 { return at.Float(name) }
}

// divided returns a formula as a multiple of another one, and less one that is subtracted.
func divided(f, g claim.Formula) claim.Formula {
	return func(at claim.Parameters) float64 { return f(at) / g(at) }
}

func less(f, g claim.Formula) claim.Formula {
	return func(at claim.Parameters) float64 { return f(at) - g(at) }
}

// multiple returns trials as a multiple of a formula.
func multiple(t claim.Trials, f claim.Formula) claim.Trials {
	return t.Map(func(mean float64, at claim.Parameters) float64 { return mean / f(at) })
}

// known returns a function that remembers its values.
func known[K comparable, V any](f func(K) V) func(K) V {
	var values sync.Map
	return func(k K) V {
		if v, found := values.Load(k); found {
			return v.(V)
		}
		v := f(k)
		values.Store(k, v)
		return v
	}
}

// set is a filter, as far as all kinds are alike.
type set interface {
	InsertHash(hash uint64) (present bool, err error)
	InsertHashBatch(hashes, present []uint64) (int, error)
	QueryHash(hash uint64) bool
	QueryHashBatch(hashes, present []uint64) int
}

// fill inserts a number of different keys, and returns them.
func fill(rng *rand.Rand, f set, keys int) []uint64 {
	hashes := make([]uint64, keys)
	workload.Fill(rng, hashes)
	must(f.InsertHashBatch(hashes, nil))
	return hashes
}

// lacking returns the part of some keys that a filter does not find, and asked that of a number of
// non-members that it does.
func lacking(f set, keys []uint64) float64 {
	return 1 - float64(f.QueryHashBatch(keys, nil))/float64(len(keys))
}

func rateOf(rng *rand.Rand, f set, queries int) float64 {
	hashes := make([]uint64, queries)
	workload.Fill(rng, hashes)
	return float64(f.QueryHashBatch(hashes, nil)) / float64(queries)
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
