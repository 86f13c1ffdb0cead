package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// applied is the introduction, with its applications, and named is the filters that the end of the
// article names.
var (
	applied = []claim.Part{blocklist, digests}
	named   = []claim.Part{compressed, others}
)

// blocklist is the check of URLs in two stages: a filter beside the browser, and a server that has
// the list.
func blocklist(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, visits = 1000, 20_000
	panel := chart.New("", "rate of the filter", "visits with a round trip")
	for series, bad := range []float64{0.01, 0.001, 0.0001} { // part of the visits
		var marks, line plotter.XYs
		for rate := 1e-5; rate < 0.2; rate *= 1.5 {
			line = append(line, plotter.XY{X: rate, Y: bad + (1-bad)*rate})
		}
		for _, rate := range []float64{0.1, 0.01, 0.001, 0.0001} {
			type result struct{ trips, needless, wrong int }
			results := trials.Each(run, fmt.Sprint("blocklist ", bad, rate), number(run, 200, 20),
				func(rng *rand.Rand) (r result) {
					f, listed := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret})),
						make([]uint64, n)
					server := map[uint64]bool{}
					for i := range listed {
						listed[i] = rng.Uint64()
						server[listed[i]] = true
						must(f.InsertHash(listed[i]))
					}
					for range visits {
						url := rng.Uint64()
						if rng.Float64() < bad {
							url = listed[rng.IntN(n)]
						}
						blocked := false
						if f.QueryHash(url) {
							r.trips++
							if blocked = server[url]; !blocked {
								r.needless++
							}
						}
						if blocked != server[url] {
							r.wrong++
						}
					}
					return r
				})
			trips, needless, wrong := 0, 0, 0
			for _, r := range results {
				trips, needless, wrong = trips+r.trips, needless+r.needless, wrong+r.wrong
			}
			c := claim.Claim{
				Item:       "introduction: a blocklist",
				Parameters: map[string]any{"listed": bad, "rate": rate},
				Unit:       claim.Share,
				Trials:     len(results), Reading: claim.Literal,
			}
			c.Where, c.Quantity, c.Point = "Introduction: Chrome's list of URLs",
				"visits with a round trip", true
			c.Theory = claim.By(meanField, bad+(1-bad)*rate)
			c.Interval = claim.Proportion(trips, visits*len(results))
			claims = append(claims, c)
			marks = append(marks, plotter.XY{X: rate, Y: *c.Measured})
			if rate != 0.01 {
				continue
			}
			c.Point = false
			c.Where =
				`Introduction: "all checks are performed locally, but when the user surfs to a ` +
					`malicious URL, an extra round trip"`
			c.Quantity, c.Published = "round trips for URLs that are not listed", none()
			c.Theory = claim.By(meanField, (1-bad)*rate/(bad+(1-bad)*rate))
			c.Interval = claim.Proportion(needless, trips)
			c.Why = "the browser asks the server about false positives too: if few visits are to " +
				"listed URLs, it asks mostly about these"
			claims = append(claims, c)
			c.Where =
				`Introduction: the server is asked "to confirm that the URL is indeed malicious"`
			c.Quantity, c.Theory = "visits that are blocked or not by mistake", claim.By(exact, 0)
			c.Interval, c.Why = claim.Proportion(wrong, visits*len(results)),
				"the filter has no false negatives, and the server no false positives"
			claims = append(claims, c)
		}
		name := fmt.Sprintf("%s of the visits listed", quantity.Percent(bad))
		beside(panel, name, series, line, marks)
	}
	chart.Logarithmic(quantity.Percent, &panel.X)
	chart.Logarithmic(quantity.Percent, &panel.Y)
	for _, item := range []struct {
		name string
		bits float64
	}{{"a list of 64-bit hashes", 64}, {"a list of URLs of 40 bytes", 320}} {
		claims = append(claims, claim.Claim{
			Item:       "introduction: space",
			Where:      `Introduction: "the huge space savings often outweigh"`,
			Parameters: map[string]any{"rate": 0.01}, Unit: claim.Number,
			Published: claim.Trend(claim.Lower),
			Reading:   item.name,
			Quantity:  "bits per key, less those of an exact list",
			Interval:  claim.Exact(optimalBits(0.01) - item.bits),
		})
	}
	return claims, []claim.Figure{{Name: "blocklist", Picture: &chart.Picture{
		Title:  "A blocklist in two stages: marks simulated, lines expected",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
}

// digests is what a proxy knows of another one's cache: a digest that is exchanged now and then,
// and a counting filter that is told of all that comes and goes.
func digests(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, rate = 1000, 0.05
	ages := []float64{0, 0.1, 0.25, 0.5, 0.75, 1}
	type result struct{ missed, false [6]float64 }
	results := trials.Each(run, "digests", number(run, 200, 20), func(rng *rand.Rand) (r result) {
		digest := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
		current := must(counting.New(counting.Config{Members: n, Rate: rate, Key: secret}))
		objects := make([]uint64, 2*n) // of which n at a time are cached, the oldest goes
		for i := range objects {
			objects[i] = rng.Uint64()
		}
		for _, object := range objects[:n] {
			must(digest.InsertHash(object))
			must(current.InsertHash(object))
		}
		replaced := 0
		for i, age := range ages {
			for ; replaced < int(age*n); replaced++ {
				current.DeleteHash(objects[replaced])
				must(current.InsertHash(objects[n+replaced]))
			}
			cached := objects[replaced : replaced+n]
			r.missed[i] = 1 - float64(digest.QueryHashBatch(cached, nil))/n
			r.false[i] = 1 - float64(current.QueryHashBatch(cached, nil))/n
		}
		return r
	})
	panel := chart.New("", "objects replaced since the exchange",
		"cached objects that the digest lacks")
	var marks, line, lacking plotter.XYs
	c := claim.Claim{
		Item:  "introduction: cache digests",
		Where: `Introduction: digests "to periodically exchange the ` + `objects they contain"`,
		Unit:  claim.Share, Trials: len(results), Reading: claim.Literal,
	}
	for i, age := range ages {
		c.Parameters = map[string]any{"n": n, "rate": rate, "replaced": age}
		c.Quantity, c.Point, c.Published = "cached objects that the digest lacks", true,
			claim.Published{}
		c.Theory = claim.By(meanField, age*(1-rate))
		c.Interval = mean(results, func(r *result) float64 { return r.missed[i] })
		claims = append(claims, c)
		marks = append(marks, plotter.XY{X: age, Y: *c.Measured})
		line = append(line, plotter.XY{X: age, Y: *c.Expected})
		c.Quantity, c.Theory = "cached objects that a counting filter lacks that follows",
			claim.By(exact, 0)
		c.Interval = mean(results, func(r *result) float64 { return r.false[i] })
		lacking = append(lacking, plotter.XY{X: age, Y: *c.Measured})
		if c.Point = i < len(ages)-1; !c.Point {
			c.Published, c.Why = none(), "no member is lost under deletes of members"
		}
		claims = append(claims, c)
	}
	beside(panel, "a digest that was exchanged", 0, line, marks)
	panel.Add("a counting filter that follows", lacking, chart.Marked(1))
	panel.Y.Min, panel.Y.Max = 0, 1
	panel.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0, 0.2, 0.4, 0.6, 0.8, 1)
	panel.X.Tick.Marker = panel.Y.Tick.Marker
	return claims, []claim.Figure{{Name: "digests", Picture: &chart.Picture{
		Title:  "What a cache digest lacks (n = 1000, rate 5 %): marks simulated, lines expected",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 260,
	}}}
}

// entropy is that of a bit that is 1 with a probability.
func entropy(p float64) float64 { return -(p*math.Log2(p) + (1-p)*math.Log2(1-p)) }

// compressed is filters that are sent: the best k leaves nothing to compress, and fewer hashes do
// (Mitzenmacher, "Compressed Bloom Filters", 2001).
func compressed(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, rate = 1000, 0.01
	panel := chart.New("", "hashes, k", "bits per key")
	var sent, memory, line plotter.XYs
	best := optimalBits(rate)
	for k := 1; k <= 10; k++ {
		part := math.Pow(rate, 1/float64(k))      // of the bits that are set
		perKey := -float64(k) / math.Log1p(-part) // in memory
		m := int(math.Round(perKey * n))
		all := fill(run, m, k, n, number(run, 200, 20))
		c := claim.Claim{
			Item:       "other filters: compressed",
			Where:      `section libbf: "Bloom filters can also be compressed"`,
			Parameters: map[string]any{"m": m, "k": k, "n": n}, Unit: claim.Number,
			Trials:   len(all),
			Reading:  claim.Literal,
			Quantity: "bits per key to send, with an ideal code, at a rate of 1 %", Point: true,
			Theory: claim.By(meanField, perKey*entropy(part)),
			Interval: mean(all,
				func(r *filled) float64 { return float64(m) / n * entropy(r.fill) }),
		}
		claims = append(claims, c)
		sent = append(sent, plotter.XY{X: float64(k), Y: *c.Measured})
		line = append(line, plotter.XY{X: float64(k), Y: *c.Expected})
		memory = append(memory, plotter.XY{X: float64(k), Y: perKey})
		if k == 7 || k == 2 {
			c.Point, c.Published = false, claim.Trend(claim.Lower)
			c.Quantity, c.Reading = "bits per key to send, less 99 % of those of the best filter",
				fmt.Sprintf("k = %d", k)
			c.Theory = claim.By(meanField, perKey*entropy(part)-0.99*best)
			c.Interval = c.Interval.Map(func(v float64) float64 { return v - 0.99*best })
			c.Why = fmt.Sprintf("with the best k half of the bits are set, and their entropy is "+
				"a bit each; fewer hashes and more bits in memory, "+
				"%.1f per key with k = 2, have less", -2/math.Log1p(-math.Sqrt(rate)))
			claims = append(claims, c)
		}
	}
	beside(panel, "to send, compressed", 0, line, sent)
	panel.Add("in memory", memory, chart.Expected(1))
	chart.Logarithmic(quantity.Number, &panel.Y)
	panel.X.Tick.Marker = chart.Ticks(quantity.Number, 1, 2, 4, 6, 8, 10)
	return claims, []claim.Figure{{Name: "compressed", Picture: &chart.Picture{
		Title:  "Filters of a rate of 1 % that are compressed: marks simulated, lines expected",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 260,
	}}}
}

// others is what else the article names.
func others(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n = 100_000
	for _, rate := range []float64{0.1, 0.01, 0.001, 0.0001} {
		alternative := must(cuckoo.New(cuckoo.Config{Members: n, Rate: rate, Key: secret}))
		basic := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
		perKey := [2]float64{8 * float64(alternative.State().Bytes) / n,
			float64(basic.Shape().Bits) / n}
		claims = append(claims, claim.Claim{
			Item: "other filters: named", Where: `section libbf: "cuckoo hashing is a related ` +
				`space-efficient alternative"`,
			Parameters: map[string]any{"n": n, "rate": rate}, Unit: claim.Number,
			Published: claim.Trend(claim.Lower),
			Quantity:  "bits per key of a cuckoo filter, less those of a basic one",
			Interval:  claim.Exact(perKey[0] - perKey[1]),
			Reading:   claim.Literal,
			Why: fmt.Sprintf(
				"%.2f and %.2f bits per key: a fingerprint has log2(1/rate) bits and three more, "+
					"some slots stay empty, and a Bloom filter needs 1.44 log2(1/rate)",
				perKey[0],
				perKey[1],
			),
		})
	}
	for _, other := range []string{"dynamic and scalable filters", "distance-sensitive filters",
		"Bloomier filters", "Golomb compressed sets"} {
		claims = append(claims, claim.Claim{
			Item: "other filters: named", Where: "section libbf: " + other, Quantity: other,
			Unit: claim.Number, Reading: claim.Literal,
			Why: "the article names them, and has no number and no order of them",
		})
	}
	return claims, nil
}
