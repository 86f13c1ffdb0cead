// Package garden is no API: it reproduces Vallentin's article "A Garden Variety of Bloom Filters",
// 2011, and the papers that it cites for its filters.
//
// docs/papers/garden.md has what is found.
//
// The filters are those of package filter. Models here stand for what none of them is: counters
// without a width, and sketches; the pair of buffers beside A², and A² as the text has it.
package garden

import (
	_ "embed"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

//go:embed findings.md
var findings string

//go:embed claims.tsv
var table string

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name:  "garden",
		Title: "Vallentin: A Garden Variety of Bloom Filters. 2011",
		Table: table, Findings: findings,
		Quantities: func(*trials.Run) (claim.Quantities, error) {
			return claim.Join(basic(), counted(), levelled(), spectra(), sketches(), aged(),
				windowed(), applied()), nil
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
