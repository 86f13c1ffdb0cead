// Package garden is no API: it reproduces Vallentin's article "A Garden Variety of Bloom Filters", 2011, and
// what it cites for its filters.
//
// Its text is at hand without its formulas. A formula that a sentence speaks of is taken from the paper that
// the filter is from; then the sentence says that something is the formula, as a multiple of 1. Published
// values are else only what its sentences have.
package garden

import (
	"slices"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name:  "garden",
		Title: "Vallentin: A Garden Variety of Bloom Filters. 2011",
		Parts: func() ([]claim.Part, error) {
			return slices.Concat(
				applied, basic, counted, levelled, sectioned, windowed, aged, named,
			), nil
		},
	}
}

// The names of formulas.
const (
	exact    = "exact"
	restored = "the formula that is lost"
)

// secret is the key of all filters: trials draw hashes.
var secret = key.FromBytes([key.Size]byte{1})

// one is what is published of something as a multiple of its formula.
func one() claim.Published { return claim.Rounded(1, 0) }

// none is what is published of something that never happens, or of a difference that is not there.
func none() claim.Published { return claim.Rounded(0, 0) }

// number returns a number of trials, of which a short run takes a part.
func number(run *trials.Run, full, short int) int {
	if run.Short {
		return short
	}
	return full
}

// mean returns the mean of a number of each trial.
func mean[T any](results []T, of func(*T) float64) claim.Interval {
	return claim.Mean(trials.Column(results, of))
}

// multiple returns an interval as a multiple of a value.
func multiple(i claim.Interval, of float64) claim.Interval {
	return i.Map(func(v float64) float64 { return v / of })
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
