// Package elastic is no API: it reproduces "Elastic Bloom Filter: Deletable and Expandable Filter
// Using Elastic Fingerprints" by Wu, He, Yan, Wu, Yang, Ruas, Zhang and Cui, IEEE Transactions on
// Computers, 2021.
//
// Package original is its filter. The peers of its figures are models, in peers.go, and formulas,
// in aleph.go. docs/papers/elastic.md has what is found.
package elastic

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
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
		Name: "elastic",
		Title: "Wu, He, Yan, Wu, Yang, Ruas, Zhang, Cui: Elastic Bloom Filter: Deletable and " +
			"Expandable Filter Using Elastic Fingerprints. IEEE Transactions on Computers, 2021",
		Table: table, Findings: findings,
		Quantities: func(run *trials.Run) (claim.Quantities, error) {
			r := study{run}
			return claim.Join(worked(), described(), theorems(), r.overflows(), r.growths(),
				r.moves(), r.slow(), r.loads(), r.sentences(), r.forms()), nil
		},
		Figures: func() []claim.Plot {
			return slices.Concat([]claim.Plot{overflowsPlot()}, growthPlots(), slowPlots(),
				[]claim.Plot{loadsPlot(), formsPlot()})
		},
	}
}

// The names of formulas.
const (
	exact     = "exact"
	meanField = "mean field" // takes buckets and bits as independent
)

// The readings of a formula that is misprinted.
const (
	asPrinted = "as printed"
	corrected = "corrected"
)

// study is what the quantities of a run share.
type study struct{ run *trials.Run }

// number returns a number of trials, of which a short run takes a part.
func (s study) number(full, short int) int {
	if s.run.Short {
		return short
	}
	return full
}

// repeated returns the results of trials, by their name.
func repeated[T any](name string, n int, trial func(rng *rand.Rand) T) simulation[T] {
	return func(run *trials.Run, _ claim.Parameters) (string, []T) {
		return name, trials.Recall(run, name, n, trial)
	}
}

// simulation returns trials, and their name.
type simulation[T any] = func(run *trials.Run, at claim.Parameters) (string, []T)

// mean is the mean of a number of each trial.
func mean[T any](of simulation[T], number func(*T) float64) claim.Trials {
	return claim.Measured(of, func(r *T, _ claim.Parameters) float64 { return number(r) })
}

// share is a part of the cases of each trial.
func share[T any](of simulation[T], number func(*T) (hits, cases float64)) claim.Quantity {
	return claim.Quantity{Unit: claim.Share, Trials: claim.Among(of,
		func(r *T, _ claim.Parameters) (hits, cases float64) { return number(r) })}
}

// total is a number of all trials together, which is counted.
func total[T any](of simulation[T], number func(*T) float64) claim.Trials {
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		name, results := of(run, at)
		all := 0.0
		for i := range results {
			all += number(&results[i])
		}
		return claim.Sample{Of: name, Values: []float64{all}}
	}
}

// computed is a quantity that has a formula only.
func computed(f func(claim.Parameters) float64) claim.Quantity {
	return claim.Quantity{Formulas: claim.Formulas{exact: f}}
}

// constant is a formula without parameters.
func constant(v float64) func(claim.Parameters) float64 {
	return func(claim.Parameters) float64 { return v }
}

// logarithmicX makes a panel's horizontal axis logarithmic, with these ticks.
func logarithmicX(at ...float64) func(*chart.Panel) {
	return func(p *chart.Panel) {
		chart.Logarithmic(quantity.Number, &p.X)
		if len(at) > 0 {
			p.X.Tick.Marker = chart.Ticks(quantity.Number, at...)
		}
	}
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The parameters of Table 1.
const (
	hashes    = 5
	bucket    = 8
	logBits   = 15
	threshold = 0.2
)

// perBit returns the fingerprints per bit, kn/m, with which a part of the bits is set.
func perBit(set float64) float64 { return -math.Log1p(-set) }

// loadOf returns the fingerprints per bit of a claim: kn/m, or those with which a part is set.
func loadOf(at claim.Parameters) float64 {
	if load := at.Float("kn/m"); !math.IsNaN(load) {
		return load
	}
	return perBit(at.Float("set"))
}

// tail returns the probability that of n throws, each with the chance p, j or more hit.
func tail(j int, n, p float64) float64 {
	if j <= 0 {
		return 1
	}
	if float64(j) > n {
		return 0
	}
	return distuv.Beta{Alpha: float64(j), Beta: n - float64(j) + 1}.CDF(p)
}

// insert inserts some keys, and returns their hashes.
func insert(rng *rand.Rand, f *original.Filter, keys int) []uint64 {
	all := make([]uint64, keys)
	for i := range all {
		all[i] = rng.Uint64()
		if err := f.Insert(all[i]); err != nil {
			panic(err)
		}
	}
	return all
}
