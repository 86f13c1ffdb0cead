package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// Shape is a Bloom filter of the paper, with m bits, n members and k hash functions. Its methods
// are the paper's equations. Rate of a plain.Shape is the mean over fills, where equation 5
// has the rate of the mean fill.
type Shape struct{ Bits, Members, Hashes int }

// Zero returns p0, the probability that a bit is not set: equation 2.
func (s Shape) Zero() float64 {
	zero := elementary.Log1p(-1 / float64(s.Bits))
	return elementary.Exp(float64(s.Hashes) * float64(s.Members) * zero)
}

// One returns p1, the probability that a bit is set: equation 4.
func (s Shape) One() float64 { return 1 - s.Zero() }

// Rate returns fP, the false-positive rate: equation 5.
func (s Shape) Rate() float64 { return elementary.Pow(s.One(), float64(s.Hashes)) }

// BestHashes returns the k of the lowest rate, which need not be a whole number: equation 6.
func (s Shape) BestHashes() float64 { return float64(s.Bits) * math.Ln2 / float64(s.Members) }

// BestRate returns the rate with BestHashes: equation 7.
func (s Shape) BestRate() float64 { return elementary.Pow(0.5, s.BestHashes()) }

// Kept returns r_s, the expected part of the false positives, and of the members, that are still
// present after the given number of bits was cleared at random: equation 16, and with one bit
// equation 13. 1 - r_s is the part of the false positives that are removed and that of the members
// that are lost: equations 14 and 15. So χ is 1.
func (s Shape) Kept(cleared int) float64 {
	return elementary.Pow(max(0, 1-float64(cleared)/(s.One()*float64(s.Bits))), float64(s.Hashes))
}

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
		over, values := at.Text("over"), claim.Pick(at, "over", axes)
		var all []float64
		for i, v := range values[1:] {
			rate := func(v float64) float64 {
				return filterOf(claim.Parameters{over: int(v)}).Rate()
			}
			all = append(all, math.Log(rate(v)/rate(values[i])))
		}
		return choose(all)
	}}}
}

// clearedShares are the parts of the set bits that are cleared.
var clearedShares = []float64{0.01, 0.05, 0.1, 0.25}

const clearedPart = "s/(p1 m)"

// atRandom are the trials of section III-B: shares that are gone, and their difference in numbers.
var atRandom = claim.Simulation{
	Name: claim.Named("randomized"), Times: times, Point: claim.Along(clearedPart, clearedShares),
	Trial: func(rng *rand.Rand, _ claim.Parameters) claim.Outcome {
		scene, all := newScene(rng, bits, members, universe), claim.Outcome{}
		positives := float64(len(scene.positives))
		for _, share := range clearedShares {
			o, _ := scene.apply(retouched.Config{
				Algorithm: retouched.Randomized, Members: source(scene.members),
				Bits: int(math.Round(share * float64(scene.Stats().Ones))), Seed: rng.Uint64(),
			})
			removed, missing := o[allGone]/positives, o[lost]/members
			all["removed"] = append(all["removed"], removed)
			all["lost"] = append(all["lost"], missing)
			all["fewer"] = append(all["fewer"], o[allGone]-o[lost])
			all["error"] = append(all["error"], 1-removed+missing)
			all["weighted error"] = append(all["weighted error"],
				1-removed+missing*(universe-members)/positives)
		}
		return all
	},
}

// eq16 is the part of the false positives that goes, and of the members.
func eq16(at claim.Parameters) float64 {
	return 1 - shape.Kept(int(math.Round(at.Float(clearedPart)*shape.One()*bits)))
}

// newLists is what figure 11 has of a vector of lists of all members, A, and of all false
// positives, B: the part of its m cells that have an element, and how many these have on average.
func newLists(rng *rand.Rand, m int) claim.Outcome {
	s, all := newScene(rng, m, members, universe), claim.Outcome{}
	for vector, hashes := range map[string][]uint64{"v_A": s.members, "v_B": s.positives} {
		counts, own, cells := make([]int32, m), []uint64(nil), 0
		for _, hash := range hashes {
			own = s.AppendPositions(own[:0], hash)
			for _, p := range own {
				if counts[p]++; counts[p] == 1 {
					cells++
				}
			}
		}
		all[usedCells+vector] = []float64{float64(cells) / float64(m)}
		all[inCells+vector] = []float64{float64(len(hashes)*s.Shape().Hashes) / float64(cells)}
	}
	return all
}

// expectedLists is the same by the Poisson distribution.
func expectedLists(m int) map[string]float64 {
	throws := hashes * float64(members) / float64(m)
	p1 := -math.Expm1(-throws)
	keys := hashes * rate(m, members, hashes) * (universe - members) /
		(p1 * float64(m)) // of a bit that is set
	return map[string]float64{usedCells + "v_A": p1, usedCells + "v_B": -p1 * math.Expm1(-keys),
		inCells + "v_A": throws / p1, inCells + "v_B": keys / -math.Expm1(-keys)}
}

var vectors = claim.Simulation{
	Name: claim.Named("figure 11 %v", "m"), Times: claim.Times(runs, 2),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		return newLists(rng, at.Int("m"))
	},
}

// cells is a function of a number of a vector of lists, and what is expected of it.
func cells(unit claim.Unit, number string, f func(v float64) float64) claim.Quantity {
	return claim.Quantity{Unit: unit,
		Trials: vectors.Mean(number).To(
			func(v float64, _ claim.Parameters) float64 { return f(v) }),
		Formulas: claim.Formulas{"Poisson": func(at claim.Parameters) float64 {
			return f(expectedLists(at.Int("m"))[number])
		}}}
}

// vectorSizes are the m of figure 11.
var vectorSizes = []float64{10e3, 20e3, 30e3, 40e3, 50e3, 60e3, 70e3, 80e3, 90e3, 100e3}

// The names of quantities that figures show too.
const (
	rateOfShape        = "rate of false positives of a filter"
	usedCells, inCells = "filled cells of ", "elements of a filled cell of "
)

// filled are the rates of figure 3.
var filled = claim.Simulation{
	Name:  func(at claim.Parameters) string { return fmt.Sprint("figure 3 ", filterOf(at)) },
	Times: claim.Times(4, 4),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		s := filterOf(at)
		set := make([]bool, s.Bits)
		for range s.Hashes * s.Members {
			set[rng.IntN(s.Bits)] = true
		}
		return claim.Outcome{"rate": {math.Pow(count(set)/float64(s.Bits), float64(s.Hashes))}}
	},
}

// described is figures 3 and 11, and section III-B.
func described() claim.Quantities {
	removed, missing := atRandom.Mean("removed"), atRandom.Mean("lost")
	one := claim.Formulas{"Eq. (16)": claim.Constant(1)}
	multiple := func(t claim.Trials) claim.Quantity {
		return claim.Quantity{Formulas: one, Trials: t.To(
			func(v float64, at claim.Parameters) float64 { return v / eq16(at) })}
	}
	itself := func(v float64) float64 { return v }
	all := claim.Quantities{
		rateOfShape: {Unit: claim.Share, Trials: filled.Mean("rate"),
			Formulas: claim.Formulas{"Eq. (5)": func(at claim.Parameters) float64 {
				return filterOf(at).Rate()
			}}},
		"log of the rate's largest step": steps(slices.Max),
		"log of the rate's least step":   steps(slices.Min),
		"log of the rate's first step":   steps(func(s []float64) float64 { return s[0] }),
		"log of the rate's last step":    steps(func(s []float64) float64 { return s[len(s)-1] }),

		"false positives removed, as a multiple of Eq. (16)": multiple(removed),
		"false negatives made, as a multiple of Eq. (16)":    multiple(missing),
		"part of either": claim.Computed(claim.Share, "Eq. (16)", eq16),
		"χ of clearing at random": {Trials: removed.By(missing),
			Formulas: claim.Formulas{"Eqs. (14) and (15)": claim.Constant(1)}},
		"false positives removed at random, less members lost": {Trials: atRandom.Mean("fewer"),
			Formulas: claim.Formulas{"Eq. (16)": func(at claim.Parameters) float64 {
				return eq16(at) * ((universe-members)*shape.Rate() - members)
			}}},
		"overall error f'_P/f_P + f'_N": {Formulas: one, Trials: atRandom.Mean("error")},
		"overall error f'_P + f'_N, as a multiple of f_P": {Trials: atRandom.Mean("weighted error"),
			Formulas: claim.Formulas{"Eq. (16)": func(at claim.Parameters) float64 {
				return 1 - eq16(at) + eq16(at)/shape.Rate()
			}}},

		"filled cells of v_A, less those of v_B": {Unit: claim.Share,
			Trials: difference(vectors.Mean(usedCells+"v_A"), vectors.Mean(usedCells+"v_B")).Of(
				func(at claim.Parameters) int { return at.Int("m") })},
		"elements of a filled cell of v_A, less 10": cells(claim.Number, inCells+"v_A",
			func(v float64) float64 { return v - 10 }),
		"log10 of the elements of a filled cell of v_B": cells(claim.Number, inCells+"v_B",
			math.Log10),
		"correlation of size and occupancy of v_A": {
			Trials: func(run *trials.Run, _ claim.Parameters) claim.Sample {
				var used []float64
				for _, m := range vectorSizes {
					s := vectors.Mean(usedCells+"v_A")(run, claim.Parameters{"m": int(m)})
					used = append(used, stat.Mean(s.Values, nil))
				}
				return claim.Sample{Values: []float64{stat.Correlation(vectorSizes, used, nil)}}
			}},
	}
	for _, vector := range []string{"v_A", "v_B"} {
		all[usedCells+vector] = cells(claim.Share, usedCells+vector, itself)
		all[inCells+vector] = cells(claim.Number, inCells+vector, itself)
	}
	return all
}
