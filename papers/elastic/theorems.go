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

// lemmaOf is Lemma 4.1 for a claim's filter: ε is 1/m.
func lemmaOf(at claim.Parameters) (d, over, lnb float64) {
	lnb = -2 * math.Log(at.Float("m"))
	d, over = lemma(math.E*loadOf(at), lnb)
	return d, over, lnb
}

// ofLemma is a number of that: of D, of how far the bound is above b, and of b.
func ofLemma(f func(d, over, lnb float64) float64) claim.Quantity {
	return computed(func(at claim.Parameters) float64 { return f(lemmaOf(at)) })
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

// boundBy is the bound of equation 3, of m (base/M)^M, by 1/m, as a logarithm.
func boundBy(base func(a, m float64) float64) claim.Formula {
	return func(at claim.Parameters) float64 {
		d, _, _ := lemmaOf(at)
		m := at.Float("m")
		return 2*math.Log(m) + d*math.Log(base(math.E*loadOf(at), m)/d)
	}
}

// misprinted is a formula whose sign is.
func misprinted(f claim.Formula) claim.Quantity {
	return claim.Quantity{Formulas: claim.Formulas{corrected: f,
		asPrinted: func(at claim.Parameters) float64 { return -f(at) }}}
}

// hashesFor and bitsFor are the formulas of section 4.3, with the sign that is meant: the hashes
// for a rate, and the bits per key.
func hashesFor(at claim.Parameters) float64 { return -math.Log2(at.Float("rate")) }

func bitsFor(at claim.Parameters) float64 {
	k := at.Float("k")
	return -k / math.Log1p(-math.Pow(at.Float("rate"), 1/k))
}

// bestHashes returns the best number for the bits of section 4.1, found without the formula.
func bestHashes(at claim.Parameters) float64 {
	each, best := math.Log2E*math.Log2(1/at.Float("rate")), 0.1
	rate := func(k float64) float64 { return k * math.Log(part(k/each)) }
	for k := best; k < 60; k += 0.001 {
		if rate(k) < rate(best) {
			best = k
		}
	}
	return best
}

// fewestBits returns those with which (1 - e^(-kn/m))^k is the rate, found without the formula.
func fewestBits(at claim.Parameters) float64 {
	k := at.Float("k")
	return leastOf(1, 1000, func(each float64) bool {
		return math.Pow(part(k/each), k) <= at.Float("rate")
	})
}

// setOf returns the part of a claim's bits that its members set.
func setOf(at claim.Parameters) float64 {
	return part(at.Float("k") * at.Float("n") / at.Float("m"))
}

// theorems is section 4, as far as it is computed.
func theorems() claim.Quantities {
	a := func(at claim.Parameters) float64 { return math.E * loadOf(at) }
	set := computed(setOf)
	set.Unit = claim.Share
	return claim.Quantities{
		"log of (a/M)^M by b, in parts of -log b, at worst": computed(
			func(at claim.Parameters) float64 { return worst(at.Float("a")) }),
		"least a with which it holds": {Formulas: claim.Formulas{
			exact: func(claim.Parameters) float64 {
				return leastOf(0.1, 4, func(a float64) bool { return worst(a) <= 0 })
			},
			"1 - ln ln x / ln x is 1 - 1/e or more": claim.Constant(2 / (1 - 1/math.E)),
		}},
		"fingerprints per bit": computed(loadOf),
		"a":                    computed(a),
		"a, less 4": computed(func(at claim.Parameters) float64 { return a(at) - 4 }).
			Fixed(claim.Parameters{"k": hashes, "m": 1 << logBits}),
		"log of (a/M)^M by b, in parts of -log b": ofLemma(
			func(_, over, lnb float64) float64 { return over / -lnb }).
			Fixed(claim.Parameters{"k": hashes}),
		"D":       ofLemma(func(d, _, _ float64) float64 { return d }),
		"(a/M)^M": ofLemma(func(_, over, lnb float64) float64 { return math.Exp(over + lnb) }),
		"b":       ofLemma(func(_, _, lnb float64) float64 { return math.Exp(lnb) }),
		"log of the bound by ε": {Formulas: claim.Formulas{
			asPrinted: boundBy(func(a, m float64) float64 { return a * m }),
			corrected: boundBy(func(a, _ float64) float64 { return a }),
		}},
		"hashes for a rate": misprinted(hashesFor),
		"hashes, as a multiple of the best number": misprinted(
			func(at claim.Parameters) float64 { return hashesFor(at) / bestHashes(at) }),
		"bits per key for a rate": misprinted(bitsFor),
		"bits, as a multiple of the fewest that have the rate": misprinted(
			func(at claim.Parameters) float64 { return bitsFor(at) / fewestBits(at) }),
		"MiB of 2^w bits": computed(
			func(at claim.Parameters) float64 { return math.Exp2(at.Float("w")) / 8 / (1 << 20) }),
		"part of the bits that is set": set,
		"bits that are set, less the threshold": {Unit: claim.Share, Formulas: claim.Formulas{
			exact: func(at claim.Parameters) float64 { return setOf(at) - threshold }}},
		"members at which it grows": computed(func(at claim.Parameters) float64 {
			return perBit(threshold) * at.Float("m") / at.Float("k")
		}),
	}
}

// throws are the trials of Theorem 4.1: fingerprints that are thrown into buckets, and how many
// buckets have how many, or more.
func (s study) throws() *claim.Simulation {
	return &claim.Simulation{
		Name: func(at claim.Parameters) string {
			return fmt.Sprint("theorem 4.1 ", int(math.Log2(at.Float("m"))), loadOf(at))
		},
		Times: func(at claim.Parameters) (full, short int) {
			if at.Int("m") == 1<<logBits {
				return 4000, 400
			}
			return 20_000, 2000
		},
		Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
			m := at.Int("m")
			buckets, loads := make([]uint8, m), make([]float64, 64)
			for range int(throwsOf(at)) {
				bucket := &buckets[rng.IntN(m)]
				loads[*bucket]++
				*bucket++
			}
			return claim.Outcome{"more": loads}
		},
	}
}

// throwsOf returns how many fingerprints a claim's buckets have.
func throwsOf(at claim.Parameters) float64 { return math.Round(loadOf(at) * at.Float("m")) }

// full is the chance that one of m buckets has j fingerprints or more.
func full(at claim.Parameters, j int) float64 {
	m := at.Float("m")
	return -math.Expm1(m * math.Log1p(-trials.Tail(j, throwsOf(at), 1/m)))
}

// wholeD is the fingerprints that no bucket is to get.
func wholeD(at claim.Parameters) int {
	d, _, _ := lemmaOf(at)
	return int(math.Ceil(d))
}

// need is the least slots with which ε holds.
func need(at claim.Parameters) float64 {
	slots := 1
	for full(at, slots+1) > 1/at.Float("m") {
		slots++
	}
	return float64(slots)
}

// overflows is the size of buckets that Theorem 4.1 and section 4.3 have, and whether they
// overflow.
func (s study) overflows() claim.Quantities {
	throws := s.throws()
	reached := func(least func(at claim.Parameters) int) claim.Trials {
		return throws.At("more", func(at claim.Parameters) int { return least(at) - 1 })
	}
	overflow := func(least func(at claim.Parameters) int) claim.Quantity {
		return reached(least).Which(func(v float64, _ claim.Parameters) bool { return v > 0 }).
			Share().With(meanField,
			func(at claim.Parameters) float64 { return full(at, least(at)) })
	}
	return claim.Quantities{
		"buckets with D or more": {
			Trials: reached(wholeD),
			Formulas: claim.Formulas{exact: func(at claim.Parameters) float64 {
				m := at.Float("m")
				return m * trials.Tail(wholeD(at), throwsOf(at), 1/m)
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
