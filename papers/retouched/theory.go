package retouched

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/retouched"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// rate is Eq. (5): the rate of false positives of n elements.
func rate(m, n, k int) float64 {
	return math.Pow(-math.Expm1(float64(k*n)*math.Log1p(-1/float64(m))), float64(k))
}

// standards is what section II says of Bloom filters.
func (g *grid) standards(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	c := claim.Claim{
		Item: "section II: Bloom filters", Unit: claim.Share, Reading: claim.Literal,
		Parameters: map[string]any{"m": bits, "n": members, "k": hashes},
	}
	add := func(where, quantity string, p claim.Published, i claim.Interval, t claim.Theory) {
		c.Where, c.Quantity, c.Published, c.Interval, c.Theory = where, quantity, p, i, t
		claims = append(claims, c)
	}
	eq5 := rate(bits, members, hashes)
	add(`section IV-C: "0.0094 when estimated with eqn. 5"`, "rate, by Eq. (5)", claim.Rounded(0.0094,
		0.0001),
		claim.Exact(eq5), claim.Theory{})
	var rates []float64
	for _, results := range g {
		rates = append(rates, trials.Column(results, func(t *trial) float64 {
			return t.positives /
				(universe - members)
		})...)
	}
	c.Trials = len(rates)
	add("Eqs. (1) and (5)", "false-positive proportion", claim.Rounded(0.0094, 0.0001), claim.Mean(rates),
		claim.By("Eq. (5)", eq5))
	c.Trials, c.Unit = 0, claim.Number
	best := bits * math.Ln2 / members
	c.Parameters = map[string]any{"m": bits, "n": members}
	add("Eq. (7)", "the m/n-th root of the least rate", claim.Rounded(0.6185, 0.0001),
		claim.Exact(math.Pow(0.5, math.Ln2)), claim.Theory{})
	lowest := 1
	for k := 2; k <= 20; k++ {
		if rate(bits, members, k) < rate(bits, members, lowest) {
			lowest = k
		}
	}
	add("Eq. (6)", "k of the lowest rate, of whole k", claim.Rounded(best, 1),
		claim.Exact(float64(lowest)), claim.Theory{})
	c.Unit = claim.Share
	add(`section II: with a whole k the rate is "somewhat higher than the optimal value"`,
		"rate at the nearest whole k, less Eq. (7)", claim.Trend(claim.Higher),
		claim.Exact(rate(bits, members, int(math.Round(best)))-math.Pow(0.6185,
			bits/members)), claim.Theory{})

	var points []claim.Claim
	picture := &chart.Picture{
		Title:   "Figure 3: the rate of false positives; lines are Eq. (5), marks simulated",
		Columns: 3, Width: 250, Height: 220,
	}
	for _, axis := range []struct {
		name, where string
		values      []int
		at          func(v int) (m, n, k int)
		increasing  bool
		ticks       []float64
	}{
		{"m", `figure 3: "f_P is a decreasing function of m"`, []int{40_000, 60_000, 80_000, 100_000,
			130_000, 160_000, 200_000},
			func(v int) (m, n, k int) { return v, members, hashes }, false, []float64{50_000, 100_000,
				150_000, 200_000}},
		{"n", `figure 3: "and an increasing function of n"`, []int{2000, 4000, 7000, 10_000, 14_000,
			18_000, 22_000},
			func(v int) (m, n, k int) { return bits, v, hashes }, true, []float64{5000, 10_000, 15_000,
				20_000}},
		{"k", `figure 3: with k "f_P first decreases, reaches a minimum and then increases"`, []int{1, 2,
			3, 4, 5, 7, 10, 14, 20},
			func(v int) (m, n, k int) { return bits, members, v }, false, []float64{1, 5, 10, 15, 20}},
	} {
		panel := chart.New("", axis.name, "rate of false positives")
		panel.X.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Count(int(v)) },
			axis.ticks...)
		var line, marks plotter.XYs
		for _, v := range axis.values {
			m, n, k := axis.at(v)
			found := claim.Mean(trials.Each(run, fmt.Sprint("figure 3 ", axis.name, v), 4,
				func(rng *rand.Rand) float64 {
					set, ones := make([]bool, m), 0
					for range k * n {
						if p := rng.IntN(m); !set[p] {
							set[p] = true
							ones++
						}
					}
					return math.Pow(float64(ones)/float64(m), float64(k))
				}))
			line = append(line, plotter.XY{X: float64(v), Y: rate(m, n, k)})
			marks = append(marks, plotter.XY{X: float64(v), Y: *found.Measured})
			points = append(points, claim.Claim{
				Item: "figure 3: points", Where: "figure 3", Parameters: map[string]any{"m": m, "n": n,
					"k": k},
				Quantity: "rate of false positives", Unit: claim.Share, Interval: found,
				Theory: claim.By("Eq. (5)", rate(m, n, k)), Trials: 4, Reading: claim.Literal, Point: true,
			})
		}
		panel.Add("Eq. (5)", line, chart.Expected(0))
		panel.Add("simulated", marks, chart.Marks(0))
		chart.Logarithmic(quantity.Percent, &panel.Y)
		picture.Panels = append(picture.Panels, panel)

		c.Parameters = map[string]any{"over": axis.name}
		step := func(i int) float64 { return math.Log(line[i+1].Y / line[i].Y) }
		if axis.name == "k" {
			add(axis.where, "log of the rate's first step", claim.Trend(claim.Lower), claim.Exact(step(0)),
				claim.Theory{})
			add(axis.where, "log of the rate's last step", claim.Trend(claim.Higher),
				claim.Exact(step(len(line)-2)), claim.Theory{})
			continue
		}
		direction, extreme := claim.Lower, math.Inf(-1)
		if axis.increasing {
			direction, extreme = claim.Higher, math.Inf(1)
		}
		for i := range len(line) - 1 {
			if axis.increasing == (step(i) < extreme) {
				extreme = step(i)
			}
		}
		c.Unit = claim.Number
		add(axis.where, "log of the rate's step, of all the least clear one", claim.Trend(direction),
			claim.Exact(extreme), claim.Theory{})
	}
	return append(claims, points...), []claim.Figure{{Name: "figure3", Picture: picture}}
}

// randomized is what section III-B says of clearing bits at random.
func randomized(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const number = runs
	shares := []float64{0.01, 0.05, 0.1, 0.25}
	type change struct{ positives, negatives, both, sum, fewer float64 }
	results := trials.Each(run, "randomized", number, func(rng *rand.Rand) (all [4]change) {
		at := newScene(rng, bits, members, universe)
		before := float64(len(at.positives))
		for i, share := range shares {
			o, _ := at.apply(retouched.Config{
				Algorithm: retouched.Randomized, Members: source(at.members),
				Bits: int(math.Round(share * float64(at.Stats().Ones))), Seed: rng.Uint64(),
			})
			removed, lost := o.removed, o.lost
			c := &all[i]
			c.positives, c.negatives = removed/before, lost/members
			c.both = 1 - c.positives + c.negatives
			c.sum = ((before-removed)/(universe-members) + c.negatives) / (before / (universe - members))
			c.fewer = removed - lost
		}
		return all
	})
	for i, share := range shares {
		of := func(number func(c *change) float64) claim.Interval {
			return claim.Mean(trials.Column(results, func(all *[4]change) float64 { return number(&all[i]) }))
		}
		positives := of(func(c *change) float64 { return c.positives })
		negatives := of(func(c *change) float64 { return c.negatives })
		eq16 := 1 - math.Pow(1-share, hashes)
		c := claim.Claim{
			Item: "section III-B: random clearing", Parameters: map[string]any{"s/(p1 m)": percent(share)},
			Unit: claim.Share, Trials: number, Reading: claim.Literal,
		}
		add := func(where, quantity string, p claim.Published, i claim.Interval, t claim.Theory) {
			c.Where, c.Quantity, c.Published, c.Interval, c.Theory = where, quantity, p, i, t
			claims = append(claims, c)
		}
		within := claim.Published{Value: &eq16, Least: new(0.99 * eq16), Most: new(1.01 * eq16)}
		add("Eq. (16), within 1 %", "false positives removed", within, positives, claim.By("Eq. (16)", eq16))
		add("Eq. (16), within 1 %", "false negatives made", within, negatives, claim.By("Eq. (16)", eq16))
		c.Unit = claim.Number
		ratio := claim.Ratio(trials.Column(results, func(all *[4]change) float64 { return all[i].positives }),
			trials.Column(results, func(all *[4]change) float64 { return all[i].negatives }))
		add(`section III-B: "maintaining the ratio χ equal to 1", within 1 %`, "χ", claim.Rounded(1, 0.02),
			ratio,
			claim.By("Eqs. (14) and (15)", 1))
		add(`section III-B: "eliminate many more false positives than the number of false negatives `+
			`generated"`,
			"false positives removed, less members lost", claim.Trend(claim.Higher),
			of(func(c *change) float64 { return c.fewer }),
			claim.By("Eq. (16)", eq16*((universe-members)*rate(bits, members, hashes)-members)))
		if share != 0.1 {
			continue
		}
		where := `abstract: an overall error rate, "a combination", "equal to the false positive rate of ` +
			`the corresponding" filter`
		c.Why = fmt.Sprintf("a rate of false positives of %s falls by %s of it, and one of false negatives "+
			"rises from 0 to %s: only the proportions balance", quantity.Percent(rate(bits, members, hashes)),
			quantity.Percent(*positives.Measured), quantity.Percent(*negatives.Measured))
		c.Reading = "f'_P/f_P + f'_N, of 1, within 1 %"
		add(where, "overall error, as a multiple of the filter's", claim.Rounded(1, 0.02),
			of(func(c *change) float64 { return c.both }), claim.By("Eq. (16)", 1))
		c.Reading = "f'_P + f'_N, of f_P, within 1 %"
		add(where, "overall error, as a multiple of the filter's", claim.Rounded(1, 0.02),
			of(func(c *change) float64 { return c.sum }), claim.By("Eq. (16)", 1-eq16+eq16/rate(bits,
				members, hashes)))
	}
	return claims, nil
}
