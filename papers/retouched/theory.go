package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// rate is Eq. (5): the rate of false positives of n elements.
func rate(m, n, k int) float64 { return Shape{Bits: m, Members: n, Hashes: k}.Rate() }

// shape is the filter of section IV-C.
var shape = Shape{Bits: bits, Members: members, Hashes: hashes}

// filterOf is the filter of a claim: that of section IV-C, but for what the claim says.
func filterOf(at claim.Parameters) Shape {
	s := shape
	for name, number := range map[string]*int{"m": &s.Bits, "n": &s.Members, "k": &s.Hashes} {
		if v := at.Int(name); v > 0 {
			*number = v
		}
	}
	return s
}

// axes are the values of figure 3, by what it is over.
var axes = map[string][]float64{
	"m": {40e3, 60e3, 80e3, 100e3, 130e3, 160e3, 200e3},
	"n": {2e3, 4e3, 7e3, 10e3, 14e3, 18e3, 22e3},
	"k": {1, 2, 3, 4, 5, 7, 10, 14, 20},
}

// steps are those of the rate's logarithm from each value of an axis to the next.
func steps(choose func(steps []float64) float64) claim.Quantity {
	return claim.Quantity{Formulas: claim.Formulas{"Eq. (5)": func(at claim.Parameters) float64 {
		over := at.Text("over")
		var all []float64
		for i, v := range axes[over][1:] {
			rate := func(v float64) float64 {
				return filterOf(claim.Parameters{over: int(v)}).Rate()
			}
			all = append(all, math.Log(rate(v)/rate(axes[over][i])))
		}
		return choose(all)
	}}}
}

// cleared is what clearing bits at random does: shares, f_P, and numbers.
type cleared struct{ removed, lost, rate, fewer float64 }

// clearedShares are the parts of the set bits that are cleared.
var clearedShares = [...]float64{0.01, 0.05, 0.1, 0.25}

const clearedPart = "s/(p1 m)"

// atRandom are the trials of section III-B.
func atRandom(run *trials.Run, _ claim.Parameters) (string, [][len(clearedShares)]cleared) {
	return "randomized", trials.Recall(run, "randomized", part(run),
		func(rng *rand.Rand) (all [len(clearedShares)]cleared) {
			scene := newScene(rng, bits, members, universe)
			positives := float64(len(scene.positives))
			for i, share := range clearedShares {
				o, _ := scene.apply(retouched.Config{
					Algorithm: retouched.Randomized, Members: source(scene.members),
					Bits: int(math.Round(share * float64(scene.Stats().Ones))), Seed: rng.Uint64(),
				})
				all[i] = cleared{o.removed / positives, o.lost / members,
					positives / (universe - members), o.removed - o.lost}
			}
			return all
		})
}

// eq16 is the part of the false positives that goes, and of the members.
func eq16(at claim.Parameters) float64 {
	return 1 - shape.Kept(int(math.Round(at.Float(clearedPart)*shape.One()*bits)))
}

// lists is what figure 11 has of a vector of lists of all members, A, and of all false positives,
// B: the part of its cells that have an element, and how many these have on average.
type lists struct{ usedA, usedB, sizeA, sizeB float64 }

// newLists draws a filter of m bits, and counts.
func newLists(rng *rand.Rand, m int) (l lists) {
	s := newScene(rng, m, members, universe)
	fill := func(hashes []uint64, used, size *float64) {
		counts, own, cells := make([]int32, m), []uint64(nil), 0
		for _, hash := range hashes {
			own = s.AppendPositions(own[:0], hash)
			for _, p := range own {
				if counts[p]++; counts[p] == 1 {
					cells++
				}
			}
		}
		*used = float64(cells) / float64(m)
		*size = float64(len(hashes)*s.Shape().Hashes) / float64(cells)
	}
	fill(s.members, &l.usedA, &l.sizeA)
	fill(s.positives, &l.usedB, &l.sizeB)
	return l
}

// expectedLists is the same by the Poisson distribution.
func expectedLists(m int) lists {
	throws := hashes * float64(members) / float64(m)
	p1 := -math.Expm1(-throws)
	keys := hashes * rate(m, members, hashes) * (universe - members) /
		(p1 * float64(m)) // of a bit that is set
	return lists{p1, -p1 * math.Expm1(-keys), throws / p1, keys / -math.Expm1(-keys)}
}

var vectors claim.Results[lists] = func(run *trials.Run, at claim.Parameters) (string, []lists) {
	m, number := at.Int("m"), runs
	if run.Short {
		number = 3
	}
	name := fmt.Sprint("figure 11 ", m)
	return name, trials.Recall(run, name, number,
		func(rng *rand.Rand) lists { return newLists(rng, m) })
}

// cells is a number of a vector of lists, and what is expected of it.
func cells(unit claim.Unit, number func(l *lists) float64) claim.Quantity {
	return claim.Quantity{Unit: unit, Trials: vectors.Number(number),
		Formulas: claim.Formulas{"Poisson": func(at claim.Parameters) float64 {
			expected := expectedLists(at.Int("m"))
			return number(&expected)
		}}}
}

// vectorSizes are the m of figure 11.
var vectorSizes = []float64{10e3, 20e3, 30e3, 40e3, 50e3, 60e3, 70e3, 80e3, 90e3, 100e3}

// The names of quantities that figures show too.
const (
	rateOfShape        = "rate of false positives of a filter"
	usedCells, inCells = "filled cells of ", "elements of a filled cell of "
)

// described is figures 3 and 11, and section III-B.
func described() claim.Quantities {
	random := func(number func(c *cleared, at claim.Parameters) float64) claim.Trials {
		return claim.Measured(atRandom,
			func(all *[len(clearedShares)]cleared, at claim.Parameters) float64 {
				return number(&all[slices.Index(clearedShares[:], at.Float(clearedPart))], at)
			})
	}
	one := claim.Formulas{"Eq. (16)": constant(1)}
	removed := func(c *cleared, _ claim.Parameters) float64 { return c.removed }
	missing := func(c *cleared, _ claim.Parameters) float64 { return c.lost }
	multiple := func(number func(c *cleared, _ claim.Parameters) float64) claim.Quantity {
		return claim.Quantity{Formulas: one, Trials: random(
			func(c *cleared, at claim.Parameters) float64 { return number(c, at) / eq16(at) })}
	}
	return claim.Quantities{
		rateOfShape: {Unit: claim.Share,
			Trials: claim.Measured(func(run *trials.Run, at claim.Parameters) (string, []float64) {
				s := filterOf(at)
				name := fmt.Sprint("figure 3 ", s)
				return name, trials.Recall(run, name, 4, func(rng *rand.Rand) float64 {
					set := make([]bool, s.Bits)
					for range s.Hashes * s.Members {
						set[rng.IntN(s.Bits)] = true
					}
					return math.Pow(count(set)/float64(s.Bits), float64(s.Hashes))
				})
			}, func(v *float64, _ claim.Parameters) float64 { return *v }),
			Formulas: claim.Formulas{"Eq. (5)": func(at claim.Parameters) float64 {
				return filterOf(at).Rate()
			}}},
		"log of the rate's largest step": steps(slices.Max),
		"log of the rate's least step":   steps(slices.Min),
		"log of the rate's first step":   steps(func(s []float64) float64 { return s[0] }),
		"log of the rate's last step":    steps(func(s []float64) float64 { return s[len(s)-1] }),

		"false positives removed, as a multiple of Eq. (16)": multiple(removed),
		"false negatives made, as a multiple of Eq. (16)":    multiple(missing),
		"part of either": {Unit: claim.Share, Formulas: claim.Formulas{"Eq. (16)": eq16}},
		"χ of clearing at random": {Trials: random(removed).By(random(missing)),
			Formulas: claim.Formulas{"Eqs. (14) and (15)": constant(1)}},
		"false positives removed at random, less members lost": {
			Trials: random(func(c *cleared, _ claim.Parameters) float64 { return c.fewer }),
			Formulas: claim.Formulas{"Eq. (16)": func(at claim.Parameters) float64 {
				return eq16(at) * ((universe-members)*shape.Rate() - members)
			}}},
		"overall error f'_P/f_P + f'_N": {Formulas: one, Trials: random(
			func(c *cleared, _ claim.Parameters) float64 { return 1 - c.removed + c.lost })},
		"overall error f'_P + f'_N, as a multiple of f_P": {
			Trials: random(func(c *cleared, _ claim.Parameters) float64 {
				return 1 - c.removed + c.lost/c.rate
			}),
			Formulas: claim.Formulas{"Eq. (16)": func(at claim.Parameters) float64 {
				return 1 - eq16(at) + eq16(at)/shape.Rate()
			}}},

		usedCells + "v_A": cells(claim.Share, func(l *lists) float64 { return l.usedA }),
		usedCells + "v_B": cells(claim.Share, func(l *lists) float64 { return l.usedB }),
		inCells + "v_A":   cells(claim.Number, func(l *lists) float64 { return l.sizeA }),
		inCells + "v_B":   cells(claim.Number, func(l *lists) float64 { return l.sizeB }),
		"filled cells of v_A, less those of v_B": {Unit: claim.Share,
			Trials: vectors.Number(func(l *lists) float64 { return l.usedA - l.usedB }).Of(
				func(at claim.Parameters) int { return at.Int("m") })},
		"elements of a filled cell of v_A, less 10": cells(claim.Number,
			func(l *lists) float64 { return l.sizeA - 10 }),
		"log10 of the elements of a filled cell of v_B": cells(claim.Number,
			func(l *lists) float64 { return math.Log10(l.sizeB) }),
		"correlation of size and occupancy of v_A": {
			Trials: func(run *trials.Run, _ claim.Parameters) claim.Sample {
				var used []float64
				for _, m := range vectorSizes {
					_, all := vectors(run, claim.Parameters{"m": int(m)})
					used = append(used, stat.Mean(trials.Column(all,
						func(l *lists) float64 { return l.usedA }), nil))
				}
				return claim.Sample{Values: []float64{stat.Correlation(vectorSizes, used, nil)}}
			}},
	}
}

// theoryPlots are figures 3 and 11.
func theoryPlots() []claim.Plot {
	rates := claim.Plot{Name: "figure3", Where: "figure 3",
		Title:   "Figure 3: the rate of false positives; lines are Eq. (5), marks simulated",
		Columns: 3, Width: 250, Height: 220}
	for _, over := range []string{"m", "n", "k"} {
		rates.Panels = append(rates.Panels, claim.Panel{X: over, Y: "rate of false positives",
			By: over, At: axes[over], Log: true, Curves: []claim.Curve{{Name: "simulated, Eq. (5)",
				Quantity: rateOfShape, Theory: "Eq. (5)"}},
			Look: func(p *chart.Panel) {
				values := axes[over]
				p.X.Tick.Marker = chart.Ticks(whole, values[0], values[3], values[len(values)-1])
			}})
	}
	filled := claim.Plot{Name: "figure11", Where: "figure 11",
		Title: "Figure 11: the vectors of lists", Columns: 2, Width: 300, Height: 240}
	for _, name := range []string{usedCells, inCells} {
		p := claim.Panel{Title: strings.TrimSuffix(name, " of "), X: "cells, m", Y: "elements",
			By: "m", At: vectorSizes, Log: true, Look: thousandsX}
		if name == usedCells {
			p.Log, p.Part, p.Y = false, true, "share of the cells (%)"
		}
		for _, vector := range []string{"v_A", "v_B"} {
			of := map[string]string{"v_A": "v_A, members", "v_B": "v_B, all false positives"}
			p.Curves = append(p.Curves, claim.Curve{Name: of[vector], Theory: "Poisson",
				Quantity: name + vector})
		}
		filled.Panels = append(filled.Panels, p)
	}
	return []claim.Plot{rates, filled}
}

func percent(share float64) string { return fmt.Sprintf("%g %%", 100*share) }

func whole(v float64) string { return quantity.Count(int(v)) }

// thousandsX labels some sizes.
func thousandsX(p *chart.Panel) {
	p.X.Tick.Marker = chart.Ticks(whole, 20_000, 60_000, 100_000)
}

func logarithmicX(p *chart.Panel) { chart.Logarithmic(whole, &p.X) }
