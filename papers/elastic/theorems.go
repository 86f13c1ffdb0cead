package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// lemma returns the M of Lemma 4.1, and how many times b the bound (a/M)^M is there, as a
// logarithm.
func lemma(a, lnb float64) (m, over float64) {
	l := -lnb / 2
	m = a * l / math.Log(l)
	return m, m*math.Log(a/m) - lnb
}

// worst is how far the bound of Lemma 4.1 is above b, over all b below 1/9.
func worst(a float64) float64 {
	highest := math.Inf(-1)
	for lnb := -math.Log(9) - 1e-9; lnb > -600; lnb *= 1.001 {
		_, over := lemma(a, lnb)
		highest = max(highest, over/-lnb)
	}
	return highest
}

// leastOf returns the least value from which on something holds.
func leastOf(low, high float64, holds func(v float64) bool) float64 {
	for high-low > 1e-9 {
		if v := (low + high) / 2; holds(v) {
			high = v
		} else {
			low = v
		}
	}
	return high
}

// lemmaOf is Lemma 4.1 for a claim's filter: ε is 1/m.
func lemmaOf(at claim.Parameters) (m, over, lnb float64) {
	lnb = -2 * math.Log(at.Float("m"))
	m, over = lemma(math.E*loadOf(at), lnb)
	return m, over, lnb
}

// misprinted is a formula whose sign is.
func misprinted(f func(sign float64, at claim.Parameters) float64) claim.Formulas {
	return claim.Formulas{
		asPrinted: func(at claim.Parameters) float64 { return f(-1, at) },
		corrected: func(at claim.Parameters) float64 { return f(1, at) },
	}
}

// bestHashes returns the best number for the bits of section 4.1, found without the formula.
func bestHashes(rate float64) float64 {
	each, best := math.Log2E*math.Log2(1/rate), 0.1
	of := func(k float64) float64 { return k * math.Log(-math.Expm1(-k/each)) }
	for k := best; k < 60; k += 0.001 {
		if of(k) < of(best) {
			best = k
		}
	}
	return best
}

// theorems is section 4, as far as it is computed.
func theorems() claim.Quantities {
	// The bound of equation 3, of m base/M^M, by 1/m.
	bound := func(base float64, at claim.Parameters) float64 {
		m, _, _ := lemmaOf(at)
		return 2*math.Log(at.Float("m")) + m*math.Log(base/m)
	}
	hashesFor := func(sign float64, at claim.Parameters) float64 {
		return -sign * math.Log2(at.Float("rate"))
	}
	bitsFor := func(sign float64, at claim.Parameters) float64 {
		k := at.Float("k")
		return -sign * k / math.Log1p(-math.Pow(at.Float("rate"), 1/k))
	}
	return claim.Quantities{
		"log of (a/M)^M by b, in parts of -log b, at worst": computed(
			func(at claim.Parameters) float64 { return worst(at.Float("a")) }),
		"least a with which it holds": {Formulas: claim.Formulas{
			exact: func(claim.Parameters) float64 {
				return leastOf(0.1, 4, func(a float64) bool { return worst(a) <= 0 })
			},
			"1 - ln ln x / ln x is 1 - 1/e or more": constant(2 / (1 - 1/math.E)),
		}},
		"fingerprints per bit": computed(loadOf),
		"a": computed(func(at claim.Parameters) float64 {
			return math.E * loadOf(at)
		}),
		"a, less 4": computed(func(at claim.Parameters) float64 {
			return math.E*loadOf(at) - 4
		}),
		"log of (a/M)^M by b, in parts of -log b": computed(func(at claim.Parameters) float64 {
			_, over, lnb := lemmaOf(at)
			return over / -lnb
		}),
		"D": computed(func(at claim.Parameters) float64 {
			m, _, _ := lemmaOf(at)
			return m
		}),
		"(a/M)^M": computed(func(at claim.Parameters) float64 {
			_, over, lnb := lemmaOf(at)
			return math.Exp(over + lnb)
		}),
		"b": computed(func(at claim.Parameters) float64 {
			_, _, lnb := lemmaOf(at)
			return math.Exp(lnb)
		}),
		"log of the bound by ε": {Formulas: claim.Formulas{
			asPrinted: func(at claim.Parameters) float64 {
				return bound(math.E*loadOf(at)*at.Float("m"), at)
			},
			corrected: func(at claim.Parameters) float64 {
				return bound(math.E*loadOf(at), at)
			},
		}},
		"hashes for a rate": {Formulas: misprinted(hashesFor)},
		"hashes, as a multiple of the best number": {Formulas: misprinted(
			func(sign float64, at claim.Parameters) float64 {
				return hashesFor(sign, at) / bestHashes(at.Float("rate"))
			})},
		"bits per key for a rate": {Formulas: misprinted(bitsFor)},
		"bits, as a multiple of the fewest that have the rate": {Formulas: misprinted(
			func(sign float64, at claim.Parameters) float64 {
				// with which (1 - e^(-kn/m))^k is the rate, found without the formula
				k := at.Float("k")
				return bitsFor(sign, at) / leastOf(1, 1000, func(each float64) bool {
					return math.Pow(-math.Expm1(-k/each), k) <= at.Float("rate")
				})
			})},
		"MiB of 2^w bits": computed(func(at claim.Parameters) float64 {
			return math.Exp2(at.Float("w")) / 8 / (1 << 20)
		}),
		"bits that are set, less the threshold": {Unit: claim.Share, Formulas: claim.Formulas{
			exact: func(at claim.Parameters) float64 {
				return -math.Expm1(-at.Float("k")*at.Float("n")/at.Float("m")) - threshold
			}}},
		"part of the bits that is set": {Unit: claim.Share, Formulas: claim.Formulas{
			exact: func(at claim.Parameters) float64 {
				return -math.Expm1(-at.Float("k") * at.Float("n") / at.Float("m"))
			}}},
		"members at which it grows": computed(func(at claim.Parameters) float64 {
			return perBit(threshold) * at.Float("m") / at.Float("k")
		}),
	}
}

// thrown is fingerprints that are thrown into buckets: how many buckets have how many.
type thrown [64]int

func (t *thrown) atLeast(j int) (n int) {
	for _, of := range t[j:] {
		n += of
	}
	return n
}

// loads throws fingerprints into buckets.
func loads(rng *rand.Rand, m, fingerprints int) (buckets thrown) {
	each := make([]uint8, m)
	for range fingerprints {
		each[rng.IntN(m)]++
	}
	for _, n := range each {
		buckets[n]++
	}
	return buckets
}

// throws are the trials of Theorem 4.1.
func (s study) throws(run *trials.Run, at claim.Parameters) (string, []thrown) {
	m, load := at.Int("m"), loadOf(at)
	name := fmt.Sprint("theorem 4.1 ", int(math.Log2(float64(m))), load)
	full := 20_000
	if m == 1<<logBits {
		full = 4000
	}
	return name, trials.Recall(run, name, s.number(full, full/10), func(rng *rand.Rand) thrown {
		return loads(rng, m, int(math.Round(load*float64(m))))
	})
}

// some is the chance that one of m buckets has j fingerprints or more.
func some(at claim.Parameters, j int) float64 {
	m := at.Float("m")
	throws := math.Round(loadOf(at) * m)
	return -math.Expm1(m * math.Log1p(-tail(j, throws, 1/m)))
}

// wholeD is the fingerprints that no bucket is to get.
func wholeD(at claim.Parameters) int {
	d, _, _ := lemmaOf(at)
	return int(math.Ceil(d))
}

// need is the least slots with which ε holds.
func need(at claim.Parameters) float64 {
	slots := 1
	for some(at, slots+1) > 1/at.Float("m") {
		slots++
	}
	return float64(slots)
}

// overflows is the size of buckets that Theorem 4.1 and section 4.3 have, and whether they
// overflow.
func (s study) overflows() claim.Quantities {
	overflow := func(least func(at claim.Parameters) int) claim.Quantity {
		return claim.Quantity{Unit: claim.Share,
			Trials: claim.Counted(s.throws, func(t *thrown, at claim.Parameters) (int, int) {
				return min(1, t.atLeast(least(at))), 1
			}),
			Formulas: claim.Formulas{meanField: func(at claim.Parameters) float64 {
				return some(at, least(at))
			}}}
	}
	return claim.Quantities{
		"buckets with D or more": {
			Trials: claim.Measured(s.throws, func(t *thrown, at claim.Parameters) float64 {
				return float64(t.atLeast(wholeD(at)))
			}),
			Formulas: claim.Formulas{exact: func(at claim.Parameters) float64 {
				m := at.Float("m")
				return m * tail(wholeD(at), math.Round(loadOf(at)*m), 1/m)
			}}},
		"filters that expand for a bucket with D or more": overflow(wholeD),
		"filters with a bucket that overflows": overflow(func(at claim.Parameters) int {
			return at.Int("slots") + 1
		}),
		"least slots with which ε holds, by the binomial": computed(need),
		"slots of Table 1, less the least with which ε holds": computed(
			func(at claim.Parameters) float64 { return bucket - need(at) }),
	}
}

func overflowsPlot() claim.Plot {
	var curves []claim.Curve
	for _, p := range []struct {
		log  int
		load float64
	}{{10, perBit(threshold)}, {logBits, perBit(threshold)}, {10, 2}} {
		curves = append(curves, claim.Curve{
			Name:     fmt.Sprintf("m = 2^%d, kn/m = %.3g", p.log, p.load),
			Quantity: "filters with a bucket that overflows", Theory: meanField,
			Parameters: claim.Parameters{"m": 1 << p.log, "kn/m": p.load}})
	}
	return claim.Plot{Name: "overflows", Where: "section 4.2",
		Title:   "Buckets that overflow: marks simulated, lines by the binomial",
		Columns: 1, Width: 420, Height: 280, Panels: []claim.Panel{{
			X: "slots of a bucket", Y: "filters with a bucket that overflows", By: "slots",
			At: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, Log: true, Curves: curves}}}
}
