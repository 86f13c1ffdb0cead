package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// aged is the section on the stable filter.
var aged = []claim.Part{converging, stableRates, choosing, missing}

// stablePoint is the part of the cells that are 0 in the end, by Deng and Rafiei (theorem 2): m
// cells, k of a key, p decrements, and what a cell is set to.
func stablePoint(m, k, p, most float64) float64 {
	return math.Pow(1/(1+1/(p*(1/k-1/m))), most)
}

// stableRate is the rate there (theorem 3).
func stableRate(m, k, p, most float64) float64 {
	return math.Pow(1-stablePoint(m, k, p, most), k)
}

// paperRate is the same of a shape.
func paperRate(s stable.Shape) float64 {
	return stableRate(float64(s.Cells()), float64(s.Hashes), float64(s.Decrements),
		float64(s.Highest()))
}

// shaped is a shape of m cells, which fill words.
func shaped(m, width, k, p int) stable.Shape {
	s := stable.Shape{Words: m / (64 / width), Width: width, Hashes: k, Decrements: p}
	if s.Cells() != m {
		panic(fmt.Sprintf("garden: %v, want %d cells", s, m))
	}
	return s
}

func ofShape(s stable.Shape) map[string]any {
	return map[string]any{"m": s.Cells(), "d": s.Width, "K": s.Hashes, "P": s.Decrements}
}

// stableOf is a stable filter that takes from other cells in each trial: in a file is where it goes
// on.
func stableOf(rng *rand.Rand, s stable.Shape) *stable.Filter {
	c := must(must(stable.NewShape(s, 1, secret)).Contents())
	c.Set("random", rng.Uint64()|1)
	return must(stable.Decode(c, secret))
}

// inserted inserts a number of different keys.
func inserted(rng *rand.Rand, f *stable.Filter, keys int) {
	for range keys {
		must(f.InsertHash(rng.Uint64()))
	}
}

// asked returns the part of a number of non-members that a filter finds.
func asked(rng *rand.Rand, queries int, f interface {
	QueryHashBatch(hashes, present []uint64) int
}) float64 {
	hashes := make([]uint64, queries)
	workload.Fill(rng, hashes)
	return float64(f.QueryHashBatch(hashes, nil)) / float64(queries)
}

// turn is how many inserts take a cell from its highest value to 0 that none sets.
func turn(s stable.Shape) int { return s.Highest() * s.Cells() / s.Decrements }

// alike are shapes of 8192 cells of which the rate is 1 %: wider cells need more decrements.
var alike = []stable.Shape{onePercent(1), onePercent(2), onePercent(4)}

func onePercent(width int) stable.Shape {
	c := stable.Config{Members: 1, BitsPerKey: 8192 * float64(width), Rate: 0.01,
		Hashes: 4, Width: width}
	return must(c.Shape())
}

// converging is the stable point.
func converging(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	zeros := chart.New("", "inserts, per cell", "cells that are 0")
	rates := chart.New("", "inserts, per cell", "rate of false positives")
	for series, s := range alike {
		m := s.Cells()
		var steps []int
		for _, part := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32} {
			steps = append(steps, m*part/32)
		}
		type state struct{ zeros, rate float64 }
		lives := trials.Each(run, fmt.Sprint("converging ", s), number(run, 200, 30),
			func(rng *rand.Rand) (all []state) {
				f, done := stableOf(rng, s), 0
				for _, step := range steps {
					inserted(rng, f, step-done)
					done = step
					now := f.State()
					all = append(all, state{1 - now.Fill, now.Rate})
				}
				return all
			})
		c := claim.Claim{Item: "stable: the stable point", Unit: claim.Share, Trials: len(lives),
			Reading: claim.Literal}
		var marks, rateMarks plotter.XYs
		for i, step := range steps {
			at := c
			at.Where, at.Point = "section Stable", true
			at.Parameters = ofShape(s)
			at.Parameters["inserts"] = step
			at.Quantity, at.Theory = "cells that are 0", claim.By(exact, s.Zeros(step))
			at.Interval = mean(lives, func(all *[]state) float64 { return (*all)[i].zeros })
			claims = append(claims, at)
			marks = append(marks, plotter.XY{X: float64(step) / float64(m), Y: *at.Measured})
			at.Quantity, at.Theory = "rate of false positives",
				claim.By(meanField, s.Rate(step))
			at.Interval = mean(lives, func(all *[]state) float64 { return (*all)[i].rate })
			if *at.Measured > 0 {
				claims = append(claims, at)
				rateMarks = append(rateMarks,
					plotter.XY{X: float64(step) / float64(m), Y: *at.Measured})
			}
		}
		var line, limit, rateLine plotter.XYs
		for step := 0; step <= steps[len(steps)-1]; step += m / 128 {
			x := float64(step) / float64(m)
			line = append(line, plotter.XY{X: x, Y: s.Zeros(step)})
			limit = append(limit,
				plotter.XY{X: x, Y: stablePoint(float64(m), 4, float64(s.Decrements),
					float64(s.Highest()))})
			if x >= 1./64 {
				rateLine = append(rateLine, plotter.XY{X: x, Y: s.Rate(step)})
			}
		}
		name := fmt.Sprintf("d = %d, P = %d", s.Width, s.Decrements)
		beside(zeros, name, series, line, marks)
		zeros.Add("", limit, dotted(series))
		beside(rates, name, series, rateLine, rateMarks)

		const late, later = 8, 9
		point := stablePoint(float64(m), 4, float64(s.Decrements), float64(s.Highest()))
		c.Parameters = ofShape(s)
		c.Where = `section Stable: "the fraction of zeros will eventually become constant"`
		c.Quantity, c.Published = "cells that are 0, after m inserts less after 0.75 m",
			claim.Rounded(0, 0.002)
		c.Theory = claim.By(exact, s.Zeros(steps[later])-s.Zeros(steps[late]))
		zero := func(i int) []float64 {
			return trials.Column(lives, func(all *[]state) float64 { return (*all)[i].zeros })
		}
		c.Interval = claim.Difference(zero(later), zero(late))
		c.Why = fmt.Sprintf("it is not stable after 0.75 m inserts: %.4f of %.4f",
			s.Zeros(steps[late]), point)
		claims = append(claims, c)
		c.Quantity, c.Published, c.Unit = "cells that are 0, as a multiple of the stable point",
			claim.Rounded(1, 0.02), claim.Number
		c.Theory = claim.By(exact, s.Zeros(steps[later])/point)
		c.Interval = multiple(claim.Mean(zero(later)), point)
		claims = append(claims, c)
		c.Where =
			`section Stable: at the stable point, "the approximate probability of a Bloom error is"`
		c.Quantity, c.Published = "rate, as a multiple of its formula", claim.About(1)
		c.Theory = claim.By(meanField, s.Rate(steps[later])/paperRate(s))
		c.Interval = multiple(mean(lives, func(all *[]state) float64 { return (*all)[later].rate }),
			paperRate(s))
		c.Reading, c.Why = "all keys differ", "the rate of the mean fill is not the mean rate"
		claims = append(claims, c)
	}
	chart.Logarithmic(quantity.Percent, &rates.Y)
	zeros.Y.Min, zeros.Y.Max = 0.6, 1
	zeros.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0.6, 0.7, 0.8, 0.9, 1)
	for _, panel := range []*chart.Panel{zeros, rates} {
		panel.X.Min = 0
	}
	return claims, []claim.Figure{{Name: "stable", Picture: &chart.Picture{
		Title: "The stable filter gets stable (m = 8192, K = 4): marks simulated, lines " +
			"expected, dotted the stable point",
		Panels: []*chart.Panel{zeros, rates}, Columns: 2, Width: 330, Height: 260,
	}}}
}

// stableRates is the rate at the stable point against the decrements, the width of the cells and
// their number.
func stableRates(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const k = 4
	measured := func(s stable.Shape) claim.Interval {
		return claim.Mean(trials.Each(run, fmt.Sprint("stable rates ", s), number(run, 100, 10),
			func(rng *rand.Rand) (rate float64) {
				f := stableOf(rng, s)
				inserted(rng, f, 3*turn(s)+s.Cells())
				const looks = 10
				for range looks {
					inserted(rng, f, turn(s)/4)
					rate += f.State().Rate / looks
				}
				return rate
			}))
	}
	picture := &chart.Picture{
		Title:   "The rate at the stable point (K = 4): marks simulated, lines by the formula",
		Columns: 3, Width: 260, Height: 240,
	}
	type at struct {
		x float64
		s stable.Shape
	}
	for _, against := range []struct {
		label, name string
		series      []int
		ticks       []float64
		of          func(series int) []at
	}{
		{"decrements, P", "d = %d", []int{1, 2, 4}, []float64{8, 32, 128, 512},
			func(d int) (all []at) {
				for _, p := range []int{8, 16, 32, 64, 128, 256, 512} {
					all = append(all, at{float64(p), shaped(4096, d, k, p)})
				}
				return all
			}},
		{"bits of a cell, d", "P = %d", []int{32, 128, 512}, []float64{1, 2, 4, 8},
			func(p int) (all []at) {
				for _, d := range []int{1, 2, 4, 8} {
					all = append(all, at{float64(d), shaped(4096, d, k, p)})
				}
				return all
			}},
		{"cells, m", "P = m/%d", []int{0, 32}, []float64{64, 256, 1024, 4096},
			func(part int) (all []at) {
				for _, m := range []int{64, 128, 256, 512, 1024, 2048, 4096} {
					p := 32
					if part > 0 {
						p = m / part
					}
					all = append(all, at{float64(m), shaped(m, 2, k, p)})
				}
				return all
			}},
	} {
		panel := chart.New("", against.label, "rate of false positives")
		for series, of := range against.series {
			var marks, line plotter.XYs
			name := fmt.Sprintf(against.name, of)
			if of == 0 {
				name = "d = 2, P = 32"
			} else if against.label == "cells, m" {
				name = "d = 2, " + name
			}
			for _, at := range against.of(of) {
				line = append(line, plotter.XY{X: at.x, Y: paperRate(at.s)})
				c := claim.Claim{
					Item: "stable: rates", Where: "section Stable", Parameters: ofShape(at.s),
					Quantity: "rate of false positives",
					Unit:     claim.Share, Theory: claim.By(meanField, at.s.StableRate()),
					Interval: measured(at.s),
					Trials:   number(run, 100, 10), Reading: claim.Literal, Point: true,
				}
				if *c.Low <= 0 || *c.Measured < 1e-7 {
					continue
				}
				claims = append(claims, c)
				marks = append(marks, plotter.XY{X: at.x, Y: *c.Measured})
			}
			look := series
			if against.label != "decrements, P" {
				look += 3
			}
			if against.label == "cells, m" {
				look += 3
			}
			beside(panel, name, look, line, marks)
		}
		chart.Logarithmic(quantity.Percent, &panel.Y)
		chart.Logarithmic(quantity.Number, &panel.X)
		panel.X.Tick.Marker = chart.Ticks(quantity.Number, against.ticks...)
		picture.Panels = append(picture.Panels, panel)
	}
	return claims, []claim.Figure{{Name: "rates", Picture: picture}}
}

// choosing is which cells are decremented, and which keys come.
func choosing(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	s := alike[2]
	m := uint64(s.Cells())
	rounds := number(run, 60, 12)
	after := 4 * turn(s)
	random := trials.Each(run, "choosing at random", rounds, func(rng *rand.Rand) float64 {
		cells, found := make([]uint8, m), 0
		for range after {
			for range s.Decrements {
				cell := &cells[rng.Uint64N(m)]
				*cell -= min(*cell, 1)
			}
			for range s.Hashes {
				cells[rng.Uint64N(m)] = uint8(s.Highest())
			}
		}
		const queries = 20_000
		for range queries {
			present := 1
			for range s.Hashes {
				present *= min(1, int(cells[rng.Uint64N(m)]))
			}
			found += present
		}
		return float64(found) / queries
	})
	streamed := func(name string, skew float64) claim.Interval {
		return claim.Mean(trials.Each(run, name, rounds, func(rng *rand.Rand) float64 {
			f, stream := stableOf(rng, s), must(workload.Zipf(1<<30, skew, rng.Uint64()))
			for range after {
				must(f.InsertHash(stream.Hash(stream.Next())))
			}
			return asked(rng, 20_000, f)
		}))
	}
	c := claim.Claim{
		Item:       "stable: which cells, which keys",
		Where:      `section Stable: "we decrement p cells chosen ` + `uniformly at random"`,
		Parameters: ofShape(s), Quantity: "rate, as a multiple of its formula", Unit: claim.Number,
		Published: claim.About(1), Theory: claim.By(meanField, s.StableRate()/paperRate(s)),
		Trials: rounds,
		Why:    fmt.Sprintf("the formula gives %s", quantity.Percent(paperRate(s))),
	}
	c.Reading, c.Interval = "random cells, any of them twice",
		multiple(claim.Mean(random), paperRate(s))
	claims = append(claims, c)
	c.Reading, c.Interval = "cells in a row from a random one on: filter/family/stable",
		multiple(streamed("choosing a row", 0), paperRate(s))
	claims = append(claims, c)

	c.Where, c.Theory = `section Stable: "the approximate probability of a Bloom error is"`,
		claim.Theory{}
	for _, skew := range []float64{1, 1.3} {
		c.Reading = fmt.Sprintf("keys come again, by Zipf's law with a skew of %g", skew)
		c.Interval = multiple(streamed(fmt.Sprint("choosing keys ", skew), skew), paperRate(s))
		c.Why = "the formula is for keys that differ: if they come again, an insert sets cells " +
			"that are set already and ages others as much, so more are 0; it is a bound of the rate"
		claims = append(claims, c)
	}
	return claims, nil
}

// missing is how long a key is found.
func missing(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	panel := chart.New("", "inserts of others since, per cell", "keys that are not found")
	for series, s := range alike {
		m := s.Cells()
		var gaps []int
		for _, part := range []float64{0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06,
			0.08, 0.1, 0.12} {
			gaps = append(gaps, int(part*float64(m)))
		}
		last := gaps[len(gaps)-1]
		const near = 40 // keys about a gap
		type result struct {
			missed []float64 // by the gap
			young  int       // keys that are not found when they were just inserted
		}
		results := trials.Each(run, fmt.Sprint("missing ", s), number(run, 400, 60),
			func(rng *rand.Rand) (r result) {
				f := stableOf(rng, s)
				inserted(rng, f, 4*turn(s))
				for range near {
					hash := rng.Uint64()
					must(f.InsertHash(hash))
					if !f.QueryHash(hash) {
						r.young++
					}
				}
				stream := make([]uint64, last+near)
				workload.Fill(rng, stream)
				must(f.InsertHashBatch(stream, nil))
				for _, gap := range gaps {
					end := len(stream) - max(0, gap-near/2)
					r.missed = append(r.missed,
						1-float64(f.QueryHashBatch(stream[end-near:end], nil))/near)
				}
				return r
			})
		c := claim.Claim{
			Item:  "stable: what it forgets",
			Where: `section Stable: counters represent the items' "age"`,
			Unit:  claim.Share, Trials: len(results), Reading: claim.Literal,
		}
		var marks, line plotter.XYs
		for i, gap := range gaps {
			at := c
			at.Point, at.Parameters = true, ofShape(s)
			at.Parameters["others"] = gap
			at.Quantity = "keys that are not found"
			at.Interval = mean(results, func(r *result) float64 { return r.missed[i] })
			expected := 0.0
			for g := range near {
				expected += s.Missed(max(0, gap-near/2)+g) / near
			}
			at.Theory = claim.By(meanField, expected)
			if *at.Low > 0 { // else it is known that it is small
				claims = append(claims, at)
				marks = append(marks, plotter.XY{X: float64(gap) / float64(m), Y: *at.Measured})
			}
		}
		for gap := 0; gap <= last; gap += m / 512 {
			line = append(line, plotter.XY{X: float64(gap) / float64(m), Y: s.Missed(gap)})
		}
		name := fmt.Sprintf("d = %d, P = %d", s.Width, s.Decrements)
		beside(panel, name, series, line, marks)

		c.Parameters = ofShape(s)
		c.Quantity, c.Published = "keys that are not found after 0.06 m inserts of others, more "+
			"than after 0.02 m", claim.Trend(claim.Higher)
		c.Interval = mean(results, func(r *result) float64 { return r.missed[7] - r.missed[3] })
		c.Theory = claim.By(meanField, s.Missed(gaps[7])-s.Missed(gaps[3]))
		c.Why = "as many are found"
		claims = append(claims, c)
		young := 0
		for i := range results {
			young += results[i].young
		}
		c.Where =
			`section Stable: an insert sets its cells "to their maximum value" after the decrements`
		c.Quantity, c.Published = "keys that are not found when they were just inserted", none()
		c.Theory, c.Interval = claim.By(exact, 0), claim.Proportion(young, near*len(results))
		c.Why = "their cells are decremented first"
		claims = append(claims, c)
	}
	panel.Y.Min, panel.Y.Max, panel.X.Min = 0, 1, 0
	panel.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0, 0.2, 0.4, 0.6, 0.8, 1)
	return claims, []claim.Figure{{Name: "missed", Picture: &chart.Picture{
		Title:  "What the stable filter forgets (m = 8192, K = 4): marks simulated, lines expected",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
}
