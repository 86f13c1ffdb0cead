package garden

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// countMin is the sketch of Cormode and Muthukrishnan ("An Improved Data Stream Summary: The
// Count-Min Sketch and its Applications", 2005): depth sections of width cells.
func countMin(width, depth int) *counters { return newCounters(width*depth, depth, true) }

// signed is the Fast-AMS sketch (Cormode and Garofalakis, "Sketching Streams Through the Net",
// 2005; the estimate of a count is that of Charikar, Chen and Farach-Colton, 2002): a key adds to
// one cell of each section, with a sign that it has there.
type signed struct{ *counters }

// sign returns 1 or -1.
func (s signed) sign(hash uint64, section int) int64 {
	return 1 - 2*int64(bits.OnesCount64(workload.Mix(hash+uint64(section)))&1)
}

func (s signed) add(hash uint64, times int64) {
	var own [16]int
	for section, cell := range s.positions(own[:0], hash) {
		s.cells[cell] += times * s.sign(hash, section)
	}
}

// count is the estimate: the median of the sections'.
func (s signed) count(hash uint64) float64 {
	var own [16]int
	var estimates [16]float64
	for section, cell := range s.positions(own[:0], hash) {
		estimates[section] = float64(s.cells[cell] * s.sign(hash, section))
	}
	return median(estimates[:s.hashes])
}

// square is the estimate of the sum of the squares of all counts: the median of the sections'.
func (s signed) square() float64 {
	sums, width := make([]float64, s.hashes), len(s.cells)/s.hashes
	for i, cell := range s.cells {
		sums[i/width] += float64(cell * cell)
	}
	return median(sums)
}

// middle is the median of the counters without signs.
func (c *counters) middle(hash uint64) float64 {
	var own [16]int
	var estimates [16]float64
	for section, cell := range c.positions(own[:0], hash) {
		estimates[section] = float64(c.cells[cell])
	}
	return median(estimates[:c.hashes])
}

// median is that of a number of values that is odd.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// rate returns the false-positive rate of cells: the chance that those of a key are all above 0.
func (c *counters) rate() float64 {
	sections := 1
	if c.sectioned {
		sections = c.hashes
	}
	rate, size := 1.0, len(c.cells)/sections
	for from := 0; from < len(c.cells); from += size {
		used := 0
		for _, cell := range c.cells[from : from+size] {
			if cell > 0 {
				used++
			}
		}
		rate *= float64(used) / float64(size)
	}
	return math.Pow(rate, float64(c.hashes/sections))
}

// cellsPerKey is that of filters with sections and without.
const cellsPerKey = 10

// isomorphic are rates of them.
type isomorphic struct{ with, without float64 }

func sections(run *trials.Run, at claim.Parameters) (string, []isomorphic) {
	k, n := at.Int("k"), at.Int("n")
	return repeated(run, fmt.Sprint("isomorphic ", k, n), 2_000_000/n, 100_000/n,
		func(rng *rand.Rand) isomorphic {
			rate := func(sectioned bool) float64 {
				c := newCounters(cellsPerKey*n, k, sectioned)
				for range n {
					c.add(rng.Uint64(), 1)
				}
				return c.rate()
			}
			return isomorphic{rate(true), rate(false)}
		})
}

func withSections(at claim.Parameters) float64 {
	k, n := at.Float("k"), at.Float("n")
	return math.Pow(-math.Expm1(n*math.Log1p(-k/(cellsPerKey*n))), k)
}

func withoutSections(at claim.Parameters) float64 {
	return expected.RateOfBits(at.Float("n"), cellsPerKey*at.Float("n"), at.Int("k"))
}

// What the sketches count, and their size: of e/width of the occurrences, and e^-depth of the keys.
const (
	sketchKeys  = 10_000
	sketchDraws = 50_000
	sketchWidth = 272 // e/0.01
	sketchDepth = 5   // ln 1/0.0067
)

// errorsOf are the errors of the sketches' counts of each key of a stream.
type errorsOf struct {
	keys  float64
	below int // counts of the minimum that are too low

	// The parts of the keys with an error above some multiples: of the minimum in sections, and of
	// that without, above those of N/width; with signs above those of √(F2/width).
	least, whole, median []float64

	first  float64    // part of them with an error above e N/width in the first section
	mean   [4]float64 // error in N/width: of these three, and of the median without signs
	square float64    // the estimate of F2, as a multiple of it
}

// multiples are those.
var multiples = []float64{0.25, 0.5, 0.75, 1, 1.5, 2, math.E, 4}

func sketch(rng *rand.Rand, skew float64) (e errorsOf) {
	hashes, times := multiset(rng, sketchKeys, sketchDraws, skew)
	min, ams := countMin(sketchWidth, sketchDepth), signed{countMin(sketchWidth, sketchDepth)}
	whole := newCounters(sketchWidth*sketchDepth, sketchDepth, false)
	squares := 0.0
	for i, hash := range hashes {
		min.add(hash, times[i])
		whole.add(hash, times[i])
		ams.add(hash, times[i])
		squares += float64(times[i] * times[i])
	}
	e.keys, e.square = float64(len(hashes)), ams.square()/squares
	e.least, e.whole, e.median = make([]float64, len(multiples)), make([]float64, len(multiples)),
		make([]float64, len(multiples))
	for i, hash := range hashes {
		off := [4]float64{
			float64(min.least(hash, endless) - times[i]),
			float64(whole.least(hash, endless) - times[i]),
			ams.count(hash) - float64(times[i]), min.middle(hash) - float64(times[i]),
		}
		if off[0] < 0 {
			e.below++
		}
		if float64(min.cells[min.positions(nil, hash)[0]]-times[i]) >
			math.E*sketchDraws/sketchWidth {
			e.first += 1 / e.keys
		}
		for j := range off {
			e.mean[j] += off[j] * sketchWidth / sketchDraws / e.keys
		}
		for j, multiple := range multiples {
			for _, tail := range []struct {
				of     []float64
				beyond bool
			}{
				{e.least, off[0] > multiple*sketchDraws/sketchWidth},
				{e.whole, off[1] > multiple*sketchDraws/sketchWidth},
				{e.median, math.Abs(off[2]) > multiple*math.Sqrt(squares/sketchWidth)},
			} {
				if tail.beyond {
					tail.of[j] += 1 / e.keys
				}
			}
		}
	}
	return e
}

func sketched(run *trials.Run, at claim.Parameters) (string, []errorsOf) {
	skew := at.Float("skew")
	return repeated(run, fmt.Sprint("sketches ", skew), 200, 8,
		func(rng *rand.Rand) errorsOf { return sketch(rng, skew) })
}

// markov is the bound of count-min, and chebyshev that of fast-AMS: the median is off where half of
// the sections are, of which each is with 1/multiple^2 at most.
func markov(multiple float64) float64 { return math.Min(1, math.Pow(multiple, -sketchDepth)) }

func chebyshev(multiple float64) float64 {
	return tail((sketchDepth+1)/2, sketchDepth, math.Min(1, 1/(multiple*multiple)))
}

// worst are streams that are near the bounds: of keys that came as often as each other, as few as
// make an error that counts where a non-member shares a cell with one.
type worst struct {
	name   string
	keys   int     // N/keys is an error that counts
	bound  float64 // of the part of the non-members that have it
	theory func(keys int) float64
	beyond func(min *counters, ams signed, hash uint64) bool
}

var worsts = map[string]worst{
	"count-min": {
		"count-min, ε = e/width, δ = e^-depth", 100, math.Exp(-sketchDepth),
		func(keys int) float64 { return math.Pow(1-shared(keys, 0), sketchDepth) },
		func(min *counters, _ signed, hash uint64) bool { return min.least(hash, endless) > 0 },
	},
	"fast-AMS": {
		"fast-AMS, ε = 2/√width, δ by Chebyshev", 67, tail(3, sketchDepth, 0.25),
		func(keys int) float64 {
			// Above in three sections or more, or below.
			above := 1 - shared(keys, 0)
			for others := 2; others < 12; others += 2 { // which may have the sum 0
				above -= shared(keys, others) * (tail(others/2, float64(others), 0.5) -
					tail(others/2+1, float64(others), 0.5))
			}
			return 2 * tail(3, sketchDepth, above/2)
		},
		func(_ *counters, ams signed, hash uint64) bool { return ams.count(hash) != 0 },
	},
}

// shared returns the probability that a cell of a non-member has a number of the keys.
func shared(keys, others int) float64 {
	return tail(others, float64(keys), 1./sketchWidth) -
		tail(others+1, float64(keys), 1./sketchWidth)
}

// beyond are the parts of non-members with an error that counts.
func beyond(run *trials.Run, at claim.Parameters) (string, []float64) {
	const queries = 2000
	w := worsts[at.Text("sketch")]
	return repeated(run, "worst "+w.name, 500, 50, func(rng *rand.Rand) (part float64) {
		min, ams := countMin(sketchWidth, sketchDepth),
			signed{countMin(sketchWidth, sketchDepth)}
		for range w.keys {
			hash := rng.Uint64()
			min.add(hash, 1)
			ams.add(hash, 1)
		}
		for range queries {
			if w.beyond(min, ams, rng.Uint64()) {
				part += 1. / queries
			}
		}
		return part
	})
}

// sketches is what the section on the spectral filter says of sketches: its cells in sections, one
// a hash.
func sketches() claim.Quantities {
	of := func(number func(e *errorsOf) float64) claim.Trials {
		return claim.Measured(sketched, func(e *errorsOf, _ claim.Parameters) float64 {
			return number(e)
		})
	}
	above := func(
		name string,
		parts func(e *errorsOf) []float64,
		bound func(float64) float64,
	) claim.Quantity {
		return measured(claim.Measured(sketched, func(e *errorsOf, at claim.Parameters) float64 {
			return parts(e)[slices.Index(multiples, at.Float("multiple"))]
		}), name, func(at claim.Parameters) float64 { return bound(at.Float("multiple")) })
	}
	rate := func(number func(i *isomorphic) float64) claim.Trials {
		return claim.Measured(sections, func(i *isomorphic, _ claim.Parameters) float64 {
			return number(i)
		})
	}
	return claim.Quantities{
		"rate with sections, as a multiple of that without": {
			Trials: rate(func(i *isomorphic) float64 { return i.with }).By(
				rate(func(i *isomorphic) float64 { return i.without })),
			Formulas: claim.Formulas{exact: func(at claim.Parameters) float64 {
				return withSections(at) / withoutSections(at)
			}},
		},
		"rate in a sketch": {Unit: claim.Share, Formulas: claim.Formulas{
			"with sections": withSections, "without sections": withoutSections}},
		"keys with an error above a multiple of N/width": above("bound",
			func(e *errorsOf) []float64 { return e.least }, markov),
		"the same without sections": above("bound",
			func(e *errorsOf) []float64 { return e.whole }, markov),
		"keys with an error of fast-AMS above a multiple of √(F2/width)": above("bound",
			func(e *errorsOf) []float64 { return e.median }, chebyshev),
		"keys that count-min counts less often than they came": measured(claim.Counted(sketched,
			func(e *errorsOf, _ claim.Parameters) (hits, cases int) {
				return e.below, int(e.keys)
			}), exact, never),
		"keys with an error above ε = e/width of all occurrences, less δ = e^-depth": {
			Unit:   claim.Share,
			Trials: of(func(e *errorsOf) float64 { return e.least[6] - math.Exp(-sketchDepth) })},
		"the same of one section, less δ = 1/e": {Unit: claim.Share,
			Trials: of(func(e *errorsOf) float64 { return e.first - 1/math.E })},
		"keys with an error of fast-AMS above 2 √(F2/width), less Chebyshev's bound": {
			Unit:   claim.Share,
			Trials: of(func(e *errorsOf) float64 { return e.median[5] - chebyshev(2) })},
		"mean error with sections, as a multiple of that without": {
			Trials: of(func(e *errorsOf) float64 { return e.mean[0] }).By(
				of(func(e *errorsOf) float64 { return e.mean[1] }))},
		"mean error of the median, as a multiple of N/width": {
			Trials: claim.Measured(sketched, func(e *errorsOf, at claim.Parameters) float64 {
				if at.Text("counters") == "sums with signs" {
					return e.mean[2]
				}
				return e.mean[3]
			})},
		"its sum of the squares of all counts, as a multiple of what it is": {
			Trials: of(func(e *errorsOf) float64 { return e.square })},
		"non-members with an error above ε": measured(claim.Measured(beyond, itself), exact,
			func(at claim.Parameters) float64 {
				w := worsts[at.Text("sketch")]
				return w.theory(w.keys)
			}),
		"non-members with an error above ε, less δ": measured(claim.Measured(beyond,
			func(part *float64, at claim.Parameters) float64 {
				return *part - worsts[at.Text("sketch")].bound
			}), exact, func(at claim.Parameters) float64 {
			w := worsts[at.Text("sketch")]
			return w.theory(w.keys) - w.bound
		}),
	}
}

func sketchesFigures() []claim.Plot {
	skews := []float64{0.5, 1, 1.3}
	panel := func(title, x string, curves []claim.Curve, q string) claim.Panel {
		return claim.Panel{Title: title, X: x, Y: "keys with a higher error", By: "multiple",
			At: multiples, Log: true,
			Curves: append(curves, claim.Curve{Name: "bound", Quantity: q, Theory: "bound",
				Computed: true}),
			Look: func(p *chart.Panel) { tickX(0, 1, 2, 3, 4)(p); p.X.Min = 0 }}
	}
	least := "keys with an error above a multiple of N/width"
	median := "keys with an error of fast-AMS above a multiple of √(F2/width)"
	return []claim.Plot{
		{
			Name: "sections", Where: `section Spectral: "conceptually isomorphic" with sections`,
			Title: "A section for each hash, or all cells for all (m/n = 10): marks simulated, " +
				"lines exact",
			Width: 420, Height: 280, Columns: 1, Panels: []claim.Panel{{
				X: "cells, m", Y: "rate, as a multiple of that without sections", By: "n",
				At: []float64{7, 14, 28, 70, 140, 560},
				To: func(n float64) float64 { return cellsPerKey * n },
				Curves: claim.Curves("k = %d", "k", []int{2, 5, 7}, claim.Curve{
					Quantity: "rate with sections, as a multiple of that without",
					Theory:   exact}),
				Look: func(p *chart.Panel) { chart.Logarithmic(quantity.Number, &p.X) }}},
		},
		{
			Name: "sketches", Where: "section Spectral: the Count-Min and Fast-AMS sketches",
			Title: fmt.Sprintf("Sketches of %s keys that came %s times (width %d, depth %d): "+
				"marks simulated", quantity.Count(sketchKeys), quantity.Count(sketchDraws),
				sketchWidth, sketchDepth),
			Width: 330, Height: 280, Columns: 2, Panels: []claim.Panel{
				panel("count-min", "error, as a multiple of N / width", append(
					claim.Curves("skew %g", "skew", skews, claim.Curve{Quantity: least}),
					claim.Curves("skew %g, no sections", "skew", skews, claim.Curve{
						Quantity: "the same without sections"})...), least),
				panel("fast-AMS", "error, as a multiple of √(F2 / width)",
					claim.Curves("skew %g", "skew", skews, claim.Curve{Quantity: median}),
					median)},
		},
	}
}
