package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// basic is the section on the basic filter.
var basic = []claim.Part{errorOfBasic, optimumOfBasic}

// The formulas of the section, which Bloom and those after him have: of a bit that is still 0 after
// a number of throws, of a Bloom error, of the best k, and of the bits that a rate takes.
func stillZero(m, throws float64) float64 { return math.Pow(1-1/m, throws) }

func classical(m, k, n float64) float64 { return math.Pow(-math.Expm1(-k*n/m), k) }

func bestHashes(m, n float64) float64 { return m / n * math.Ln2 }

func optimalBits(rate float64) float64 { return -math.Log(rate) / (math.Ln2 * math.Ln2) }

// plainOf is a basic filter of m bits.
func plainOf(m, k, n int) *plain.Filter {
	f := must(plain.New(plain.Config{Members: n, BitsPerKey: float64(m) / float64(n), Hashes: k,
		Key: secret}))
	if f.Shape().Bits != m {
		panic(fmt.Sprintf("garden: a filter of %d bits, want %d", f.Shape().Bits, m))
	}
	return f
}

func ofPlain(m, k, n int) map[string]any { return map[string]any{"m": m, "k": k, "n": n} }

// filled is what a filter with n members has.
type filled struct {
	fill, rate float64 // of its bits
	missing    int     // members that it does not show
}

func fill(run *trials.Run, m, k, n, times int) []filled {
	return trials.Each(run, fmt.Sprint("fill ", m, k, n), times, func(rng *rand.Rand) (r filled) {
		f, members := plainOf(m, k, n), make([]uint64, n)
		for i := range members {
			members[i] = rng.Uint64()
		}
		must(f.InsertHashBatch(members, nil))
		s := f.Stats()
		r.fill, r.missing = float64(s.Ones)/float64(m), n-f.QueryHashBatch(members, nil)
		r.rate = math.Pow(r.fill, float64(k))
		return r
	})
}

func fillOf(r *filled) float64 { return r.fill }
func rateOf(r *filled) float64 { return r.rate }

// errorOfBasic is the probability of a Bloom error.
func errorOfBasic(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	for _, p := range []struct{ m, k, n int }{{32, 5, 4}, {240, 5, 22}, {10_000, 7, 1000}} {
		m, k, n := float64(p.m), float64(p.k), float64(p.n)
		c := claim.Claim{Item: "basic: errors", Parameters: ofPlain(p.m, p.k, 1),
			Unit: claim.Number, Reading: claim.Literal}

		first := fill(run, p.m, p.k, 1, number(run, 20_000_000, 2_000_000)/p.m)
		c.Where =
			`section Basic: after an insert, "the probability that a certain bit in" the vector "is ` + `still 0 is"`
		c.Quantity, c.Published, c.Trials = "bits that are 0, as a multiple of the formula",
			claim.Rounded(1, 0.002), len(first)
		c.Theory = claim.By(exact, 1)
		c.Interval = multiple(mean(first, func(r *filled) float64 { return 1 - r.fill }),
			stillZero(m, k))
		c.Why = "the cells of a key are not independent"
		claims = append(claims, c)

		all := fill(run, p.m, p.k, p.n, number(run, 40_000_000, 8_000_000)/(p.m+10*p.k*p.n))
		c.Parameters, c.Trials = ofPlain(p.m, p.k, p.n), len(all)
		c.Where = `section Basic: after all inserts, "the probability that a certain bit is 1 is"`
		c.Quantity, c.Published = "bits that are 1, as a multiple of the formula",
			claim.Rounded(1, 0.01)
		c.Interval = multiple(mean(all, fillOf), 1-stillZero(m, k*n))
		claims = append(claims, c)

		c.Where = `section Basic: "the probability of a Bloom error is"`
		c.Quantity, c.Published = "rate, as a multiple of the formula", claim.Rounded(1, 0.02)
		now := expected.RateOfBits(n, m, p.k)
		c.Theory = claim.By("Bose et al.", now/classical(m, k, n))
		c.Interval = multiple(mean(all, rateOf), classical(m, k, n))
		c.Why = fmt.Sprintf("the mean of a k-th power is more than the power of the mean: "+
			"%s, not %s",
			quantity.Percent(now),
			quantity.Percent(classical(m, k, n)))
		claims = append(claims, c)

		missing := 0
		for i := range all {
			missing += all[i].missing
		}
		c.Where = `section Basic: "if any of these bits is 0 the Bloom filter reports" a non-member`
		c.Quantity, c.Published, c.Unit = "members that are not found", none(), claim.Share
		c.Theory, c.Interval = claim.By(exact, 0), claim.Proportion(missing, p.n*len(all))
		c.Why = "no bit of a member is 0"
		claims = append(claims, c)
	}
	return claims, nil
}

// optimumOfBasic is the best k, and the bits that a rate takes.
func optimumOfBasic(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, best = 1000,
		`section Basic: "the optimal value" of k "that minimizes this probability is"`
	rates := chart.New("", "hashes, k", "rate of false positives")
	times := number(run, 300, 60)
	var optima plotter.XYs
	for series, each := range []int{6, 8, 12, 16} {
		m := each * n
		optimum := bestHashes(float64(m), n)
		var marks, line plotter.XYs
		found := map[int]claim.Interval{}
		for k := 1; k <= 16; k++ {
			found[k] = mean(fill(run, m, k, n, times), rateOf)
			claims = append(claims, claim.Claim{
				Item: "basic: the best k", Where: "section Basic", Parameters: ofPlain(m, k, n),
				Quantity: "rate of false positives",
				Unit:     claim.Share,
				Theory:   claim.By(exact, expected.RateOfBits(n, float64(m), k)),
				Interval: found[k], Trials: times,
				Reading: claim.Literal, Point: true,
			})
			marks = append(marks, plotter.XY{X: float64(k), Y: *found[k].Measured})
		}
		for k := 1.0; k <= 16; k += 0.25 {
			line = append(line, plotter.XY{X: k, Y: classical(float64(m), k, n)})
		}
		name := fmt.Sprintf("m/n = %d", each)
		beside(rates, name, series, line, marks)
		optima = append(optima, plotter.XY{X: optimum, Y: classical(float64(m), optimum, n)})

		whole := int(math.Round(optimum))
		c := claim.Claim{
			Item: "basic: the best k", Where: best,
			Unit: claim.Share, Trials: times, Reading: claim.Literal,
			Published: claim.Trend(claim.Lower),
			Why:       "another number of hashes is better",
		}
		for _, other := range []int{whole - 2, whole + 2} {
			c.Parameters = ofPlain(m, whole, n)
			c.Parameters["other"] = other
			c.Quantity = "rate with m/n ln 2 hashes, rounded, less that with another number"
			c.Theory = claim.By(restored,
				classical(float64(m), float64(whole), n)-classical(float64(m), float64(other), n))
			c.Interval = found[whole].Less(found[other])
			claims = append(claims, c)
		}
		c.Where = `section Basic: for the optimal k "we have", "hence"`
		c.Parameters, c.Unit = ofPlain(m, whole, n), claim.Share
		c.Theory = claim.By(exact, 1-stillZero(float64(m), float64(whole*n)))
		c.Quantity, c.Published = "bits that are set", claim.Rounded(0.5, 0.04)
		c.Interval = mean(fill(run, m, whole, n, times), fillOf)
		c.Why = fmt.Sprintf("k is %.2f, and a whole number of hashes sets another part", optimum)
		claims = append(claims, c)
		c.Quantity, c.Published, c.Unit = "rate, as a multiple of 2^(-m/n ln 2)",
			claim.About(1), claim.Number
		c.Theory = claim.By(restored, classical(float64(m), float64(whole), n)/math.Exp2(-optimum))
		c.Interval = multiple(found[whole], math.Exp2(-optimum))
		claims = append(claims, c)
	}
	rates.Add("m/n ln 2", optima, chart.Marks(7))
	chart.Logarithmic(quantity.Percent, &rates.Y)
	rates.X.Tick.Marker = chart.Ticks(quantity.Number, 1, 4, 8, 12, 16)

	for _, rounding := range []struct {
		name string
		of   func(float64) float64
	}{{"rounded", math.Round}, {"rounded down", math.Floor}, {"rounded up", math.Ceil}} {
		worst, at := 1.0, 0
		for each := 4; each <= 24; each++ {
			rate := func(k int) float64 { return expected.RateOfBits(n, float64(each*n), k) }
			least := rate(1)
			for k := 2; k <= 20; k++ {
				least = min(least, rate(k))
			}
			if loss := rate(int(rounding.of(bestHashes(float64(each), 1)))) / least; loss > worst {
				worst, at = loss, each
			}
		}
		claims = append(claims, claim.Claim{
			Item: "basic: the best k", Where: best,
			Parameters: map[string]any{"n": n}, Unit: claim.Number,
			Quantity: "rate, as a multiple of that with the best whole k, at worst with m/n " +
				"from 4 to 24",
			Published: claim.Rounded(1, 0.02), Interval: claim.Exact(worst),
			Reading: rounding.name,
			Why: fmt.Sprintf("k is a whole number: with m/n = %d the formula gives %.2f", at,
				bestHashes(float64(at), 1)),
		})
	}

	for _, rate := range []float64{0.1, 0.01, 0.001} {
		f := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
		m, k := f.Shape().Bits, f.Shape().Hashes
		c := claim.Claim{
			Item: "basic: bits for a rate",
			Where: `section Basic: "for a desired FP probability we can ` +
				`compute the number of required bits"`,
			Parameters: map[string]any{"n": n, "rate": rate}, Unit: claim.Number,
			Reading:   claim.Literal,
			Published: claim.Rounded(1, 0.04),
		}
		c.Quantity, c.Interval = "fewest bits with a whole k, as a multiple of the formula",
			claim.Exact(float64(m)/n/optimalBits(rate))
		c.Why = fmt.Sprintf("k is whole: %d, not %.2f", k, -math.Log2(rate))
		claims = append(claims, c)
		all := fill(run, m, k, n, times)
		c.Where =
			`section Terminology: a capacity "until a given" probability "can no longer be guaranteed"`
		c.Quantity, c.Trials = "rate with as many keys as the capacity, as a multiple of what "+
			"is given", times
		c.Interval = multiple(mean(all, rateOf), rate)
		c.Why = "the capacity is that of the formula"
		claims = append(claims, c)
		c.Quantity, c.Published = "the same with a tenth more keys, less 1",
			claim.Trend(claim.Higher)
		c.Theory = claim.By(restored, classical(float64(m), float64(k), 1.1*n)/rate-1)
		c.Interval = multiple(mean(fill(run, m, k, n+n/10, times), rateOf),
			rate).Less(claim.Exact(1))
		claims = append(claims, c)
	}
	return claims, []claim.Figure{{Name: "best", Picture: &chart.Picture{
		Title: "The basic filter's rate by its hashes (n = 1000): marks simulated, lines by the " +
			"formula",
		Panels: []*chart.Panel{rates}, Columns: 1, Width: 420, Height: 280,
	}}}
}
