package letter

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/letter/encodings"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// The names of formulas.
const (
	printedEquation1 = "Eq. (1), as printed"
	meantEquation1   = "Eq. (1), as meant"
	ownThrow         = "Eq. (1), own throw"
	exact            = "exact"
)

// The filters of figures 2 to 4, and others of which the letter says that they do the same. Of the
// first ones' r the text names 24, 60 and 120, and m/r = 20.
var (
	gridRegions   = []int{6, 12, 24, 60, 120}
	gridMembers   = []float64{4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 36, 40, 48, 60}
	othersRegions = []int{16, 32, 64, 128, 256, 512}
	othersMembers = []float64{20, 30, 40, 50, 60, 70, 80, 100, 120, 150}
)

const (
	othersBits     = 1024
	othersHashes   = 7
	othersMeasured = 128 // the r of their figure 4
)

// grids are those filters by m and k: what is behind the number of their figures and in the names
// of their trials, and the r of figure 4.
var grids = map[[2]int]struct {
	name     string
	measured int
}{
	{bits, hashes}:             {"", regions},
	{othersBits, othersHashes}: {"-1024", othersMeasured},
}

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

// letter is a run with elements of one kind.
type letter struct{ elements elements }

// simulated returns the trials of section IV of a claim's filter, and their name.
func (l letter) simulated(run *trials.Run, point claim.Parameters) (string, []trial) {
	s, n := shapeOf(point), point.Int("n")
	name, e, total, number := "", l.elements, 0, 0
	if cells := point.Text("cells"); cells != "" {
		// Some readings differ by little, so that there are more trials than the letter has.
		number = part(run, 10*letterly)
		switch cells {
		case "may coincide":
			name = "observed"
		case "are distinct":
			name, e = "distinct", distinct
		default:
			name, e = "once", once
		}
	} else if hash := point.Text("hash"); hash != "" {
		number = part(run, 4*letterly)
		way := ways[hash]
		name, e = way.name, way.elements
	} else if form := point.Text("form"); form != "" {
		name, e, total, number = fmt.Sprint("in packets ", s, n), hashed, queries,
			part(run, letterly)
	} else if grid, found := grids[[2]int{point.Int("m"), point.Int("k")}]; found {
		number = gridTrials(run, point.Int("m"), n)
		if name = fmt.Sprintf("grid%s %d %d", grid.name, s.Regions, n); point.Int("r") == 0 {
			name = fmt.Sprintf("standard%s %d", grid.name, n)
		}
		if r := point.Int("r"); r == 0 || r == grid.measured {
			total = queries
		}
	} else {
		name, e, total = fmt.Sprint("other ", loadOf(point)), hashed, queries
		number = part(run, letterly)
	}
	return name, simulate(run, name, s, n, e, total, number)
}

// part returns how many trials of a number a run takes.
func part(run *trials.Run, number int) int {
	if run.Short {
		return number / 4
	}
	return number
}

// gridTrials returns how many trials of the figures there are of n elements: a short run takes
// fewer, and least where no sentence is about n.
func gridTrials(run *trials.Run, m, n int) int {
	switch {
	case m == bits && (!run.Short || n == members):
		return letterly
	case m == bits && slices.Contains([]int{10, 15, 30, 40, 48}, n):
		return letterly / 2
	case run.Short:
		return letterly / 20
	}
	return letterly / 4
}

// ways are those to hash, by what they are called in claims, with the names of their trials.
var ways = map[string]struct {
	name     string
	elements elements
}{
	"perfectly random cells": {"perfect", perfect},
	"a random 64-bit hash":   {"a random 64-bit hash, probed", hashed},
	"double hashing":         {"double hashing: (a + i b) mod m'", doubly},
	"FNV-1a of numbers":      {"FNV-1a of numbers in decimal, mod m'", weakly},
}

// sampled returns the trials of a number of each trial of section IV.
func (l letter) sampled(number func(*trial) float64) claim.Trials {
	return claim.Results[trial](l.simulated).Number(number)
}

// every counts cases in the elements of all trials of figures 2 to 4.
func (l letter) every(number func(*trial) float64) claim.Trials {
	return func(run *trials.Run, _ claim.Parameters) (s claim.Sample) {
		for _, r := range gridRegions {
			for _, n := range gridMembers {
				_, results := l.simulated(run,
					claim.Parameters{"m": bits, "k": hashes, "r": r, "n": int(n)})
				for i := range results {
					s.Hits += int(number(&results[i]))
				}
				s.Cases += len(results) * int(n)
			}
		}
		return s
	}
}

func deletable(t *trial) float64 { return t.deletable }

// lives are filters whose members come and go.
func lives(run *trials.Run, at claim.Parameters) (string, []life) {
	p, number := loadOf(at), part(run, letterly/2)
	if p.s.Bits > bits {
		number /= 10
	}
	name := fmt.Sprint("dynamics ", p)
	return name, trials.Recall(run, name, number,
		func(rng *rand.Rand) life { return live(rng, p.s, p.n) })
}

func ofState(number func(state) float64) claim.Trials {
	return claim.Measured(lives,
		func(l *life, at claim.Parameters) float64 { return number(l.states[at.Int("turnovers")]) })
}

// codings are other ways to code collisions, and such as adapt.
var codings = []*encodings.Encoding{
	encodings.Lanes(1), encodings.Lanes(2), encodings.Lanes(3), encodings.Columns(2),
	encodings.Columns(4), encodings.Growing(24), encodings.Refining(8), encodings.Twice(),
}

var codingTurnovers = []float64{0, 1, 2, 3, 5}

// coded are tables of blocks by one coding, at each of the turnovers.
func coded(run *trials.Run, at claim.Parameters) (string, [][]encodings.State) {
	e := codings[slices.IndexFunc(codings,
		func(e *encodings.Encoding) bool { return e.String() == at.Text("coding") })]
	count, bitsPerKey := 40_000, at.Float("bits per key")
	if run.Short {
		count = 4000
	}
	var turnovers []int
	for _, t := range codingTurnovers {
		turnovers = append(turnovers, int(t))
	}
	name := fmt.Sprint("codings ", e, bitsPerKey)
	return name, trials.Recall(run, name, 5, func(rng *rand.Rand) []encodings.State {
		return encodings.Churn(rng, e, count, bitsPerKey, turnovers)
	})
}

func ofCoded(number func(encodings.State) float64) claim.Trials {
	return claim.Measured(coded, func(s *[]encodings.State, at claim.Parameters) float64 {
		return number((*s)[slices.Index(codingTurnovers, at.Float("turnovers"))])
	})
}

// goals are those of the power of choices. The last one looks at the first elements.
var goals = []string{"rate", "deletable elements", "the first 5 elements"}

const (
	mostChoices = 5 // d = 1, 2, …, 16
	chosen      = 5
)

// best is the best of d filters by each goal.
type best [3][mostChoices]struct{ rate, deletable, first float64 }

func chosenFilters(run *trials.Run, _ claim.Parameters) (string, []best) {
	s := shape(regions)
	goals := []goal{lowestRate, mostDeletable, firstDeletable(chosen)}
	number := part(run, letterly)
	return "choices", trials.Recall(run, "choices", number, func(rng *rand.Rand) (b best) {
		elements := make([]uint64, members)
		for i := range elements {
			elements[i] = rng.Uint64()
		}
		for g := range goals {
			for d := range mostChoices {
				a, choice := choose(s, 1<<d, elements, goals[g])
				sum := &b[g][d]
				sum.rate, sum.first = rate(a), 1
				for i, hash := range elements {
					switch {
					case a.Deletable(rehash(hash, choice)):
						sum.deletable += 1. / members
					case i < chosen:
						sum.first = 0
					}
				}
			}
		}
		return b
	})
}

func ofBest(
	number func(rate, deletable, first float64) float64,
) claim.Trials {
	return claim.Measured(chosenFilters, func(b *best, at claim.Parameters) float64 {
		found := b[slices.Index(goals, at.Text("goal"))][int(math.Log2(at.Float("d")))]
		return number(found.rate, found.deletable, found.first)
	})
}

// travels are filters on their way.
var travels claim.Results[way] = func(run *trials.Run, _ claim.Parameters) (string, []way) {
	return "thinning", trials.Recall(run, "thinning", part(run, letterly), travel)
}

// The forms of filters in packet headers: that of LIPSIN (Jokela et al., SIGCOMM 2009), from which
// nothing is deleted, the letter's, and a block of this project.
const (
	lipsin = "LIPSIN"
	ours   = "Bloomlane"
)

// headers are filters in packets' headers.
func (l letter) headers(run *trials.Run, at claim.Parameters) (string, []trial) {
	n := at.Int("n")
	if at.Text("form") != ours {
		return l.simulated(run, at)
	}
	name := fmt.Sprint("ours ", n)
	return name, trials.Recall(run, name, part(run, letterly), func(rng *rand.Rand) (t trial) {
		var b kernel.Block256
		masks := make([]kernel.Block256, n)
		for i := range masks {
			masks[i] = kernel.Mask256(rng.Uint64())
			b.Insert(&masks[i])
		}
		for range queries {
			if mask := kernel.Mask256(rng.Uint64()); b.Query(&mask) {
				t.before += 1. / queries
			}
		}
		for i := range masks {
			if b.Delete(&masks[i]) == kernel.Deleted {
				t.deletable += 1 / float64(n)
			}
		}
		return t
	})
}

// inForm is a formula for the letter's form of a header, and another one for ours.
func inForm(letters expectation, our func(n int) float64) claim.Formulas {
	return claim.Formulas{exact: func(point claim.Parameters) float64 {
		if point.Text("form") == ours {
			return our(point.Int("n"))
		}
		return formula(letters)(point)
	}}
}

// quantities are those of the letter, whose elements are of one kind.
func quantities(e elements) claim.Quantities {
	l := letter{e}
	inHeaders := claim.Results[trial](l.headers)
	times := claim.Formulas{exact: ratio(occupied, Equation2)}
	// The k bits that a removal of all elements resets are of regions without a collision.
	clearable := func(whole expectation) claim.Formulas {
		return claim.Formulas{exact: ratio(dlbf.Shape.Clearable, whole)}
	}
	return claim.Quantities{
		"filters of which all elements are deletable": {Unit: claim.Share, Trials: figure1},
		"deletable elements": {Unit: claim.Share, Trials: l.sampled(deletable),
			Formulas: claim.Formulas{
				printedEquation1: formula(Equation1Printed), meantEquation1: formula(Equation1),
				ownThrow: formula(OwnThrow), exact: func(point claim.Parameters) float64 {
					if cells := point.Text("cells"); cells != "" && cells != "may coincide" ||
						point.Text("hash") != "" {
						return math.NaN()
					}
					return shapeOf(point).Deletability(point.Int("n"))
				},
			}},
		"deletable elements, less Eq. (1) as meant": {Unit: claim.Share,
			Trials: claim.Measured(l.simulated, func(t *trial, at claim.Parameters) float64 {
				return t.deletable - Equation1(shapeOf(at), at.Int("n"))
			}),
			Formulas: claim.Formulas{
				exact:       difference(dlbf.Shape.Deletability, Equation1),
				"own throw": difference(OwnThrow, Equation1),
			}},
		"retained elements, by Eq. (1)'s, logarithm": {
			Trials: l.sampled(deletable).Map(func(v float64, at claim.Parameters) float64 {
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
		"part set": {Unit: claim.Share, Formulas: claim.Formulas{
			"mean": ratio(filled, func(s dlbf.Shape, _ int) float64 { return float64(s.Cells()) }),
			"standard": func(at claim.Parameters) float64 {
				m := at.Int("m")
				return filled(standard(m, at.Int("k")), at.Int("n")) / float64(m)
			},
		}},
		"bits reset, of those set": {Unit: claim.Share, Formulas: clearable(filled),
			Trials: l.sampled(func(t *trial) float64 { return t.reset }).By(
				l.sampled(func(t *trial) float64 { return t.ones }))},
		"bits reset, of the elements' k bits each": {Unit: claim.Share,
			Trials: l.sampled(func(t *trial) float64 { return t.free }),
			Formulas: clearable(
				func(s dlbf.Shape, n int) float64 { return float64(s.Hashes * n) })},
		"bits reset, of all m bits": {Unit: claim.Share,
			Trials: claim.Measured(l.simulated,
				func(t *trial, at claim.Parameters) float64 { return t.reset / at.Float("m") }),
			Formulas: clearable(func(s dlbf.Shape, _ int) float64 { return float64(s.Bits) })},
		"number of bits reset": {Trials: l.sampled(func(t *trial) float64 { return t.reset }),
			Formulas: claim.Formulas{exact: formula(dlbf.Shape.Clearable)}},
		"cells in regions without a collision": {Unit: claim.Share,
			Trials: l.sampled(func(t *trial) float64 { return 1 - t.collided }),
			Formulas: claim.Formulas{"(1-pc)^(m'/r)": formula(func(s dlbf.Shape, n int) float64 {
				_, free := throws(s, float64(s.Hashes*n))
				return math.Pow(free, float64(s.Cells())/float64(s.Regions))
			})}},
		"rate before removal": {Unit: claim.Share,
			Trials: l.sampled(func(t *trial) float64 { return t.before }),
			Formulas: claim.Formulas{exact: formula(occupied),
				"Eq. (2)": formula(Equation2)}},
		"rate after removal": {Unit: claim.Share,
			Trials: l.sampled(func(t *trial) float64 { return t.after }),
			Formulas: claim.Formulas{"of the bits left": formula(
				func(s dlbf.Shape, n int) float64 {
					left := filled(s, n) - s.Clearable(n)
					return math.Pow(left/float64(s.Cells()), float64(s.Hashes))
				})}},
		"elements removed with all bits left, or left with one reset": {Unit: claim.Share,
			Trials: l.every(func(t *trial) float64 { return t.wrong })},
		"members not found when they are to be removed": {Unit: claim.Share,
			Trials: l.every(func(t *trial) float64 { return t.missing })},
		"rate of false positives, by a standard filter's": claim.Computed(claim.Number, exact,
			func(at claim.Parameters) float64 {
				n := at.Int("n")
				return occupied(shapeOf(at), n) / occupied(standard(at.Int("m"), at.Int("k")), n)
			}),
		"rate of false positives, by Eq. (2)": {Formulas: times,
			Trials: claim.Measured(l.simulated, func(t *trial, at claim.Parameters) float64 {
				return t.before / Equation2(shapeOf(at), at.Int("n"))
			})},
		"rate by the set cells, by Eq. (2)": {Trials: setCells, Formulas: times},
		"least bits a counter, for fewer than 0.01 overflows in a filter": claim.Computed(
			claim.Number, "by Poisson", leastCounter),
		"rate of a d-left filter": claim.Computed(claim.Number, "24 cells", leftRate),
		"bits per element, as a share of a 4-bit counting filter's": claim.Computed(claim.Share,
			"at 3/4 load", func(at claim.Parameters) float64 {
				counting := 4 * math.Log2(1/leftRate(at)) / math.Ln2
				return (at.Float("fingerprint bits") + 2) / 0.75 / counting
			}),
		"members not found after half of the elements are removed": {Unit: claim.Share,
			Trials: signatures},
		"bits for a cell, less the 3 of a counting filter": claim.Computed(claim.Number,
			"m/(m-r) - 3", func(at claim.Parameters) float64 {
				return at.Float("m")/(at.Float("m")-at.Float("r")) - 3
			}),
		"rate of false positives of those that stay as many": {Unit: claim.Share,
			Trials: ofState(func(s state) float64 { return s.rate })},
		"deletable members": {Unit: claim.Share,
			Trials: ofState(func(s state) float64 { return s.deletable })},
		"regions with a collision": {Unit: claim.Share,
			Trials: ofState(func(s state) float64 { return s.collided })},
		"turnovers until every region has a collision": {
			Trials: claim.Measured(lives, func(l *life, at claim.Parameters) float64 {
				return l.full / at.Float("n")
			})},
		"rate of false positives by a coding": {Unit: claim.Share,
			Trials: ofCoded(func(s encodings.State) float64 { return s.Rate })},
		"deletable members by a coding": {Unit: claim.Share,
			Trials: ofCoded(func(s encodings.State) float64 { return s.Deletability })},
		"rate of false positives of the best": {Unit: claim.Share,
			Trials: ofBest(func(rate, _, _ float64) float64 { return rate })},
		"deletable elements of the best": {Unit: claim.Share,
			Trials: ofBest(func(_, deletable, _ float64) float64 { return deletable })},
		"filters whose first 5 elements are all deletable": {Unit: claim.Share,
			Trials: ofBest(func(_, _, first float64) float64 { return first })},
		"elements found on a second way, less than all": {
			Trials: travels.Number(func(w *way) float64 { return w.repeated - members }),
			Formulas: claim.Formulas{exact: formula(func(s dlbf.Shape, n int) float64 {
				return -float64(n) * s.Deletability(n)
			})}},
		"false matches on the way, 10 queries a site": {
			Trials: claim.Measured(travels, func(w *way, at claim.Parameters) float64 {
				if at.Text("removals") == "yes" {
					return w.matches
				}
				return w.kept
			}),
			Formulas: claim.Formulas{exact: func(point claim.Parameters) float64 {
				if point.Text("removals") == "yes" {
					return math.NaN()
				}
				return foreign * members * occupied(shapeOf(point), point.Int("n"))
			}}},
		"rate of a filter on its way": {Unit: claim.Share,
			Trials: claim.Measured(travels, func(w *way, at claim.Parameters) float64 {
				return w.rates[at.Int("processed")]
			}),
			Formulas: claim.Formulas{exact: formula(occupied)}},
		"new elements at half way until as many bits are set as at the start": {
			Trials: travels.Number(func(w *way) float64 { return w.additions })},
		"members lost where a site also removes what it finds by mistake": {Unit: claim.Share,
			Trials: claim.Measured(travels,
				func(w *way, at claim.Parameters) float64 { return w.lost / at.Float("n") })},
		"rate of false matches in a header": {Unit: claim.Share,
			Trials:   inHeaders.Number(func(t *trial) float64 { return t.before }),
			Formulas: inForm(occupied, inpacket.FalseMatchRate[kernel.Block256])},
		"deletable links": {Unit: claim.Share,
			Trials: inHeaders.Number(deletable),
			Formulas: inForm(dlbf.Shape.Deletability,
				func(n int) float64 { return planning.FreshDeletability(256, n, 1) })},
	}
}

// figure1 are filters as in the letter's example: its cells are not readable, but how likely it is.
func figure1(run *trials.Run, point claim.Parameters) claim.Sample {
	s := shapeOf(point)
	return claim.Sample{Values: trials.Recall(run, "figure 1", letterly,
		func(rng *rand.Rand) float64 {
			a, elements := array(s), make([]uint64, point.Int("n"))
			for i := range elements {
				elements[i] = rng.Uint64()
				a.Insert(elements[i])
			}
			for _, hash := range elements {
				if !a.Deletable(hash) {
					return 0
				}
			}
			return 1
		})}
}

// setCells are the rates of filters by the cells that are set, as multiples of equation 2.
func setCells(run *trials.Run, at claim.Parameters) claim.Sample {
	p := loadOf(at)
	number := part(run, 10*letterly)
	theory := Equation2(p.s, p.n)
	rates := trials.Recall(run, fmt.Sprint("equation 2 ", p), number,
		func(rng *rand.Rand) float64 {
			a, draw := array(p.s), perfect(rng, uint64(p.s.Cells()), p.s.Hashes)
			var own []uint64
			for range p.n {
				own = draw(own[:0])
				a.InsertAt(own)
			}
			return rate(a)
		})
	return claim.Sample{Values: trials.Column(rates, func(r *float64) float64 {
		return *r / theory
	})}
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

// signatures are filters with the variable-length signatures of Lu et al.: an element is found by q
// of its k bits, and a removal resets k-q+1.
func signatures(run *trials.Run, at claim.Parameters) claim.Sample {
	k, q := at.Int("k"), at.Int("q")
	missing := func(rng *rand.Rand) float64 {
		set, draw := make([]bool, bits), perfect(rng, bits, k)
		var elements [][]uint64
		for range members {
			elements = append(elements, draw(nil))
			for _, cell := range elements[len(elements)-1] {
				set[cell] = true
			}
		}
		const removed = members / 2
		for _, cells := range elements[:removed] {
			for _, cell := range cells[:k-q+1] {
				set[cell] = false
			}
		}
		lost := 0
		for _, cells := range elements[removed:] {
			found := 0
			for _, cell := range cells {
				if set[cell] {
					found++
				}
			}
			if found < q {
				lost++
			}
		}
		return float64(lost) / (members - removed)
	}
	return claim.Sample{
		Values: trials.Recall(run, "variable-length signatures", letterly, missing),
	}
}
