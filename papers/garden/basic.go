package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// The formulas of the section, which Bloom and those after him have: of a bit that is still 0 after
// a number of throws, of a Bloom error, of the best k, and of the bits that a rate takes.
func stillZero(m, throws float64) float64 { return math.Pow(1-1/m, throws) }

func classical(m, k, n float64) float64 { return math.Pow(-math.Expm1(-k*n/m), k) }

func bestHashes(m, n float64) float64 { return m / n * math.Ln2 }

func optimalBits(rate float64) float64 { return -math.Log(rate) / (math.Ln2 * math.Ln2) }

// boseRate is that of Bose et al.
func boseRate(m, k, n float64) float64 { return expected.RateOfBits(n, m, int(k)) }

// basicOf returns the cells, hashes and keys of a basic filter: of m and k, or of k and a rate, or
// of the rate of n keys; "keys" are those inserted where they are not n.
func basicOf(point claim.Parameters) (m, k, n int) {
	m, k, n = point.Int("m"), point.Int("k"), point.Int("n")
	switch {
	case m > 0:
	case k > 0:
		m = int(math.Round(bitsFor(point) * float64(n)))
	default:
		shape := must(plain.New(plain.Config{Members: n, Rate: point.Float("rate"),
			Key: secret})).Shape()
		m, k = shape.Bits, shape.Hashes
	}
	if keys := point.Int("keys"); keys > 0 {
		n = keys
	}
	return m, k, n
}

// ofBasic is a formula for a basic filter.
func ofBasic(f func(m, k, n float64) float64) claim.Formula {
	return func(at claim.Parameters) float64 {
		m, k, n := basicOf(at)
		return f(float64(m), float64(k), float64(n))
	}
}

// bitsFor returns the bits per key that a rate takes with k hashes, and partFor the part of them
// that is set.
func bitsFor(at claim.Parameters) float64 { return -at.Float("k") / math.Log1p(-partFor(at)) }

func partFor(at claim.Parameters) float64 { return math.Pow(at.Float("rate"), 1/at.Float("k")) }

func optimalFor(at claim.Parameters) float64 { return optimalBits(at.Float("rate")) }

// entropy is that of a bit that is 1 with a probability.
func entropy(p float64) float64 { return -(p*math.Log2(p) + (1-p)*math.Log2(1-p)) }

// filled is what a filter with n members has: the part of its bits that is set, the rate of these,
// and the members that it does not show.
var filled = claim.Simulation{
	Name: func(at claim.Parameters) string {
		m, k, n := basicOf(at)
		return fmt.Sprint("fill ", m, k, n)
	},
	Times: func(at claim.Parameters) (full, short int) {
		m, k, n := basicOf(at)
		return 30_000_000 / (m + 10*k*n), 3_000_000 / (m + 10*k*n)
	},
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		m, k, n := basicOf(at)
		f := must(plain.New(plain.Config{Members: n, BitsPerKey: float64(m) / float64(n),
			Hashes: k, Key: secret}))
		if f.Shape().Bits != m {
			panic(fmt.Sprintf("garden: a filter of %d bits, want %d", f.Shape().Bits, m))
		}
		members := fill(rng, f, n)
		part := float64(f.Stats().Ones) / float64(m)
		return claim.Outcome{"fill": {part}, "zeros": {1 - part},
			"rate":    {math.Pow(part, float64(k))},
			"missing": {float64(n - f.QueryHashBatch(members, nil))}, "members": {float64(n)}}
	},
}

// roundings are the ways to a whole k.
var roundings = map[string]func(float64) float64{
	"rounded": math.Round, "rounded down": math.Floor, "rounded up": math.Ceil,
}

// worstWhole returns what a rounding of the best k costs at most, with 4 to 24 bits per key, and at
// how many.
func worstWhole(at claim.Parameters) (worst, bits float64) {
	n, round := at.Float("n"), claim.Pick(at, "k", roundings)
	for each := 4.; each <= 24; each++ {
		rate := func(k float64) float64 { return boseRate(each*n, k, n) }
		least := rate(1)
		for k := 2.; k <= 20; k++ {
			least = min(least, rate(k))
		}
		if loss := rate(round(bestHashes(each, 1))) / least; loss > worst {
			worst, bits = loss, each
		}
	}
	return worst, bits
}

// basic is the section on the basic filter.
func basic() claim.Quantities {
	fillOf, rateOf, ofRate := filled.Mean("fill"), filled.Mean("rate"), given("rate")
	zeros := ofBasic(func(m, k, n float64) float64 { return stillZero(m, k*n) })
	ones := less(claim.Constant(1), zeros)
	formula, bose := ofBasic(classical), ofBasic(boseRate)
	power := ofBasic(func(m, _, n float64) float64 { return math.Exp2(-bestHashes(m, n)) })
	perKey := ofBasic(func(m, _, n float64) float64 { return m / n })
	bitsSent := func(at claim.Parameters) float64 { return bitsFor(at) * entropy(partFor(at)) }
	ofBest := func(part float64) claim.Formula {
		return func(at claim.Parameters) float64 { return part * optimalFor(at) }
	}
	sent := func(less claim.Formula) claim.Trials {
		return fillOf.To(func(fill float64, at claim.Parameters) float64 {
			return perKey(at)*entropy(fill) - less(at)
		})
	}
	ofWorst := func(f func(worst, bits float64) float64) claim.Formula {
		return func(at claim.Parameters) float64 { return f(worstWhole(at)) }
	}
	return claim.Quantities{
		"bits that are 0, as a multiple of the formula": {
			Trials:   multiple(filled.Mean("zeros"), zeros),
			Formulas: claim.Formulas{exact: claim.Constant(1)}},
		"bits that are 1, as a multiple of the formula": {Trials: multiple(fillOf, ones),
			Formulas: claim.Formulas{exact: claim.Constant(1)}},
		"rate, as a multiple of the formula": {Trials: multiple(rateOf, formula),
			Formulas: claim.Formulas{"Bose et al.": divided(bose, formula)}},
		"members of a basic filter that are not found": measured(
			filled.Counted("missing", "members"), exact, never),
		"rate of a basic filter": {Unit: claim.Share, Trials: rateOf,
			Formulas: claim.Formulas{exact: bose, restored: formula}},
		"bits that are set": measured(fillOf, exact, ones),
		"best k": claim.Computed(claim.Number, restored,
			ofBasic(func(m, _, n float64) float64 { return bestHashes(m, n) })),
		"rate, as a multiple of 2^(-m/n ln 2)": {Trials: multiple(rateOf, power),
			Formulas: claim.Formulas{restored: divided(formula, power)}},
		"rate, as a multiple of that with the best whole k, at worst with m/n from 4 to 24": {
			Formulas: claim.Formulas{
				exact:     ofWorst(func(worst, _ float64) float64 { return worst }),
				"m/n":     ofWorst(func(_, bits float64) float64 { return bits }),
				"k there": ofWorst(func(_, bits float64) float64 { return bestHashes(bits, 1) }),
			}},
		"fewest bits with a whole k, as a multiple of the formula": claim.Computed(claim.Number,
			exact, divided(perKey, optimalFor)),
		"rate, as a multiple of what is given": {Trials: multiple(rateOf, ofRate),
			Formulas: claim.Formulas{restored: divided(formula, ofRate)}},
		"rate, less what is given": measured(rateOf.To(
			func(rate float64, at claim.Parameters) float64 { return rate - ofRate(at) }),
			restored, less(formula, ofRate)),
		"bits per key to send, with an ideal code": {Trials: sent(never),
			Formulas: claim.Formulas{meanField: bitsSent}},
		"bits per key to send, less 99 % of those of the best filter": {
			Trials:   sent(ofBest(0.99)),
			Formulas: claim.Formulas{meanField: less(bitsSent, ofBest(0.99))}},
		"bits per key in memory": claim.Computed(claim.Number, restored, bitsFor).
			Fixed(claim.Parameters{"n": 1000}), // which no bits per key depend on
	}
}
