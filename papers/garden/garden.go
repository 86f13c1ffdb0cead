// Package garden is no API: it reproduces Vallentin's article "A Garden Variety of Bloom Filters",
// 2011, and the papers that it cites for its filters.
//
// README.md has what is found. The article is at hand without its formulas. Where a
// sentence speaks of one, it is that of the filter's own paper, and 1 is published: the ratio of
// what is found here and the formula.
//
// The filters are those of package filter. Models here stand for what none of them is: counters
// without a width, levels that carry by the key, a sketch, and A² as the text has it.
package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "garden",
		Title: "Vallentin: A Garden Variety of Bloom Filters. 2011. Its formulas are lost: those " +
			"of each filter's own paper stand for them",
		Values: []func(*trials.Run) claim.Value{
			blocklist, stillZero, setBits, bloomError, halfFull, bestRate, requiredBits,
			falseNegatives, boundOfNegatives, fullCounters, levelled, selection, otherAlgorithms,
			lowCounts, singleMinima, sections, median, fifo, ages, bothFull, alwaysFull, optimum,
			roundedDown, stablePoint, stableRate, chosenCells, keysAgain, compressed, cuckoos,
		},
	}
}

// The names of formulas, and what is published of a ratio.
const (
	exact     = "exact"
	meanField = "mean field" // takes cells as independent, and numbers of keys as their means
	ratio     = "implied 1"
	none      = "implied 0"
)

// secret is the key of all filters: trials draw hashes.
var secret = keytest.Key(1)

// size is a filter of m cells, with k of each of n keys.
type size struct{ m, k, n int }

func (s size) String() string { return fmt.Sprintf("m = %d, k = %d, n = %d", s.m, s.k, s.n) }

// zeros is the probability that a cell has none of the keys, and classical the rate by it.
func (s size) zeros() float64 { return math.Pow(1-1/float64(s.m), float64(s.k*s.n)) }

func (s size) classical() float64 {
	return math.Pow(-math.Expm1(-float64(s.k)*float64(s.n)/float64(s.m)), float64(s.k))
}

// set is a filter, as far as all kinds are alike.
type set interface {
	InsertHash(hash uint64) (present bool, err error)
	QueryHash(hash uint64) bool
}

// fill inserts a number of different keys, and returns them.
func fill(rng *rand.Rand, f set, keys int) []uint64 {
	hashes := make([]uint64, keys)
	workload.Fill(rng, hashes)
	for _, hash := range hashes {
		must(f.InsertHash(hash))
	}
	return hashes
}

// lacking counts those of some keys that a filter does not find.
func lacking(f set, keys []uint64) (missing float64) {
	for _, hash := range keys {
		if !f.QueryHash(hash) {
			missing++
		}
	}
	return missing
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
