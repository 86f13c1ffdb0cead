package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// theorems is section 4.
var theorems = []claim.Part{lemma41, equations, theorem41}

// lemma returns the M of Lemma 4.1, and how many times b the bound (a/M)^M is there, as a
// logarithm.
func lemma(a, lnb float64) (m, over float64) {
	l := -lnb / 2
	m = a * l / math.Log(l)
	return m, m*math.Log(a/m) - lnb
}

// lemma41 is that a > 4 is enough for (a/M)^M <= b, and how small a may be.
func lemma41(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	worst := func(a float64) float64 { // over all b below 1/9
		highest := math.Inf(-1)
		for lnb := -math.Log(9) - 1e-9; lnb > -600; lnb *= 1.001 {
			_, over := lemma(a, lnb)
			highest = max(highest, over/-lnb)
		}
		return highest
	}
	c := claim.Claim{
		Item:  "Lemma 4.1",
		Where: `Lemma 4.1: for all b in (0, 1/9), a > 4, M >= ...: (a/M)^M <= b`,
		Unit:  claim.Number, Reading: claim.Literal,
		Quantity:  "log of (a/M)^M by b, in parts of -log b, at worst",
		Published: claim.Trend(claim.Lower),
	}
	for _, a := range []float64{4.000001, 5.5, 20} {
		c.Parameters, c.Interval = map[string]any{"a": a}, claim.Exact(worst(a))
		c.Why = "the bound is above b"
		claims = append(claims, c)
	}
	low, high := 0.1, 4.0
	for high-low > 1e-9 {
		if a := (low + high) / 2; worst(a) <= 0 {
			high = a
		} else {
			low = a
		}
	}
	c.Parameters, c.Quantity, c.Published = nil, "least a with which it holds", claim.Published{}
	c.Theory, c.Interval = claim.By(exact, 2/(1-1/math.E)), claim.Exact(high)
	c.Of = "1 - ln ln x / ln x is 1 - 1/e or more"
	claims = append(claims, c)

	// The a of Table 1, with the bits that the threshold lets be set.
	m := math.Exp2(logBits)
	a, lnb := math.E*perBit(threshold), -2*math.Log(m)
	c.Where = "section 4.2: \"applying Lemma 4.1, where a = enk/m\", with Table 1"
	c.Parameters = map[string]any{"m": m, "k": hashes, "set": threshold}
	c.Quantity, c.Theory, c.Interval = "a, less 4", claim.Theory{}, claim.Exact(a-4)
	c.Published = claim.Trend(claim.Higher)
	c.Why = fmt.Sprintf(
		"with %g of the bits set there are %.4f fingerprints per bit: a = %.2g, and the lemma "+
			"does not apply",
		threshold,
		perBit(threshold),
		a,
	)
	claims = append(claims, c)
	at, over := lemma(a, lnb)
	c.Quantity, c.Published, c.Interval = "log of (a/M)^M by b, in parts of -log b",
		claim.Trend(claim.Lower), claim.Exact(over/-lnb)
	c.Why = fmt.Sprintf("M = %.3g, and (a/M)^M is %.2g, where b is %.2g", at, math.Exp(over+lnb),
		math.Exp(lnb))
	return append(claims, c), nil
}

// equations are those of sections 4.2 and 4.3 that are misprinted, each as printed and corrected.
func equations(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	both := func(c claim.Claim, printed, right float64) {
		c.Unit = claim.Number
		c.Reading, c.Interval = asPrinted, claim.Exact(printed)
		claims = append(claims, c)
		c.Reading, c.Interval = corrected, claim.Exact(right)
		claims = append(claims, c)
	}
	const m, load = 1 << logBits, 2.0 // fingerprints per bit, so that the lemma applies
	at, _ := lemma(math.E*load, -2*math.Log(m))
	// of m base/M^M, by 1/m
	bound := func(base float64) float64 { return 2*math.Log(m) + at*math.Log(base/at) }
	both(claim.Claim{
		Item: "section 4.2: misprints", Where: "equation 3: m (enk/M)^M <= ε",
		Parameters: map[string]any{"m": m, "kn/m": load}, Quantity: "log of the bound by ε",
		Published: claim.Trend(
			claim.Lower,
		), Why: "the m below nk is left out, in equation 2 too: it is (enk/(mM))^M",
	}, bound(math.E*load*m), bound(math.E*load))

	for _, rate := range []float64{0.01, 0.00032} {
		c := claim.Claim{
			Item: "section 4.3: misprints", Where: "section 4.3: k = -log2(1/δ)",
			Parameters: map[string]any{"rate": rate},
			Quantity:   "hashes, as a multiple of the best number",
			Published:  claim.Rounded(1, 0.02),
			Why:        fmt.Sprintf("k would be %.3g: the sign is misprinted", math.Log2(rate)),
		}
		// The best number for the bits of section 4.1, found without the formula.
		each, best := math.Log2E*math.Log2(1/rate), 0.1
		of := func(k float64) float64 { return k * math.Log(-math.Expm1(-k/each)) }
		for k := best; k < 60; k += 0.001 {
			if of(k) < of(best) {
				best = k
			}
		}
		both(c, math.Log2(rate)/best, -math.Log2(rate)/best)
		bits := func(sign float64) float64 {
			return sign * hashes /
				math.Log1p(-math.Pow(rate, 1./hashes))
		}
		// The fewest bits per key with which (1 - e^(-kn/m))^k is the rate, found without the
		// formula.
		low, high := 1.0, 1000.0
		for range 60 {
			if each := (low + high) / 2; math.Pow(-math.Expm1(-hashes/each), hashes) > rate {
				low = each
			} else {
				high = each
			}
		}
		c.Where = "section 4.3: m = kn / ln(1 - δ^(1/k))"
		c.Parameters = map[string]any{"rate": rate, "k": hashes}
		c.Quantity = "bits, as a multiple of the fewest that have the rate"
		c.Why = fmt.Sprintf("m would be %.4g bits per key: the sign is misprinted", bits(1))
		both(c, bits(1)/high, bits(-1)/high)
	}
	claims = append(claims, claim.Claim{
		Item: "section 4.3", Where: `section 4.3: with w = 32 the filter "can be up to 512MB"`,
		Unit:     claim.Number,
		Quantity: "MiB of 2^w bits", Published: claim.Rounded(512, 1),
		Interval: claim.Exact(math.Exp2(32) / 8 / (1 << 20)),
		Reading:  claim.Literal,
	})
	return claims, nil
}

// loads throws fingerprints into buckets, and returns how many buckets have how many.
func loads(rng *rand.Rand, m, fingerprints int) (buckets [64]int) {
	each := make([]uint8, m)
	for range fingerprints {
		each[rng.IntN(m)]++
	}
	for _, n := range each {
		buckets[n]++
	}
	return buckets
}

// theorem41 is the size of buckets that Theorem 4.1 and section 4.3 have, and whether they
// overflow.
func theorem41(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	panel := chart.New("", "slots of a bucket", "filters with a bucket that overflows")
	for series, p := range []struct {
		log  int
		load float64 // fingerprints per bit
		full int     // trials
	}{{10, perBit(threshold), 20_000}, {logBits, perBit(threshold), 4000}, {10, 2, 20_000}} {
		m := 1 << p.log
		thrown := int(math.Round(p.load * float64(m)))
		throws := float64(thrown)
		all := trials.Each(run, fmt.Sprint("theorem 4.1 ", p.log, p.load),
			number(run, p.full, p.full/10),
			func(rng *rand.Rand) [64]int { return loads(rng, m, thrown) })
		atLeast := func(all *[64]int, j int) (n float64) {
			for _, of := range all[j:] {
				n += float64(of)
			}
			return n
		}
		d, _ := lemma(math.E*throws/float64(m), -2*math.Log(float64(m)))
		whole := int(math.Ceil(d)) // the fingerprints that no bucket is to get
		overflow := func(j int) (hits int) {
			for i := range all {
				if atLeast(&all[i], j) > 0 {
					hits++
				}
			}
			return hits
		}
		some := func(j int) float64 {
			return -math.Expm1(float64(m) * math.Log1p(-tail(j, throws, 1/float64(m))))
		}
		c := claim.Claim{
			Item:       "Theorem 4.1",
			Parameters: map[string]any{"m": m, "kn/m": math.Round(p.load*1e4) / 1e4},
			Unit:       claim.Number, Reading: claim.Literal, Trials: len(all),
		}
		if p.log == logBits {
			c.Where, c.Quantity = "section 4.3: the bucket size D, with ε = 1/m and Table 1", "D"
			c.Interval = claim.Exact(d)
			claims = append(claims, c)
			c.Where =
				`section 4.2: at least D fingerprints in a bucket with a probability of "at most" ε`
			c.Quantity, c.Published = "buckets with D or more", none()
			c.Theory = claim.By(exact, float64(m)*tail(whole, throws, 1/float64(m)))
			c.Interval = mean(all, func(r *[64]int) float64 { return atLeast(r, whole) })
			c.Why = fmt.Sprintf("a = %.2g, and the lemma needs a > 4: D = %.2g is too small",
				math.E*p.load, d)
			claims = append(claims, c)
		}
		c.Unit = claim.Share
		c.Where =
			`Theorem 4.1: "the probability of not triggering expansion is at least 1 - ε", ε = 1/m`
		c.Quantity, c.Published = "filters that expand for a bucket with D or more",
			upTo(1/float64(m))
		c.Theory, c.Interval = claim.By(meanField, some(whole)),
			claim.Proportion(overflow(whole), len(all))
		c.Why = fmt.Sprintf("a = %.2g, and the lemma needs a > 4: D = %.2g is too small",
			math.E*p.load, d)
		claims = append(claims, c)

		need := 1
		for some(need+1) > 1/float64(m) {
			need++
		}
		c.Unit, c.Trials, c.Published, c.Theory = claim.Number, 0, claim.Published{}, claim.Theory{}
		c.Quantity, c.Interval = "least slots with which ε holds, by the binomial",
			claim.Exact(float64(need))
		claims = append(claims, c)
		if p.log == logBits {
			c.Where, c.Quantity = "Table 1: buckets of 8",
				"slots of Table 1, less the least with which ε holds"
			c.Published, c.Interval = claim.Trend(claim.Higher), claim.Exact(float64(bucket-need))
			c.Why = "they are too few"
			claims = append(claims, c)
		}
		var marks, line plotter.XYs
		for slots := 1; slots <= 12; slots++ {
			if theory := some(slots + 1); theory > 1e-4 {
				line = append(line, plotter.XY{X: float64(slots), Y: theory})
			}
			hits := overflow(slots + 1)
			claims = append(claims, claim.Claim{
				Item: "Theorem 4.1", Where: "section 4.2", Unit: claim.Share,
				Reading: claim.Literal,
				Parameters: map[string]any{
					"m":     m,
					"kn/m":  p.load,
					"slots": slots,
				}, Quantity: "filters with a bucket that overflows",
				Theory:   claim.By(meanField, some(slots+1)),
				Interval: claim.Proportion(hits, len(all)),
				Trials:   len(all), Point: true,
			})
			if hits > 0 {
				marks = append(marks,
					plotter.XY{X: float64(slots), Y: float64(hits) / float64(len(all))})
			}
		}
		name := fmt.Sprintf("m = 2^%d, kn/m = %.3g", p.log, p.load)
		panel.Add(name, line, chart.Expected(series))
		panel.Add(name, marks, chart.Marks(series))
	}
	chart.Logarithmic(quantity.Percent, &panel.Y)
	return claims, []claim.Figure{{Name: "overflows", Picture: &chart.Picture{
		Title:  "Buckets that overflow: marks simulated, lines by the binomial",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
}
