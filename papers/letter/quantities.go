package letter

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// The names of formulas.
const (
	printedEquation1 = "Eq. (1), as printed"
	meantEquation1   = "Eq. (1), as meant"
	ownThrow         = "Eq. (1), own throw"
	exact            = "exact"
)

// shapeOf returns the filter of a claim. One without regions is a standard filter.
func shapeOf(point claim.Parameters) dlbf.Shape {
	if point.Int("r") == 0 {
		return standard(point.Int("m"), point.Int("k"))
	}
	return dlbf.Shape{Bits: point.Int("m"), Regions: point.Int("r"), Hashes: point.Int("k")}
}

// load is a filter and the number of its elements.
type load struct {
	s dlbf.Shape
	n int
}

func loadOf(at claim.Parameters) load { return load{shapeOf(at), at.Int("n")} }

// expectation is a number that is expected of a filter with a number of elements.
type expectation = func(s dlbf.Shape, n int) float64

// formula is what is expected of a claim's filter.
func formula(f expectation) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 { return f(shapeOf(at), at.Int("n")) }
}

// ratio is one expectation by another, and difference one less another.
func ratio(f, g expectation) func(claim.Parameters) float64 {
	return formula(func(s dlbf.Shape, n int) float64 { return f(s, n) / g(s, n) })
}

func difference(f, g expectation) func(claim.Parameters) float64 {
	return formula(func(s dlbf.Shape, n int) float64 { return f(s, n) - g(s, n) })
}

// inForm is a formula for the letter's form of a header, and another one for ours.
func inForm(letters expectation, our func(n int) float64) claim.Formula {
	return func(point claim.Parameters) float64 {
		if point.Text("form") == ours {
			return our(point.Int("n"))
		}
		return formula(letters)(point)
	}
}

// quotient is one parameter by another.
func quotient(x, y string) claim.Quantity {
	return claim.Computed(claim.Number, exact,
		func(at claim.Parameters) float64 { return at.Float(x) / at.Float(y) })
}

// byParameter is a number by a parameter.
func byParameter(name string) func(float64, claim.Parameters) float64 {
	return func(v float64, at claim.Parameters) float64 { return v / at.Float(name) }
}

// quantities are those of the letter, whose elements are of one kind.
func quantities(e elements) claim.Quantities {
	four := simulated(e)
	deletable, before, reset := four.Mean("deletable"), four.Mean("before"), four.Mean("reset")
	cells := func(s dlbf.Shape, _ int) float64 { return float64(s.Cells()) }
	byEquation2 := func(rate float64, at claim.Parameters) float64 {
		return rate / Equation2(shapeOf(at), at.Int("n"))
	}
	return claim.Quantities{
		"filters of which all elements are deletable": examples.Mean("all").Share(),
		"deletable elements": {Unit: claim.Share, Trials: deletable,
			Formulas: claim.Formulas{
				printedEquation1: formula(Equation1Printed), meantEquation1: formula(Equation1),
				ownThrow: formula(OwnThrow), exact: func(point claim.Parameters) float64 {
					if point.Text("hash") != "" ||
						!slices.Contains([]string{"", "may coincide"}, point.Text("cells")) {
						return math.NaN()
					}
					return shapeOf(point).Deletability(point.Int("n"))
				},
			}},
		"deletable elements, less Eq. (1) as meant": deletable.To(
			func(deletable float64, at claim.Parameters) float64 {
				return deletable - Equation1(shapeOf(at), at.Int("n"))
			}).Share().
			With(exact, difference(dlbf.Shape.Deletability, Equation1)).
			With("own throw", difference(OwnThrow, Equation1)),
		"retained elements, by Eq. (1)'s, logarithm": {
			Trials: deletable.Map(func(v float64, at claim.Parameters) float64 {
				return math.Log(Equation1Printed(shapeOf(at), at.Int("n")) / (1 - v))
			}),
			Formulas: claim.Formulas{exact: formula(func(s dlbf.Shape, n int) float64 {
				return math.Log(Equation1Printed(s, n) / (1 - s.Deletability(n)))
			})}},
		"the collision bitmap's share of the bits": claim.Computed(claim.Share, "r/m",
			func(at claim.Parameters) float64 { return at.Float("r") / at.Float("m") }),
		"cells": claim.Computed(claim.Number, "m - r",
			func(at claim.Parameters) float64 { return at.Float("m") - at.Float("r") }),
		"bits set": claim.Computed(claim.Number, exact, formula(filled)),
		"part set": claim.Computed(claim.Share, "mean", ratio(filled, cells)).
			With("standard", func(at claim.Parameters) float64 {
				m := at.Int("m")
				return filled(standard(m, at.Int("k")), at.Int("n")) / float64(m)
			}),
		// The k bits that a removal of all elements resets are of regions without a collision.
		"bits reset, of those set": reset.By(four.Mean("ones")).Share().
			With(exact, ratio(dlbf.Shape.Clearable, filled)),
		"bits reset, of the elements' k bits each": four.Mean("free").Share().
			With(exact, ratio(dlbf.Shape.Clearable,
				func(s dlbf.Shape, n int) float64 { return float64(s.Hashes * n) })),
		"bits reset, of all m bits": reset.To(byParameter("m")).Share().
			With(exact, ratio(dlbf.Shape.Clearable,
				func(s dlbf.Shape, _ int) float64 { return float64(s.Bits) })),
		"number of bits reset": {Trials: reset,
			Formulas: claim.Formulas{exact: formula(dlbf.Shape.Clearable)}},
		"cells in regions without a collision": four.Mean("collided").To(
			func(v float64, _ claim.Parameters) float64 { return 1 - v }).Share().
			With("(1-pc)^(m'/r)", formula(func(s dlbf.Shape, n int) float64 {
				_, free := throws(s, float64(s.Hashes*n))
				return math.Pow(free, float64(s.Cells())/float64(s.Regions))
			})),
		"rate before removal": before.Share().With(exact, formula(occupied)).
			With("Eq. (2)", formula(Equation2)),
		"rate after removal": four.Mean("after").Share().
			With("of the bits left", formula(func(s dlbf.Shape, n int) float64 {
				left := filled(s, n) - s.Clearable(n)
				return math.Pow(left/float64(s.Cells()), float64(s.Hashes))
			})),
		"elements removed with all bits left, or left with one reset": every(four,
			"wrong").Share(),
		"members not found when they are to be removed": every(four, "missing").Share(),
		"rate of false positives, by a standard filter's": claim.Computed(claim.Number, exact,
			func(at claim.Parameters) float64 {
				n := at.Int("n")
				return occupied(shapeOf(at), n) / occupied(standard(at.Int("m"), at.Int("k")), n)
			}),
		"rate of false positives, by Eq. (2)": {Trials: before.To(byEquation2),
			Formulas: claim.Formulas{exact: ratio(occupied, Equation2)}},
		"rate by the set cells, by Eq. (2)": {Trials: loaded.Mean("rate").To(byEquation2),
			Formulas: claim.Formulas{exact: ratio(occupied, Equation2)}},
		"least bits a counter, for fewer than 0.01 overflows in a filter": claim.Computed(
			claim.Number, "by Poisson", leastCounter),
		"rate of a d-left filter": claim.Computed(claim.Number, "24 cells", leftRate),
		"bits per element, as a share of a 4-bit counting filter's": claim.Computed(claim.Share,
			"at 3/4 load", func(at claim.Parameters) float64 {
				counting := 4 * math.Log2(1/leftRate(at)) / math.Ln2
				return (at.Float("fingerprint bits") + 2) / 0.75 / counting
			}),
		"members not found after half of the elements are removed": signatures.Mean("lost").Share(),
		"bits per element": quotient("m", "n"),
		"bits per region":  quotient("m", "r"),
		"bits for a cell, less the 3 of a counting filter": claim.Computed(claim.Number,
			"m/(m-r) - 3", func(at claim.Parameters) float64 {
				return at.Float("m")/(at.Float("m")-at.Float("r")) - 3
			}),
		"rate of false positives of those that stay as many": lives.Mean("rate").Share(),
		"deletable members":        lives.Mean("deletable").Share(),
		"regions with a collision": lives.Mean("collided").Share(),
		"turnovers until every region has a collision": {
			Trials: lives.Mean("full").To(byParameter("n"))},
		"rate of false positives of the best":              best.Mean("rate").Share(),
		"deletable elements of the best":                   best.Mean("deletable").Share(),
		"filters whose first 5 elements are all deletable": best.Mean("first").Share(),
		"elements found on a second way, less than all": {
			Trials: travels.Mean("repeated").To(
				func(v float64, at claim.Parameters) float64 { return v - at.Float("n") }),
			Formulas: claim.Formulas{exact: formula(func(s dlbf.Shape, n int) float64 {
				return -float64(n) * s.Deletability(n)
			})}},
		"false matches on the way, 10 queries a site": {Trials: travels.MeanBy("removals"),
			Formulas: claim.Formulas{exact: func(point claim.Parameters) float64 {
				if point.Text("removals") == "yes" {
					return math.NaN()
				}
				return foreign * point.Float("n") * occupied(shapeOf(point), point.Int("n"))
			}}},
		"rate of a filter on its way": travels.Mean("rate").Share().With(exact,
			func(at claim.Parameters) float64 {
				at.Int("processed") // it stays the same where nothing is removed
				return formula(occupied)(at)
			}),
		"new elements at half way until as many bits are set as at the start": {
			Trials: travels.Mean("additions")},
		"members lost where a site also removes what it finds by mistake": travels.Mean("lost").
			To(byParameter("n")).Share(),
		"rate of false matches in a header": before.Share().
			With(exact, inForm(occupied, inpacket.FalseMatchRate[kernel.Block256])),
		"deletable links": deletable.Share().With(exact, inForm(dlbf.Shape.Deletability,
			func(n int) float64 { return planning.FreshDeletability(256, n, 1) })),
	}
}

// every counts cases in the elements of all trials of figures 2 to 4.
func every(s *claim.Simulation, number string) claim.Trials {
	return func(run *trials.Run, point claim.Parameters) (all claim.Sample) {
		point = maps.Clone(point)
		point.Word("r", "all")
		point.Word("n", "all")
		for _, r := range gridRegions {
			for _, n := range gridMembers {
				point["r"], point["n"] = r, n
				each := s.Mean(number)(run, point)
				all.Hits += int(floats.Sum(each.Values))
				all.Cases += len(each.Values) * n
			}
		}
		return all
	}
}

// leastCounter is for a counting filter at its optimum, which has ln 2 throws a counter.
func leastCounter(at claim.Parameters) float64 {
	throws := distuv.Poisson{Lambda: math.Ln2}
	c := 1
	for at.Float("m")*throws.Survival(math.Exp2(float64(c))-1) > 0.01 {
		c++
	}
	return float64(c)
}

// leftRate is the rate of the d-left counting filter of Bonomi et al.: four subtables of buckets of
// eight cells, three quarters full, each a fingerprint and a counter of two bits. A non-member is
// compared with the 24 cells that are in use.
func leftRate(at claim.Parameters) float64 { return 24 * math.Exp2(-at.Float("fingerprint bits")) }
