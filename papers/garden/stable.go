package garden

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// stablePoint is the part of the cells that are 0 in the end, by Deng and Rafiei (theorem 2): of m
// cells, k of a key, p decrements, and what a cell is set to.
func stablePoint(s stable.Shape) float64 {
	m, k, p := float64(s.Cells()), float64(s.Hashes), float64(s.Decrements)
	return math.Pow(1/(1+1/(p*(1/k-1/m))), float64(s.Highest()))
}

// paperRate is the rate there (theorem 3).
func paperRate(s stable.Shape) float64 {
	return math.Pow(1-stablePoint(s), float64(s.Hashes))
}

// stableShape is the shape of a claim: of m cells of d bits with P decrements, or with a part of
// the cells, or so that the rate is 1 %.
func stableShape(point claim.Parameters) stable.Shape {
	m, d, k, p := point.Int("m"), point.Int("d"), point.Int("K"), point.Int("P")
	if part := point.Int("m/P"); part > 0 {
		p = m / part
	}
	if p > 0 {
		return stable.Shape{Words: m / (64 / d), Width: d, Hashes: k, Decrements: p}
	}
	return must((&stable.Config{Members: 1, BitsPerKey: float64(m * d), Rate: point.Float("rate"),
		Hashes: k, Width: d}).Shape())
}

// ofStable is a formula of a shape, whose cells fill words.
func ofStable(f func(s stable.Shape) float64) claim.Formula {
	return ofAge("inserts", func(s stable.Shape, _ int) float64 { return f(s) })
}

// ofAge is one of a shape and of inserts.
func ofAge(inserts string, f func(s stable.Shape, inserts int) float64) claim.Formula {
	return func(point claim.Parameters) float64 {
		s := stableShape(point)
		if s.Cells() != point.Int("m") {
			return math.NaN()
		}
		return f(s, point.Int(inserts))
	}
}

// stableOf is a stable filter that takes from other cells in each trial: in a file is where it goes
// on.
func stableOf(rng *rand.Rand, s stable.Shape) *stable.Filter {
	c := must(must(stable.NewShape(s, 1, secret)).Contents())
	c.Set("random", rng.Uint64()|1)
	return must(stable.Decode(c, secret))
}

// turn is how many inserts take a cell from its highest value to 0 that none sets.
func turn(s stable.Shape) int { return s.Highest() * s.Cells() / s.Decrements }

// ages are inserts at which a filter is looked at.
var ages = []float64{256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192}

var converging = claim.Simulation{
	Name: claim.NamedBy("converging ", stableShape), Times: claim.Times(200, 30),
	Point: claim.Along("inserts", ages),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		f, done, o := stableOf(rng, stableShape(at)), 0, claim.Outcome{}
		for _, age := range ages {
			fill(rng, f, int(age)-done)
			done = int(age)
			now := f.State()
			o["zeros"], o["rate"] = append(o["zeros"], 1-now.Fill), append(o["rate"], now.Rate)
		}
		return o
	},
}

// settled are rates at the stable point, in the mean over time.
var settled = claim.Simulation{
	Name: claim.NamedBy("stable rates ", stableShape),
	Times: func(at claim.Parameters) (full, short int) {
		if stableShape(at).StableRate() < 1e-7 { // which no trials see
			return 0, 0
		}
		return 100, 4
	},
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		const looks = 10
		s, rate := stableShape(at), 0.0
		f := stableOf(rng, s)
		fill(rng, f, 3*turn(s)+s.Cells())
		for range looks {
			fill(rng, f, turn(s)/4)
			rate += f.State().Rate / looks
		}
		return claim.Outcome{"rate": {rate}}
	},
}

// chosen are rates where keys come by Zipf's law, or where the cells to decrement are random ones
// and no row of them.
var chosen = claim.Simulation{
	Name: func(point claim.Parameters) string {
		switch {
		case point.Word("cells", "", "random") == "random":
			return "choosing at random"
		case point.Float("skew") == 0:
			return "choosing a row"
		}
		return claim.Named("choosing keys %v", "skew")(point)
	},
	Times: claim.Times(60, 12),
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		const queries = 20_000
		s := stableShape(point)
		after, m := 4*turn(s), uint64(s.Cells())
		if point.Text("cells") != "random" {
			f := stableOf(rng, s)
			stream := must(workload.Zipf(1<<30, point.Float("skew"), rng.Uint64()))
			for range after {
				must(f.InsertHash(stream.Hash(stream.Next())))
			}
			return claim.Outcome{"rate": {rateOf(rng, f, queries)}}
		}
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
		return claim.Outcome{"rate": {float64(found) / queries}}
	},
}

// gaps are numbers of inserts of others, near which keys are asked for.
var gaps = []float64{40, 81, 122, 163, 245, 327, 409, 491, 655, 819, 983}

const near = 40 // keys about a gap

// fromGap is the first of these.
func fromGap(gap int) int { return max(0, gap-near/2) }

// forgotten are the parts of the keys that are not found, by the gap, and the keys that are not
// when they were just inserted.
var forgotten = claim.Simulation{
	Name: claim.NamedBy("missing ", stableShape), Times: claim.Times(400, 40),
	Point: claim.Along("others", gaps),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		s, young := stableShape(at), 0.0
		f := stableOf(rng, s)
		fill(rng, f, 4*turn(s))
		for range near {
			if !f.QueryHash(fill(rng, f, 1)[0]) {
				young++
			}
		}
		stream, missed := fill(rng, f, int(gaps[len(gaps)-1])+near), make([]float64, len(gaps))
		for i, gap := range gaps {
			end := len(stream) - fromGap(int(gap))
			missed[i] = lacking(f, stream[end-near:end])
		}
		return claim.Outcome{"missed": missed, "young": {young}, "near": {near}}
	},
}

// aged is the section on the stable filter.
func aged() claim.Quantities {
	zeros, rates := converging.Mean("zeros"), converging.Mean("rate")
	point, formula := ofStable(stablePoint), ofStable(paperRate)
	zerosThen, rateThen := ofAge("inserts", stable.Shape.Zeros), ofAge("inserts", stable.Shape.Rate)
	inTheEnd := ofStable(stable.Shape.StableRate)
	return claim.Quantities{
		"cells that are 0": {Unit: claim.Share, Trials: zeros,
			Formulas: claim.Formulas{exact: zerosThen, "stable point": point}},
		"cells that are 0, as a multiple of the stable point": {Trials: multiple(zeros, point),
			Formulas: claim.Formulas{exact: divided(zerosThen, point)}},
		"inserts per cell": claim.Computed(claim.Number, exact,
			divided(given("inserts"), given("m"))),
		"inserts of others per cell": claim.Computed(claim.Number, exact,
			divided(given("others"), given("m"))),
		"rate of a stable filter": measured(rates, meanField, rateThen),
		"rate of a stable filter, as a multiple of its formula": {
			Trials:   multiple(rates, formula),
			Formulas: claim.Formulas{meanField: divided(rateThen, formula)}},
		"rate at the stable point": {Unit: claim.Share, Trials: settled.Mean("rate"),
			Formulas: claim.Formulas{meanField: inTheEnd, restored: formula}},
		"rate at the stable point, as a multiple of its formula": {
			Trials:   multiple(chosen.Mean("rate"), formula),
			Formulas: claim.Formulas{meanField: divided(inTheEnd, formula)}},
		"keys that a stable filter does not find": measured(forgotten.Mean("missed"), meanField,
			ofAge("others", func(s stable.Shape, others int) (missed float64) {
				for g := range near {
					missed += s.Missed(fromGap(others)+g) / near
				}
				return missed
			})),
		"keys that are not found when they were just inserted": measured(
			forgotten.Counted("young", "near"), exact, never),
	}
}
