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
	_ "embed"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

//go:embed claims.tsv
var table string

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name:  "garden",
		Title: "Vallentin: A Garden Variety of Bloom Filters. 2011",
		Table: table,
		Quantities: func(*trials.Run) (claim.Quantities, error) {
			all := claim.Quantities{}
			for _, section := range []claim.Quantities{
				basic(), counted(), levelled(), spectra(), sketches(), aged(), windowed(),
				applied(),
			} {
				maps.Copy(all, section)
			}
			return all, nil
		},
		Figures: func() []claim.Plot {
			return slices.Concat(basicFigures(), countedFigures(), levelledFigures(),
				spectraFigures(), sketchesFigures(), agedFigures(), windowedFigures(),
				appliedFigures())
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

// repeated returns the results of trials, fewer in a short run, and their name.
func repeated[T any](
	run *trials.Run,
	name string,
	full, short int,
	trial func(rng *rand.Rand) T,
) (string, []T) {
	if run.Short {
		full = short
	}
	return name, trials.Recall(run, name, full, trial)
}

// computed is a quantity that has a formula only.
func computed(u claim.Unit, name string, f func(claim.Parameters) float64) claim.Quantity {
	return claim.Quantity{Unit: u, Formulas: claim.Formulas{name: f}}
}

// measured is a share, and its formula.
func measured(t claim.Trials, name string, f func(claim.Parameters) float64) claim.Quantity {
	return claim.Quantity{Unit: claim.Share, Trials: t, Formulas: claim.Formulas{name: f}}
}

// never is the formula of what does not happen.
func never(claim.Parameters) float64 { return 0 }

// multiple returns trials as a multiple of a formula.
func multiple(t claim.Trials, f func(claim.Parameters) float64) claim.Trials {
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		s, by := t(run, at), f(at)
		s.Map = func(mean float64) float64 { return mean / by }
		return s
	}
}

// tickX returns a change to a panel: these ticks on its horizontal axis.
func tickX(at ...float64) func(*chart.Panel) {
	return func(p *chart.Panel) { p.X.Tick.Marker = chart.Ticks(quantity.Number, at...) }
}

// logPercents makes a panel's horizontal axis one of shares, logarithmic.
func logPercents(p *chart.Panel) { chart.Logarithmic(quantity.Percent, &p.X) }

// percents are ticks of a part of an axis from 0 to 100 %.
func percents(a *plot.Axis, at ...float64) {
	a.Tick.Marker = chart.Ticks(quantity.Percent, at...)
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
