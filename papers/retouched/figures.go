package retouched

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// This file has figures 5 and 6 and 8 to 10, and what the text says of them and of tables I to IV.

const last = len(betas) - 1

// less returns by how much a number of one algorithm is more than that of another, on the same filters.
func (g *grid) less(i int, s, than selection, number func(outcome) float64) claim.Interval {
	return claim.Difference(of(g[i], s, number), of(g[i], than, number))
}

// least returns the β at which a direction is least clear, and the interval there.
func least(from, to int, d claim.Direction, at func(i int) claim.Interval) (worst int, found claim.Interval) {
	for i := from; i <= to; i++ {
		if interval := at(i); found.Low == nil || d == claim.Higher && *interval.Low < *found.Low ||
			d == claim.Lower && *interval.High > *found.High {
			worst, found = i, interval
		}
	}
	return worst, found
}

// text is a list of claims that are being collected.
type text struct {
	claims []claim.Claim
	item   string
}

// add adds a claim at a β.
func (t *text) add(where, quantity string, beta int, reading string, p claim.Published, i claim.Interval,
	why string) {
	t.claims = append(t.claims, claim.Claim{
		Item: t.item, Where: where, Parameters: map[string]any{"β": percent(betas[beta])}, Quantity: quantity,
		Unit: claim.Number, Published: p, Interval: i, Trials: runs, Reading: reading, Why: why,
	})
}

// chis returns χ of the four tables at a β, as they are printed.
func chis(s selection) string {
	return fmt.Sprintf("by the table of %s itself χ is %.3f at β = 1 %% and %.3f at 100 %%", s.String(),
		chiOf(s, 0), chiOf(s, last))
}

// compareColumns is what section IV-C reads from the tables.
func (g *grid) compareColumns(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := text{item: "section IV-C: tables I to IV"}
	for _, more := range []selection{maximumFP, ratio} {
		for _, fewer := range []selection{random, minimumFN} {
			at, i := least(0, last-1, claim.Higher, func(i int) claim.Interval {
				return g.less(i, more, fewer, beside)
			})
			t.add(`"Maximum FP Selection and Ratio Selection have a larger side effect", where β < 1, and `+
				`it is least clear`,
				fmt.Sprintf("|B'| of %s, less that of %s", more.String(),
					fewer.String()), at, claim.Literal, claim.Trend(claim.Higher), i, "")
		}
	}
	for _, s := range standard {
		at, i := least(0, last, claim.Higher, func(i int) claim.Interval {
			return claim.Difference(of(g[i], s, removed), of(g[i], s, lost))
		})
		t.add(`"|B + B'| is larger than the quantity of false negative", where it is least clear`,
			"false positives removed, less members lost: "+
				s.String(), at, claim.Literal, claim.Trend(claim.Higher), i, "")
	}
	const where = `"Minimum FN Selection and Ratio Selection generates fewer false negatives"`
	fewer := func(s, than selection, i int, where string) {
		t.add(where, fmt.Sprintf("|A'| of %s, less that of %s", s.String(), than.String()), i, claim.Literal,
			claim.Trend(claim.Lower), g.less(i, s, than, lost),
			fmt.Sprintf("the tables themselves have %g and %g: where most keys are troublesome, %s clears "+
				"fewer bits, %.0f instead of %.0f",
				published[s.Algorithm][i][6], published[than.Algorithm][i][6], than.String(),
				*mean(g[i], than, reset).Measured, *mean(g[i], s, reset).Measured))
	}
	for _, pair := range [][2]selection{{minimumFN, random}, {ratio, random}, {ratio, maximumFP}} {
		i, _ := least(0, last, claim.Lower, func(i int) claim.Interval {
			return g.less(i, pair[0], pair[1], lost)
		})
		fewer(pair[0], pair[1], i, where+", where it is least clear")
	}
	for i := range betas {
		fewer(minimumFN, maximumFP, i, where)
	}
	return t.claims, nil
}

// series is a number of an algorithm over β.
func (g *grid) series(name string, s selection, reading string,
	number func(outcome) float64) (xys plotter.XYs, points []claim.Claim) {
	for i, beta := range betas {
		found := mean(g[i], s, number)
		xys = append(xys, plotter.XY{X: beta, Y: *found.Measured})
		points = append(points, claim.Claim{
			Item: "figures 5, 6 and 8 to 10: points", Where: "figures 5, 6 and 8 to 10",
			Parameters: map[string]any{"β": percent(beta)}, Quantity: name + ": " +
				s.String(), Unit: claim.Number,
			Interval: found, Trials: runs, Reading: reading, Point: true,
		})
	}
	return xys, points
}

func panel(title, y string) *chart.Panel {
	p := chart.New(title, "β", y)
	p.X.Min = 0
	p.X.Tick.Marker = chart.Ticks(quantity.Number, 0, 0.25, 0.5, 0.75, 1)
	return p
}

// figure5 is how many bits are reset.
func (g *grid) figure5(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := text{item: "figure 5: bits reset"}
	for _, more := range []selection{random, minimumFN} {
		for _, fewer := range []selection{maximumFP, ratio} {
			for _, i := range []int{3, last} {
				t.add(`figure 5: "need to work more, in terms of number of bits to reset, when β grows"`,
					fmt.Sprintf("bits reset by %s, less those by %s", more.String(),
						fewer.String()), i, claim.Literal,
					claim.Trend(claim.Higher), g.less(i, more, fewer, reset), "")
			}
		}
	}
	for i := range betas {
		t.add(`figure 5: "Ratio Selection needs to reset somewhat more bits than Maximum FP Selection"`,
			"bits reset by Ratio, less those by Maximum FP", i, claim.Literal, claim.Trend(claim.Higher),
			g.less(i, ratio, maximumFP, reset),
			fmt.Sprintf("of %.1f keys both need %.1f bits or so: hardly a key is gone with another one's bit",
				*mean(g[i], ratio, keys).Measured, *mean(g[i], ratio, reset).Measured))
	}
	p := panel("", "bits reset, s")
	for i, s := range standard {
		xys, points := g.series("bits reset", s, claim.Literal, reset)
		p.Add(s.String(), xys, chart.Marked(i))
		t.claims = append(t.claims, points...)
	}
	chart.Logarithmic(func(v float64) string { return quantity.Count(int(v)) }, &p.Y)
	return t.claims, []claim.Figure{{Name: "figure5", Picture: &chart.Picture{
		Title: "Figure 5: bits reset by the four " +
			"algorithms", Panels: []*chart.Panel{p}, Columns: 1, Width: 420, Height: 300,
	}}}
}

// figure6 is χ of the four algorithms.
func (g *grid) figure6(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := text{item: "figure 6: χ"}
	above := func(s selection, limit float64) func(i int) claim.Interval {
		return func(i int) claim.Interval {
			return mean(g[i], s, chi).Map(func(v float64) float64 { return v - limit })
		}
	}
	for _, s := range standard {
		at, i := least(0, last, claim.Higher, above(s, 1))
		t.add(`"whatever the algorithm considered, the χ ratio is always above 1", where it is least clear`,
			"χ of "+s.String()+", less 1", at, claim.Literal, claim.Trend(claim.Higher), i, "")
	}
	for _, order := range [][2]selection{{ratio, maximumFP}, {maximumFP, minimumFN}, {minimumFN, random}} {
		where := `"Ratio Selection does best, followed by Maximum FP, Minimum FN, and Ratio Selection" ` +
			`(Random is meant), where it is least clear`
		all, names := readings(order[0])
		for r, s := range all {
			than := order[1]
			if than.countsKeys() {
				than.all = s.all
			}
			at, i := least(0, last, claim.Higher, func(i int) claim.Interval {
				return g.less(i, s, than,
					chi)
			})
			t.add(where, fmt.Sprintf("χ of %s, less that of %s", s.String(), order[1].String()), at,
				names[r], claim.Trend(claim.Higher), i,
				fmt.Sprintf("χ of Maximum FP is %.3f and that of Minimum FN %.3f: with few keys to count "+
					"Maximum FP is as Random is, %.3f",
					*mean(g[at], maximumFP.asPrinted(), chi).Measured, *mean(g[at], minimumFN,
						chi).Measured, *mean(g[at], random, chi).Measured))
		}
	}
	change := func(s selection) claim.Interval {
		first, end := mean(g[0], s, chi).Map(math.Log), mean(g[last], s, chi).Map(math.Log)
		return end.Less(first).Map(func(v float64) float64 { return -math.Expm1(v) })
	}
	for _, s := range standard[1:] {
		i := change(random).Less(change(s))
		t.add(`"The χ ratio for Random Selection does not vary much with β compared to the three other `+
			`algorithms"`,
			"fall of χ from β = 1 %: Random, less "+
				s.String(), last, claim.Literal, claim.Trend(claim.Lower), i, "")
	}
	all, names := readings(ratio)
	for r, s := range all {
		i := change(s)
		i = claim.Interval{Measured: i.Measured, Low: i.High, High: i.Low} // Expm1 was turned round
		t.add(`"the χ ratio for Ratio Selection is decreased by 31.3%"`, "fall of χ of Ratio from β = 1 %",
			last, names[r],
			claim.Rounded(0.313, 0.001), i, fmt.Sprintf("χ is %.3f at β = 1 %% where v_B counts B, and "+
				"%.3f where it counts FP",
				*mean(g[0], ratio.asPrinted(), chi).Measured, *mean(g[0], ratio, chi).Measured))
	}
	for _, limit := range []struct {
		of    selection
		value float64
	}{{random, 1.4}, {ratio, 1.8}} {
		where := fmt.Sprintf(`"one can reliably get a χ above 1.4, even when using … Random Selection"; `+
			`with Ratio "above %g"`, limit.value)
		name := fmt.Sprintf("χ of %s, less %g", limit.of.String(), limit.value)
		at, i := least(0, last, claim.Higher, above(limit.of, limit.value))
		t.add(where, name, at, "at every β", claim.Trend(claim.Higher), i, chis(limit.of))
		t.add(where, name, 0, "at β = 1 %", claim.Trend(claim.Higher), above(limit.of, limit.value)(0),
			chis(limit.of))
	}
	p := panel("", "χ")
	for i, s := range standard {
		xys, points := g.series("χ", s, claim.Literal, chi)
		t.claims = append(t.claims, points...)
		var printed plotter.XYs
		for j, beta := range betas {
			printed = append(printed, plotter.XY{X: beta, Y: chiOf(s, j)})
		}
		p.Add(s.String(), printed, chart.Expected(i))
		p.Add(s.String(), xys, chart.Marks(i))
	}
	p.Y.Min, p.Y.Max = 0.9, 2.7
	p.Add("random clearing", plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 1}}, chart.Limit)
	return t.claims, []claim.Figure{{Name: "figure6", Picture: &chart.Picture{
		Title: "Figure 6: χ of the four algorithms; lines by tables I to IV, marks " +
			"ours", Panels: []*chart.Panel{p}, Columns: 1, Width: 420, Height: 300,
	}}}
}
