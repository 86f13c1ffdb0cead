package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// peaks are the relative peak data sizes: members, as a multiple of those to begin with.
var peaks = []int{1, 2, 4, 8, 16, 32, 64}

// subjectNames are the subjects by their names in claims, in their order.
var subjectNames = func() (names []string) {
	for _, s := range subjects(1, 1) {
		names = append(names, s.name)
	}
	return names
}()

// grownTo returns a claim's subject at some numbers of members.
func grownTo(
	run *trials.Run,
	seeds string,
	log int,
	of claim.Parameters,
	at ...int,
) (string, [][]grown) {
	const times = 8
	which := slices.Index(subjectNames, of.Text("filter"))
	name := fmt.Sprint(seeds, log, which)
	return name, trials.Recall(run, name, times, func(rng *rand.Rand) []grown {
		return grow(rng, &subjects(log, at[len(at)-1])[which], at)
	})
}

// log is the logarithm of the bits that Figs. 3, 5 and 6 begin with: an eighth of the paper's, or
// less.
func (s study) log() int { return s.number(logBits, 11) }

// members returns how many there are at a peak.
func (s study) members(peak float64) int { return int(peak * math.Exp2(float64(s.log())) / 16) }

// growth is the growth from one size to 64 times as many members.
func (s study) growth(run *trials.Run, at claim.Parameters) (string, [][]grown) {
	var sizes []int
	for _, peak := range peaks {
		sizes = append(sizes, s.members(float64(peak)))
	}
	return grownTo(run, "growth ", s.log(), at, sizes...)
}

// peak is a number of each trial at a claim's peak.
func (s study) peak(number func(g *grown, at claim.Parameters) float64) claim.Trials {
	return claim.Measured(s.growth, func(all *[]grown, at claim.Parameters) float64 {
		return number(&(*all)[slices.Index(peaks, at.Int("peak"))], at)
	})
}

// by is a number as a multiple of that at a part of a claim's members.
func (s study) by(part float64, number func(g *grown) float64) claim.Trials {
	plain := s.peak(func(g *grown, _ claim.Parameters) float64 { return number(g) })
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		return plain.By(func(run *trials.Run, at claim.Parameters) claim.Sample {
			before := claim.Parameters{"filter": at["filter"],
				"peak": max(1, int(part*at.Float("peak")))}
			return plain(run, before)
		})(run, at)
	}
}

// logs returns the trials of the logarithm of a number.
func logs(t claim.Trials) claim.Trials {
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		s := t(run, at)
		s.Values = slices.Clone(s.Values)
		for i, v := range s.Values {
			s.Values[i] = math.Log(v)
		}
		return s
	}
}

// members4 is the members that Fig. 4 ends with, which grow from m bits.
func (s study) members4() int { return 1 << s.number(18, 14) / 16 }

func (s study) log4(at claim.Parameters) int {
	return int(math.Log2(at.Float("m/n") * float64(s.members4())))
}

func (s study) initial(run *trials.Run, at claim.Parameters) (string, [][]grown) {
	return grownTo(run, "initial ", s.log4(at), at, s.members4())
}

// The names of quantities that figures show too.
const (
	rateOfPositives = "rate of false positives"
	readsOfOthers   = "bits that a query of a non-member reads"
	accessesPerOne  = "bits and buckets per insert"
	accessesOfOut   = "bits and buckets per delete"
	rateAtLast      = "rate of false positives at last"
)

// growths is Figs. 3 to 6.
func (s study) growths() claim.Quantities {
	number := func(of func(g *grown) float64) claim.Trials {
		return s.peak(func(g *grown, _ claim.Parameters) float64 { return of(g) })
	}
	rate := number(func(g *grown) float64 { return g.rate })
	random := number(func(g *grown) float64 { return g.random })
	// the bits and buckets per insert, those of expansions too
	insertOf := func(g *grown) float64 { return g.insert + g.buckets + g.moved }
	insert := number(insertOf)
	mix := s.peak(func(g *grown, at claim.Parameters) float64 {
		queries := at.Float("queries") // of each kind, per insert
		return (insertOf(g) + queries*(g.mixPositive+g.mixRandom)) / (1 + 2*queries)
	})
	expected := func(number func(rate, reads float64) float64) func(claim.Parameters) float64 {
		return func(at claim.Parameters) float64 {
			of := subjects(s.log(), s.members(float64(peaks[len(peaks)-1])))
			return number(of[slices.Index(subjectNames, at.Text("filter"))].expected(
				s.members(at.Float("peak"))))
		}
	}
	perLayer := func(of func(g *grown) float64) claim.Trials {
		// the last is not full
		return s.by(0.25, func(g *grown) float64 { return of(g) / (g.layers - 1) })
	}
	atLast := claim.Measured(s.initial, func(all *[]grown, _ claim.Parameters) float64 {
		return (*all)[0].rate
	})
	return claim.Quantities{
		rateOfPositives: {Unit: claim.Share, Trials: rate, Formulas: claim.Formulas{
			meanField: expected(func(rate, _ float64) float64 { return rate })}},
		"log of the rate": {Trials: logs(rate)},
		"rate per filter, as a multiple of that at a quarter of the members": {
			Trials: perLayer(func(g *grown) float64 { return g.rate })},
		"bits per query and filter, as a multiple of that at a quarter of the members": {
			Trials: perLayer(func(g *grown) float64 { return g.random })},
		"buckets that a query reads": {
			Trials: number(func(g *grown) float64 { return g.slowQuery })},
		"bits that a query of a non-member reads, as a multiple of those before any growth": {
			Trials: s.by(0, func(g *grown) float64 { return g.random })},
		readsOfOthers: {Trials: random, Formulas: claim.Formulas{
			meanField: expected(func(_, reads float64) float64 { return reads })}},
		"log of the " + readsOfOthers: {Trials: logs(random)},
		"log of the bits that a query of a member reads": {
			Trials: logs(number(func(g *grown) float64 { return g.positive }))},
		accessesPerOne:                           {Trials: insert},
		"log of the bits and buckets per insert": {Trials: logs(insert)},
		accessesOfOut: {Trials: s.peak(func(g *grown, at claim.Parameters) float64 {
			// Package original looks for all fingerprints first, which takes k bits and k buckets.
			if at.Text("looks") == "no" && at.Text("filter") == subjectNames[elasticOne] {
				return g.delete - 2*hashes
			}
			return g.delete
		})},
		"deletes of members that are made": {Unit: claim.Share,
			Trials: number(func(g *grown) float64 { return g.deleted })},
		"log of the bits and buckets per operation": {Trials: logs(mix)},
		"bits that a query reads, until then": {Trials: number(func(g *grown) float64 {
			return (g.mixRandom + g.mixPositive) / 2
		})},
		rateAtLast: {Unit: claim.Share, Trials: atLast, Formulas: claim.Formulas{
			meanField: func(at claim.Parameters) float64 {
				which := slices.Index(subjectNames, at.Text("filter"))
				rate, _ := subjects(s.log4(at), s.members4())[which].expected(s.members4())
				return rate
			}}},
		"log of the rate at last": {Trials: logs(atLast)},
	}
}

// growthPlots are Figs. 3, 5 and 4. A subject is a row of subjects, and so a curve here.
func growthPlots() []claim.Plot {
	panel := func(title, y, quantity, theory string, names []string) claim.Panel {
		p := claim.Panel{Title: title, X: "peak data size", Y: y, By: "peak", Log: true,
			Curves: claim.Curves("%s", "filter", names, claim.Curve{Quantity: quantity,
				Theory: theory}), Look: logarithmicX(1, 2, 4, 8, 16, 32, 64)}
		for _, peak := range peaks {
			p.At = append(p.At, float64(peak))
		}
		return p
	}
	deleters := []string{subjectNames[elasticOne], subjectNames[dynamicOne], subjectNames[parOne]}
	return []claim.Plot{{
		Name: "growth", Where: "section 5",
		Title: fmt.Sprintf("Growth with Ω = %g, k = %d: marks measured, lines by formula",
			threshold, hashes),
		Columns: 2, Width: 380, Height: 240,
		Panels: []claim.Panel{
			panel("rate (Fig. 3)", "false positives", rateOfPositives, meanField, subjectNames),
			panel("a query of a non-member (Fig. 5)", "bits read", readsOfOthers, meanField,
				subjectNames),
			panel("an insert, expansions too (Fig. 5)", "bits and buckets", accessesPerOne, "",
				subjectNames),
			panel("a delete (Fig. 5)", "bits and buckets", accessesOfOut, "", deleters),
		},
	}, {
		Name: "initial", Where: "section 5.2",
		Title:   "The rate at last by the size to begin with: marks measured, lines by formula",
		Columns: 1, Width: 420, Height: 280,
		Panels: []claim.Panel{{X: "bits to begin with, per member at last",
			Y: "false positives at last", By: "m/n", Log: true,
			At: []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64},
			Curves: claim.Curves("%s", "filter", subjectNames[:plainOne],
				claim.Curve{Quantity: rateAtLast, Theory: meanField}),
			Look: func(p *chart.Panel) { chart.Logarithmic(quantity.Number, &p.X) }}},
	}}
}
