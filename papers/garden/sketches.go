package garden

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// sectioned is what the section on the spectral filter says of sketches: its cells in sections, one
// a hash.
var sectioned = []claim.Part{isomorphic, bounded, worst}

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

// isomorphic is whether sections make a difference to the rate.
func isomorphic(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const each = 10 // cells for each key
	panel := chart.New("", "cells, m", "rate, as a multiple of that without sections")
	for series, k := range []int{2, 5, 7} {
		var marks, line plotter.XYs
		for _, n := range []int{7, 14, 28, 70, 140, 560} {
			m := each * n
			type result struct{ with, without float64 }
			results := trials.Each(run, fmt.Sprint("isomorphic ", k, n),
				number(run, 2_000_000, 400_000)/n, func(rng *rand.Rand) result {
					of := func(in bool) float64 {
						c := newCounters(m, k, in)
						for range n {
							c.add(rng.Uint64(), 1)
						}
						return c.rate()
					}
					return result{of(true), of(false)}
				})
			with := math.Pow(-math.Expm1(float64(n)*math.Log1p(-float64(k)/float64(m))), float64(k))
			without := expected.RateOfBits(float64(n), float64(m), k)
			c := claim.Claim{
				Item: "spectral: sections",
				Where: `section Spectral: minimum selection is "conceptually ` +
					`isomorphic to the Count-Min ` + `Sketch" with sections`,
				Parameters: map[string]any{"m": m, "k": k, "n": n}, Unit: claim.Number,
				Trials:    len(results),
				Reading:   claim.Literal,
				Quantity:  "rate with sections, as a multiple of that without",
				Published: claim.Rounded(1, 0.02), Theory: claim.By(exact, with/without),
				Interval: claim.Ratio(trials.Column(results,
					func(r *result) float64 { return r.with }),
					trials.Column(results, func(r *result) float64 { return r.without })),
				Why: fmt.Sprintf(
					"with sections the cells of a key differ, so more cells are used: the rate "+
						"is (1-(1-k/m)^n)^k, %s, and not %s",
					quantity.Percent(with),
					quantity.Percent(without),
				),
				Point: n != 14 && n != 560,
			}
			if c.Point {
				c.Published = claim.Published{}
			}
			claims = append(claims, c)
			marks = append(marks, plotter.XY{X: float64(m), Y: *c.Measured})
			line = append(line, plotter.XY{X: float64(m), Y: with / without})
		}
		name := fmt.Sprintf("k = %d", k)
		beside(panel, name, series, line, marks)
	}
	chart.Logarithmic(quantity.Number, &panel.X)
	return claims, []claim.Figure{{Name: "sections", Picture: &chart.Picture{
		Title: "A section for each hash, or all cells for all (m/n = 10): marks simulated, " +
			"lines exact",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
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

// bounded is the errors of the sketches, and their bounds.
func bounded(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	least := chart.New("count-min", "error, as a multiple of N / width", "keys with a higher error")
	signs := chart.New("fast-AMS", "error, as a multiple of √(F2 / width)",
		"keys with a higher error")
	var markov, chebyshev plotter.XYs
	bound := func(multiple float64) float64 { return math.Min(1, math.Pow(multiple, -sketchDepth)) }
	// The median is off where half of the sections are, of which each is with 1/multiple^2 at most.
	median := func(multiple float64) float64 {
		return tail((sketchDepth+1)/2, sketchDepth, math.Min(1, 1/(multiple*multiple)))
	}
	for multiple := 0.25; multiple <= 4.01; multiple += 0.05 {
		markov = append(markov, plotter.XY{X: multiple, Y: bound(multiple)})
		chebyshev = append(chebyshev, plotter.XY{X: multiple, Y: median(multiple)})
	}
	for series, skew := range []float64{0.5, 1, 1.3} {
		all := trials.Each(run, fmt.Sprint("sketches ", skew), number(run, 200, 24),
			func(rng *rand.Rand) errorsOf { return sketch(rng, skew) })
		c := claim.Claim{
			Item: "spectral: sketches", Unit: claim.Share, Reading: claim.Literal, Trials: len(all),
			Where: "section Spectral: the Count-Min and Fast-AMS sketches",
		}
		parameters := func() map[string]any {
			return map[string]any{"width": sketchWidth, "depth": sketchDepth, "skew": skew}
		}
		var marks [3]plotter.XYs
		for i, multiple := range multiples {
			at := c
			at.Point, at.Parameters = true, parameters()
			at.Parameters["multiple"] = multiple
			for j, of := range []struct {
				name string
				of   func(e *errorsOf) float64
			}{
				{"keys with an error above a multiple of N/width",
					func(e *errorsOf) float64 { return e.least[i] }},
				{"the same without sections", func(e *errorsOf) float64 { return e.whole[i] }},
				{"keys with an error of fast-AMS above a multiple of √(F2/width)",
					func(e *errorsOf) float64 { return e.median[i] }},
			} {
				at.Quantity, at.Interval = of.name, mean(all, of.of)
				bounds := [3]float64{bound(multiple), bound(multiple), median(multiple)}
				at.Theory = claim.By("bound", bounds[j])
				claims = append(claims, at)
				if *at.Low > 0 {
					marks[j] = append(marks[j], plotter.XY{X: multiple, Y: *at.Measured})
				}
			}
		}
		name := fmt.Sprintf("skew %g", skew)
		least.Add(name, marks[0], chart.Marks(series))
		least.Add(name+", no sections", marks[1], chart.Marks(4+series))
		signs.Add(name, marks[2], chart.Marks(series))

		below, keys := 0, 0.0
		for i := range all {
			below, keys = below+all[i].below, keys+all[i].keys
		}
		c.Parameters = parameters()
		c.Quantity, c.Published = "keys that count-min counts less often than they came", none()
		c.Theory, c.Interval, c.Why = claim.By(exact, 0), claim.Proportion(below, int(keys)),
			"a count is lost"
		claims = append(claims, c)
		c.Quantity = "keys with an error above ε = e/width of all occurrences, less δ = e^-depth"
		c.Published, c.Theory = claim.Trend(claim.NotHigher), claim.Theory{}
		c.Interval = mean(all,
			func(e *errorsOf) float64 { return e.least[6] - math.Exp(-sketchDepth) })
		c.Why = "the bound is Markov's, of each section"
		claims = append(claims, c)
		c.Quantity = "the same of one section, less δ = 1/e"
		c.Interval = mean(all, func(e *errorsOf) float64 { return e.first - 1/math.E })
		claims = append(claims, c)
		c.Quantity = "keys with an error of fast-AMS above 2 √(F2/width), less Chebyshev's bound " +
			"of the median"
		c.Interval = mean(all, func(e *errorsOf) float64 { return e.median[5] - median(2) })
		claims = append(claims, c)
		c.Where = `section Spectral: "isomorphic to the Count-Min Sketch" with sections`
		c.Quantity, c.Unit, c.Published = "mean error with sections, as a multiple of that without",
			claim.Number, claim.Rounded(1, 0.1)
		c.Interval = claim.Ratio(trials.Column(all, func(e *errorsOf) float64 { return e.mean[0] }),
			trials.Column(all, func(e *errorsOf) float64 { return e.mean[1] }))
		c.Why = "a section of few cells is hit by frequent keys more often"
		claims = append(claims, c)

		c.Where =
			`section Spectral: the Fast-AMS sketch "by taking the median of the counters instead of ` + `their minimum"`
		c.Quantity, c.Published =
			"mean error, as a multiple of N/width, of which fast-AMS has none",
			claim.Rounded(0, 0.02)
		c.Reading, c.Interval = "counters as they are", mean(all,
			func(e *errorsOf) float64 { return e.mean[3] })
		c.Why = "without signs all other keys of a cell add to it, and the median adds more " +
			"than the minimum: a sketch of sums with " +
			"signs, which the sentence leaves out, has as many above as below"
		claims = append(claims, c)
		c.Reading, c.Interval = "sums with signs",
			mean(all, func(e *errorsOf) float64 { return e.mean[2] })
		claims = append(claims, c)
		c.Where, c.Reading = "section Spectral: the Fast-AMS sketch", claim.Literal
		c.Quantity, c.Published = "its sum of the squares of all counts, as a multiple of "+
			"what it is",
			claim.Rounded(1, 0.1)
		c.Interval, c.Why = mean(all, func(e *errorsOf) float64 { return e.square }),
			"the median of few sections is below their mean"
		claims = append(claims, c)
	}
	least.Add("bound", markov, chart.Limit)
	signs.Add("bound", chebyshev, chart.Limit)
	for _, panel := range []*chart.Panel{least, signs} {
		chart.Logarithmic(quantity.Percent, &panel.Y)
		panel.X.Tick.Marker, panel.X.Min = chart.Ticks(quantity.Number, 0, 1, 2, 3, 4), 0
	}
	return claims, []claim.Figure{{Name: "sketches", Picture: &chart.Picture{
		Title: fmt.Sprintf("Sketches of %s keys that came %s times (width %d, depth %d): marks "+
			"simulated",
			quantity.Count(sketchKeys),
			quantity.Count(sketchDraws), sketchWidth, sketchDepth),
		Panels: []*chart.Panel{least, signs}, Columns: 2, Width: 330, Height: 280,
	}}}
}

// worst is streams that are near the bounds: of keys that came as often as each other, as few as
// make an error that counts where a non-member shares a cell with one.
func worst(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const queries = 2000
	c := claim.Claim{
		Item:  "spectral: sketches near their bounds",
		Where: "section Spectral: the Count-Min and Fast-AMS sketches",
		Unit:  claim.Share, Trials: number(run, 500, 100), Reading: claim.Literal,
	}
	// shared returns the probability that a cell of a non-member has a number of the keys.
	shared := func(keys, others int) float64 {
		return tail(others, float64(keys), 1./sketchWidth) - tail(others+1, float64(keys),
			1./sketchWidth)
	}
	for _, w := range []struct {
		name   string
		keys   int     // N/keys is an error that counts
		bound  float64 // of the part of the non-members that have it
		theory func(keys int) float64
		beyond func(min *counters, ams signed, hash uint64) bool
	}{
		{"count-min, ε = e/width, δ = e^-depth", 100, math.Exp(-sketchDepth),
			func(keys int) float64 { return math.Pow(1-shared(keys, 0), sketchDepth) },
			func(min *counters, _ signed, hash uint64) bool {
				return min.least(hash, endless) > 0
			}},
		{"fast-AMS, ε = 2/√width, δ by Chebyshev", 67, tail(3, sketchDepth, 0.25),
			func(keys int) float64 {
				// Above in three sections or more, or below.
				above := 1 - shared(keys, 0)
				for others := 2; others < 12; others += 2 { // which may have the sum 0
					above -= shared(keys, others) * (tail(others/2, float64(others), 0.5) -
						tail(others/2+1, float64(others), 0.5))
				}
				return 2 * tail(3, sketchDepth, above/2)
			},
			func(_ *counters, ams signed, hash uint64) bool { return ams.count(hash) != 0 }},
	} {
		parts := trials.Each(run, "worst "+w.name, c.Trials, func(rng *rand.Rand) (part float64) {
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
		c.Parameters = map[string]any{"width": sketchWidth, "depth": sketchDepth, "sketch": w.name}
		c.Quantity, c.Published = "non-members with an error above ε", claim.Published{}
		c.Theory, c.Interval = claim.By(exact, w.theory(w.keys)), claim.Mean(parts)
		claims = append(claims, c)
		c.Quantity, c.Published = "the same, less δ", claim.Trend(claim.NotHigher)
		c.Theory, c.Interval = claim.By(exact, w.theory(w.keys)-w.bound),
			c.Interval.Less(claim.Exact(w.bound))
		c.Why = "the bound does not hold"
		claims = append(claims, c)
	}
	return claims, nil
}
