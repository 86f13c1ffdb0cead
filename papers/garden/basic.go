package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

// The formulas of the section, which Bloom and those after him have: of a bit that is still 0 after
// a number of throws, of a Bloom error, of the best k, and of the bits that a rate takes.
func stillZero(m, throws float64) float64 { return math.Pow(1-1/m, throws) }

func classical(m, k, n float64) float64 { return math.Pow(-math.Expm1(-k*n/m), k) }

func bestHashes(m, n float64) float64 { return m / n * math.Ln2 }

func optimalBits(rate float64) float64 { return -math.Log(rate) / (math.Ln2 * math.Ln2) }

// basicOf returns the cells, hashes and keys of a basic filter: of m and k, or of k and a rate, or
// of the rate of n keys; "keys" are those inserted where they are not n.
func basicOf(at claim.Parameters) (m, k, n int) {
	m, k, n = at.Int("m"), at.Int("k"), at.Int("n")
	switch {
	case m > 0:
	case k > 0:
		m = int(math.Round(bitsFor(at) * float64(n)))
	default:
		shape := must(plain.New(plain.Config{Members: n, Rate: at.Float("rate"),
			Key: secret})).Shape()
		m, k = shape.Bits, shape.Hashes
	}
	if keys := at.Int("keys"); keys > 0 {
		n = keys
	}
	return m, k, n
}

// bitsFor returns the bits per key that a rate takes with k hashes.
func bitsFor(at claim.Parameters) float64 { return -at.Float("k") / math.Log1p(-partFor(at)) }

// partFor returns the part of them that is set.
func partFor(at claim.Parameters) float64 { return math.Pow(at.Float("rate"), 1/at.Float("k")) }

// entropy is that of a bit that is 1 with a probability.
func entropy(p float64) float64 { return -(p*math.Log2(p) + (1-p)*math.Log2(1-p)) }

// ofBasic is a formula for a basic filter.
func ofBasic(f func(m, k, n float64) float64) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 {
		m, k, n := basicOf(at)
		return f(float64(m), float64(k), float64(n))
	}
}

func boseRate(m, k, n float64) float64 { return expected.RateOfBits(n, m, int(k)) }

// filled is what a filter with n members has.
type filled struct {
	fill, rate float64 // of its bits
	missing    int     // members that it does not show
}

func fill(run *trials.Run, at claim.Parameters) (string, []filled) {
	m, k, n := basicOf(at)
	cost := m + 10*k*n
	return repeated(run, fmt.Sprint("fill ", m, k, n), 30_000_000/cost, 3_000_000/cost,
		func(rng *rand.Rand) (r filled) {
			f := must(plain.New(plain.Config{Members: n, BitsPerKey: float64(m) / float64(n),
				Hashes: k, Key: secret}))
			if f.Shape().Bits != m {
				panic(fmt.Sprintf("garden: a filter of %d bits, want %d", f.Shape().Bits, m))
			}
			members := make([]uint64, n)
			for i := range members {
				members[i] = rng.Uint64()
			}
			must(f.InsertHashBatch(members, nil))
			r.fill = float64(f.Stats().Ones) / float64(m)
			r.missing = n - f.QueryHashBatch(members, nil)
			r.rate = math.Pow(r.fill, float64(k))
			return r
		})
}

// roundings are the ways to a whole k.
var roundings = map[string]func(float64) float64{
	"rounded": math.Round, "rounded down": math.Floor, "rounded up": math.Ceil,
}

// worstWhole returns what a rounding of the best k costs at most, with 4 to 24 bits per key, and at
// how many.
func worstWhole(at claim.Parameters) (worst, bits float64) {
	n, round := at.Float("n"), roundings[at.Text("k")]
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
	filledBy := func(number func(*filled) float64) claim.Trials {
		return claim.Measured(fill, func(r *filled, _ claim.Parameters) float64 {
			return number(r)
		})
	}
	fillOf := filledBy(func(r *filled) float64 { return r.fill })
	rateOf := filledBy(func(r *filled) float64 { return r.rate })
	ofRate := func(at claim.Parameters) float64 { return at.Float("rate") }
	power := ofBasic(func(m, _, n float64) float64 { return math.Exp2(-bestHashes(m, n)) })
	one := func(claim.Parameters) float64 { return 1 }
	ones := func(m, k, n float64) float64 { return 1 - stillZero(m, k*n) }
	bitsSent := func(at claim.Parameters) float64 { return bitsFor(at) * entropy(partFor(at)) }
	sent := func(less float64) claim.Trials {
		return claim.Measured(fill, func(r *filled, at claim.Parameters) float64 {
			m, _, n := basicOf(at)
			return float64(m)/float64(n)*entropy(r.fill) - less*optimalBits(at.Float("rate"))
		})
	}
	return claim.Quantities{
		"bits that are 0, as a multiple of the formula": {
			Trials: multiple(filledBy(func(r *filled) float64 { return 1 - r.fill }),
				ofBasic(func(m, k, n float64) float64 { return stillZero(m, k*n) })),
			Formulas: claim.Formulas{exact: one, "of a key": ofBasic(
				func(m, k, _ float64) float64 { return stillZero(m, k) })},
		},
		"bits that are 1, as a multiple of the formula": {
			Trials: multiple(fillOf, ofBasic(ones)), Formulas: claim.Formulas{exact: one},
		},
		"rate, as a multiple of the formula": {
			Trials: multiple(rateOf, ofBasic(classical)),
			Formulas: claim.Formulas{"Bose et al.": ofBasic(func(m, k, n float64) float64 {
				return boseRate(m, k, n) / classical(m, k, n)
			})},
		},
		"members of a basic filter that are not found": measured(claim.Counted(fill,
			func(r *filled, at claim.Parameters) (hits, cases int) {
				return r.missing, at.Int("n")
			}), exact, never),
		"rate of a basic filter": {Unit: claim.Share, Trials: rateOf,
			Formulas: claim.Formulas{exact: ofBasic(boseRate), restored: ofBasic(classical)}},
		"bits that are set": measured(fillOf, exact, ofBasic(ones)),
		"best k": computed(claim.Number, restored,
			ofBasic(func(m, _, n float64) float64 { return bestHashes(m, n) })),
		"rate, as a multiple of 2^(-m/n ln 2)": {Trials: multiple(rateOf, power),
			Formulas: claim.Formulas{restored: func(at claim.Parameters) float64 {
				return ofBasic(classical)(at) / power(at)
			}}},
		"rate, as a multiple of that with the best whole k, at worst with m/n from 4 to 24": {
			Formulas: claim.Formulas{
				exact: func(at claim.Parameters) float64 {
					worst, _ := worstWhole(at)
					return worst
				},
				"m/n": func(at claim.Parameters) float64 {
					_, bits := worstWhole(at)
					return bits
				},
				"k there": func(at claim.Parameters) float64 {
					_, bits := worstWhole(at)
					return bestHashes(bits, 1)
				},
			}},
		"fewest bits with a whole k, as a multiple of the formula": computed(claim.Number, exact,
			func(at claim.Parameters) float64 {
				m, _, n := basicOf(at)
				return float64(m) / float64(n) / optimalBits(at.Float("rate"))
			}),
		"rate, as a multiple of what is given": {Trials: multiple(rateOf, ofRate),
			Formulas: claim.Formulas{restored: func(at claim.Parameters) float64 {
				return ofBasic(classical)(at) / ofRate(at)
			}}},
		"rate, less what is given": {Unit: claim.Share,
			Trials: claim.Measured(fill, func(r *filled, at claim.Parameters) float64 {
				return r.rate - at.Float("rate")
			}),
			Formulas: claim.Formulas{restored: func(at claim.Parameters) float64 {
				return ofBasic(classical)(at) - ofRate(at)
			}}},
		"bits per key to send, with an ideal code": {Trials: sent(0),
			Formulas: claim.Formulas{meanField: bitsSent}},
		"bits per key to send, less 99 % of those of the best filter": {Trials: sent(0.99),
			Formulas: claim.Formulas{meanField: func(at claim.Parameters) float64 {
				return bitsSent(at) - 0.99*optimalBits(at.Float("rate"))
			}}},
		"bits per key in memory": computed(claim.Number, restored, bitsFor),
	}
}

func basicFigures() []claim.Plot {
	var byBits []claim.Curve
	for _, each := range []int{6, 8, 12, 16} {
		byBits = append(byBits, claim.Curve{Name: fmt.Sprintf("m/n = %d", each),
			Quantity: "rate of a basic filter", Theory: exact,
			Parameters: claim.Parameters{"m": 1000 * each, "n": 1000}})
	}
	sent := claim.Parameters{"rate": 0.01, "n": 1000}
	return []claim.Plot{
		{
			Name: "best", Where: "section Basic",
			Title: "The basic filter's rate by its hashes (n = 1000): marks simulated, lines exact",
			Width: 420, Height: 280, Columns: 1, Panels: []claim.Panel{{
				X: "hashes, k", Y: "rate of false positives", By: "k", Log: true,
				At:     []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
				Curves: byBits, Look: tickX(1, 4, 8, 12, 16)}},
		},
		{
			Name: "compressed", Where: "section libbf",
			Title: "Filters of a rate of 1 % that are compressed: marks simulated, lines expected",
			Width: 420, Height: 260, Columns: 1, Panels: []claim.Panel{{
				X: "hashes, k", Y: "bits per key", By: "k", Log: true,
				At: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
				Curves: []claim.Curve{
					{Name: "to send, compressed", Theory: meanField, Parameters: sent,
						Quantity: "bits per key to send, with an ideal code"},
					{Name: "in memory", Quantity: "bits per key in memory", Theory: restored,
						Computed: true, Parameters: sent},
				},
				Look: func(p *chart.Panel) { tickX(1, 2, 4, 6, 8, 10)(p) }}},
		},
	}
}
