package garden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

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

// stableCells are those of the shapes of which the rate is 1 %: wider cells need more decrements.
const stableCells = 8192

// stableShape is the shape of a claim: of m cells of d bits with P decrements, or with a part of
// the cells, or so that the rate is 1 %.
func stableShape(at claim.Parameters) stable.Shape {
	m, d, k, p := at.Int("m"), at.Int("d"), at.Int("K"), at.Int("P")
	if part := at.Int("m/P"); part > 0 {
		p = m / part
	}
	if p > 0 {
		return stable.Shape{Words: m / (64 / d), Width: d, Hashes: k, Decrements: p}
	}
	return must((&stable.Config{Members: 1, BitsPerKey: float64(m * d), Rate: at.Float("rate"),
		Hashes: k, Width: d}).Shape())
}

// ofStable is a formula of a shape, whose cells fill words.
func ofStable(
	f func(s stable.Shape, at claim.Parameters) float64,
) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 {
		s := stableShape(at)
		if s.Cells() != at.Int("m") {
			return math.NaN()
		}
		return f(s, at)
	}
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

// ages are inserts at which a filter is looked at.
var ages = []float64{256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192}

type aging struct{ zeros, rates []float64 }

func converging(run *trials.Run, at claim.Parameters) (string, []aging) {
	s := stableShape(at)
	return repeated(run, fmt.Sprint("converging ", s), 200, 30, func(rng *rand.Rand) (a aging) {
		f, done := stableOf(rng, s), 0
		for _, age := range ages {
			inserted(rng, f, int(age)-done)
			done = int(age)
			now := f.State()
			a.zeros, a.rates = append(a.zeros, 1-now.Fill), append(a.rates, now.Rate)
		}
		return a
	})
}

// settled are rates at the stable point, in the mean over time.
func settled(run *trials.Run, at claim.Parameters) (string, []float64) {
	s := stableShape(at)
	if s.StableRate() < 1e-7 { // which no trials see
		return "", nil
	}
	return repeated(run, fmt.Sprint("stable rates ", s), 100, 4,
		func(rng *rand.Rand) (rate float64) {
			f := stableOf(rng, s)
			inserted(rng, f, 3*turn(s)+s.Cells())
			const looks = 10
			for range looks {
				inserted(rng, f, turn(s)/4)
				rate += f.State().Rate / looks
			}
			return rate
		})
}

// chosen are rates where keys come by Zipf's law, or where the cells to decrement are random ones
// and no row of them.
func chosen(run *trials.Run, at claim.Parameters) (string, []float64) {
	const queries = 20_000
	s, skew := stableShape(at), at.Float("skew")
	after, m := 4*turn(s), uint64(s.Cells())
	name := fmt.Sprint("choosing keys ", skew)
	if at.Text("cells") != "random" {
		if skew == 0 {
			name = "choosing a row"
		}
		return repeated(run, name, 60, 12, func(rng *rand.Rand) float64 {
			f, stream := stableOf(rng, s), must(workload.Zipf(1<<30, skew, rng.Uint64()))
			for range after {
				must(f.InsertHash(stream.Hash(stream.Next())))
			}
			return asked(rng, queries, f)
		})
	}
	return repeated(run, "choosing at random", 60, 12, func(rng *rand.Rand) float64 {
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
		for range queries {
			present := 1
			for range s.Hashes {
				present *= min(1, int(cells[rng.Uint64N(m)]))
			}
			found += present
		}
		return float64(found) / queries
	})
}

// gaps are numbers of inserts of others, near which keys are asked for.
var gaps = []float64{40, 81, 122, 163, 245, 327, 409, 491, 655, 819, 983}

const near = 40 // keys about a gap

type forgotten struct {
	missed []float64 // by the gap
	young  int       // keys that are not found when they were just inserted
}

func forget(run *trials.Run, at claim.Parameters) (string, []forgotten) {
	s := stableShape(at)
	return repeated(run, fmt.Sprint("missing ", s), 400, 40, func(rng *rand.Rand) (r forgotten) {
		f := stableOf(rng, s)
		inserted(rng, f, 4*turn(s))
		for range near {
			hash := rng.Uint64()
			must(f.InsertHash(hash))
			if !f.QueryHash(hash) {
				r.young++
			}
		}
		stream := make([]uint64, int(gaps[len(gaps)-1])+near)
		workload.Fill(rng, stream)
		must(f.InsertHashBatch(stream, nil))
		for _, gap := range gaps {
			end := len(stream) - max(0, int(gap)-near/2)
			r.missed = append(r.missed,
				1-float64(f.QueryHashBatch(stream[end-near:end], nil))/near)
		}
		return r
	})
}

// aged is the section on the stable filter.
func aged() claim.Quantities {
	ofAge := func(numbers func(*aging) []float64) claim.Trials {
		return claim.Measured(converging, func(a *aging, at claim.Parameters) float64 {
			return numbers(a)[slices.Index(ages, at.Float("inserts"))]
		})
	}
	zeros := ofAge(func(a *aging) []float64 { return a.zeros })
	rates := ofAge(func(a *aging) []float64 { return a.rates })
	point := ofStable(func(s stable.Shape, _ claim.Parameters) float64 {
		return stablePoint(float64(s.Cells()), float64(s.Hashes), float64(s.Decrements),
			float64(s.Highest()))
	})
	expectedZeros := ofStable(func(s stable.Shape, at claim.Parameters) float64 {
		return s.Zeros(at.Int("inserts"))
	})
	formula := ofStable(func(s stable.Shape, _ claim.Parameters) float64 { return paperRate(s) })
	inTheEnd := ofStable(func(s stable.Shape, _ claim.Parameters) float64 { return s.StableRate() })
	return claim.Quantities{
		"cells that are 0": {Unit: claim.Share, Trials: zeros,
			Formulas: claim.Formulas{exact: expectedZeros, "stable point": point}},
		"cells that are 0, as a multiple of the stable point": {Trials: multiple(zeros, point),
			Formulas: claim.Formulas{exact: func(at claim.Parameters) float64 {
				return expectedZeros(at) / point(at)
			}}},
		"rate of a stable filter": measured(rates, meanField,
			ofStable(func(s stable.Shape, at claim.Parameters) float64 {
				return s.Rate(at.Int("inserts"))
			})),
		"rate of a stable filter, as a multiple of its formula": {
			Trials: multiple(rates, formula),
			Formulas: claim.Formulas{meanField: ofStable(
				func(s stable.Shape, at claim.Parameters) float64 {
					return s.Rate(at.Int("inserts")) / paperRate(s)
				})}},
		"rate at the stable point": {Unit: claim.Share, Trials: claim.Measured(settled, itself),
			Formulas: claim.Formulas{meanField: inTheEnd, restored: formula}},
		"rate at the stable point, as a multiple of its formula": {
			Trials: multiple(claim.Measured(chosen, itself), formula),
			Formulas: claim.Formulas{meanField: func(at claim.Parameters) float64 {
				return inTheEnd(at) / formula(at)
			}}},
		"keys that a stable filter does not find": measured(
			claim.Measured(forget, func(r *forgotten, at claim.Parameters) float64 {
				return r.missed[slices.Index(gaps, at.Float("others"))]
			}), meanField, ofStable(func(s stable.Shape, at claim.Parameters) (missed float64) {
				for g := range near {
					missed += s.Missed(max(0, at.Int("others")-near/2)+g) / near
				}
				return missed
			})),
		"keys that are not found when they were just inserted": measured(claim.Counted(forget,
			func(r *forgotten, _ claim.Parameters) (hits, cases int) { return r.young, near }),
			exact, never),
	}
}

func agedFigures() []claim.Plot {
	perCell := func(n float64) float64 { return n / stableCells }
	alike := claim.Parameters{"m": stableCells, "K": 4, "rate": 0.01}
	widths := []int{1, 2, 4}
	converges := func(y, q, theory string, log bool, look func(*chart.Panel)) claim.Panel {
		return claim.Panel{X: "inserts, per cell", Y: y, By: "inserts", At: ages, To: perCell,
			Log: log, Look: look, Curves: claim.Curves("d = %d", "d", widths,
				claim.Curve{Quantity: q, Theory: theory, Parameters: alike})}
	}
	zeros := converges("cells that are 0", "cells that are 0", exact, false,
		func(p *chart.Panel) {
			p.X.Min, p.Y.Min, p.Y.Max = 0, 0.6, 1
			percents(&p.Y, 0.6, 0.7, 0.8, 0.9, 1)
		})
	zeros.Curves = append(zeros.Curves, claim.Curves("the stable point, d = %d", "d", widths,
		claim.Curve{Quantity: "cells that are 0", Theory: "stable point", Computed: true,
			Parameters: alike})...)
	against := func(
		label, by string,
		at []float64,
		ticks []float64,
		curves []claim.Curve,
	) claim.Panel {
		for i := range curves {
			curves[i].Quantity, curves[i].Theory = "rate at the stable point", meanField
			curves[i].Parameters["K"] = 4
		}
		return claim.Panel{X: label, Y: "rate of false positives", By: by, At: at, Log: true,
			Curves: curves, Look: func(p *chart.Panel) {
				chart.Logarithmic(quantity.Number, &p.X)
				tickX(ticks...)(p)
			}}
	}
	m := claim.Curve{Parameters: claim.Parameters{"m": 4096}}
	return []claim.Plot{
		{
			Name: "stable", Where: "section Stable",
			Title: "The stable filter gets stable (m = 8192, K = 4, rate 1 %): marks simulated, " +
				"lines expected",
			Width: 330, Height: 260, Columns: 2, Panels: []claim.Panel{zeros,
				converges("rate of false positives", "rate of a stable filter", meanField, true,
					func(p *chart.Panel) { p.X.Min = 0 })},
		},
		{
			Name: "rates", Where: "section Stable",
			Title: "The rate at the stable point (K = 4): marks simulated, lines expected",
			Width: 260, Height: 240, Columns: 3, Panels: []claim.Panel{
				against("decrements, P", "P", []float64{8, 16, 32, 64, 128, 256, 512},
					[]float64{8, 32, 128, 512}, claim.Curves("d = %d", "d", widths, m)),
				against("bits of a cell, d", "d", []float64{1, 2, 4, 8}, []float64{1, 2, 4, 8},
					claim.Curves("P = %d", "P", []int{32, 128, 512}, m)),
				against("cells, m", "m", []float64{64, 128, 256, 512, 1024, 2048, 4096},
					[]float64{64, 256, 1024, 4096}, []claim.Curve{
						{Name: "d = 2, P = 32", Parameters: claim.Parameters{"d": 2, "P": 32}},
						{Name: "d = 2, P = m/32", Parameters: claim.Parameters{"d": 2, "m/P": 32}},
					})},
		},
		{
			Name: "missed", Where: `section Stable: counters represent the items' "age"`,
			Title: "What the stable filter forgets (m = 8192, K = 4, rate 1 %): marks " +
				"simulated, lines expected",
			Width: 420, Height: 280, Columns: 1, Panels: []claim.Panel{{
				X: "inserts of others since, per cell", Y: "keys that are not found",
				By: "others", At: gaps, To: perCell, Part: true,
				Curves: claim.Curves("d = %d", "d", widths, claim.Curve{
					Quantity: "keys that a stable filter does not find", Theory: meanField,
					Parameters: alike}),
				Look: func(p *chart.Panel) { p.X.Min = 0 }}},
		},
	}
}
