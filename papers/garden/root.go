// Package garden is no API: it reproduces Vallentin's article "A Garden Variety of Bloom Filters",
// 2011, and the papers that it cites for its filters.
//
// The article is at hand without its formulas. If a sentence speaks of a formula, it is taken from
// the paper of that filter. Then the published value is a ratio of 1 between what is measured and
// the formula, within what the claim states. Other published values are those of the sentences.
// These sentences claim more than holds, or two things:
//
//   - Deletes "necessarily introduce" false negatives: deletes of members introduce none while no
//     counter is full. Deletes of non-members that are found do.
//   - The bound on false negatives, where the rate of false positives is meant, holds for one
//     delete. As many deletes of non-members as there are members lose 3.8 % of the members at a
//     rate of 0.82 %.
//   - The formula of a Bloom error takes the power of the mean fill. With 32 bits the rate is 1.16
//     times as high, and with 10,000 bits the formula is right.
//   - A sketch with a section per hash has the rate of a filter without sections if it is large.
//     With 140 cells and 7 hashes it is 6 % higher.
//   - The median of the counters is no fast-AMS sketch. That sketch sums with signs, which the
//     sentence leaves out.
//   - k_a of A² is no whole number. Rounded down, as in the author's library, the rate is up to
//     twice the required one.
//   - A² is a FIFO in that no key goes before an older one. But a key goes after n_a to 2 n_a
//     others, or one less: it depends on whether a buffer that "has reached its capacity" is full
//     or above it. The stable filter keeps no order.
//   - "One bit vector is always full" holds from the first turn on.
//   - The stable filter's formula is for keys that all differ. For others it is a bound.
//   - A browser asks the server about false positives too. If few of the visits are to listed URLs,
//     it asks mostly about these.
//
// The filters are those of package filter. Models here stand for what none of them is: counters
// without a width, and sketches; the pair of buffers beside A², and A² as the text has it.
package garden

import (
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name:  "garden",
		Title: "Vallentin: A Garden Variety of Bloom Filters. 2011",
		Parts: func() ([]claim.Part, error) {
			return slices.Concat(
				applied, basic, counted, levelled, spectrum, sectioned, windowed, aged, named,
			), nil
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

// beside draws a series: a theory's line, and marks for what was measured.
func beside(p *chart.Panel, name string, series int, theory, measured plotter.XYs) {
	p.Add(name, theory, chart.Expected(series))
	p.Add(name, measured, chart.Marks(series))
}

// dotted is the look of a bound beside Expected and Marks.
func dotted(series int) chart.Look {
	look := chart.Expected(series)
	look.Line.Dashes = []vg.Length{1, 3}
	return look
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
