package retouched

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// This file has figures 5 and 6, and what section IV-C says of them and of tables I to IV.

const last = len(betas) - 1

// text collects claims, with what the next one shares with those before it.
type text struct {
	claim.Claim
	claims []claim.Claim
}

func newText(item string, trials int) *text {
	return &text{Claim: claim.Claim{Item: item, Unit: claim.Number, Trials: trials,
		Reading: claim.Literal}}
}

// at sets the β of the next claims.
func (t *text) at(i int) *text {
	t.Parameters = map[string]any{"β": percent(betas[i])}
	return t
}

// says adds a claim. Where no reason is known why it would differ, the seed is it.
func (t *text) says(where, quantity string, p claim.Published, i claim.Interval, why string) {
	if why == "" {
		why = fmt.Sprintf("the %d trials of this seed do not show it", t.Trials)
	}
	c := t.Claim
	c.Where, c.Quantity, c.Published, c.Interval, c.Why = where, quantity, p, i, why
	t.claims = append(t.claims, c)
}

// trend adds a claim that has a direction.
func (t *text) trend(where, quantity string, d claim.Direction, i claim.Interval, why string) {
	t.says(where, quantity, claim.Trend(d), i, why)
}

// less returns by how much a number of one algorithm is more than that of another, on the same
// filters.
func (g *grid) less(i int, s, than selection, number func(outcome) float64) claim.Interval {
	return claim.Difference(of(g[i], s, number), of(g[i], than, number))
}

// value returns the mean of a number.
func (g *grid) value(i int, s selection, number func(outcome) float64) float64 {
	return *mean(g[i], s, number).Measured
}

// leastClear is said of a claim that is made of all β.
const leastClear = ", where it is least clear"

// least adds a claim at the β, of some first ones, at which its direction is least clear.
func (t *text) least(
	n int,
	where, quantity string,
	d claim.Direction,
	of func(i int) claim.Interval,
	why func(i int) string,
) {
	at, found := 0, of(0)
	for i := range n {
		next := of(i)
		if d == claim.Higher && *next.Low < *found.Low || d == claim.Lower &&
			*next.High > *found.High {
			at, found = i, next
		}
	}
	t.at(at).trend(where+leastClear, quantity, d, found, why(at))
}

// certain is the reason of a claim that holds wherever it is made.
func certain(int) string { return "" }

// compareColumns is what section IV-C reads from the tables.
func (g *grid) compareColumns(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := newText("section IV-C: tables I to IV", runs)
	for _, more := range []selection{maximumFP, ratio} {
		for _, fewer := range []selection{random, minimumFN} {
			t.least(last,
				`"Maximum FP Selection and Ratio Selection have a larger side effect", β < 1`,
				fmt.Sprintf("|B'| of %v, less that of %v", more, fewer), claim.Higher,
				func(i int) claim.Interval { return g.less(i, more, fewer, beside) }, certain)
		}
	}
	for _, s := range standard {
		t.least(len(betas), `"|B + B'| is larger than the quantity of false negative"`,
			fmt.Sprintf("false positives removed, less members lost: %v", s), claim.Higher,
			func(i int) claim.Interval {
				return claim.Difference(of(g[i], s, removed),
					of(g[i], s, lost))
			},
			certain)
	}
	const where = `"Minimum FN Selection and Ratio Selection generates fewer false negatives"`
	name := func(s, than selection) string {
		return fmt.Sprintf("|A'| of %v, less that of %v", s,
			than)
	}
	for _, pair := range [][2]selection{{minimumFN, random}, {ratio, random}, {ratio, maximumFP}} {
		t.least(len(betas), where, name(pair[0], pair[1]), claim.Lower,
			func(i int) claim.Interval { return g.less(i, pair[0], pair[1], lost) }, certain)
	}
	for i := range betas {
		s, than := minimumFN, maximumFP
		t.at(i).trend(where, name(s, than), claim.Lower, g.less(i, s, than, lost),
			fmt.Sprintf("the tables themselves have %g and %g: where most keys are troublesome, "+
				"%v clears fewer bits, %.0f instead of %.0f", published[s.Algorithm][i][6],
				published[than.Algorithm][i][6], than, g.value(i, than, reset),
				g.value(i, s, reset)))
	}
	return t.claims, nil
}

// series is a number of an algorithm over β, for a figure.
func (g *grid) series(
	name string,
	s selection,
	reading string,
	number func(outcome) float64,
) (plotter.XYs, []claim.Claim) {
	var xys plotter.XYs
	t := newText("figures 5, 6 and 8 to 10: points", runs)
	t.Point, t.Reading = true, reading
	for i, beta := range betas {
		xys = append(xys, plotter.XY{X: beta, Y: g.value(i, s, number)})
		t.at(i).says("figures 5, 6 and 8 to 10", fmt.Sprintf("%s: %v", name, s), claim.Published{},
			mean(g[i], s, number), "")
	}
	return xys, t.claims
}

func panel(title, y string) *chart.Panel {
	p := chart.New(title, "β", y)
	p.X.Min = 0
	p.X.Tick.Marker = chart.Ticks(quantity.Number, 0, 0.25, 0.5, 0.75, 1)
	return p
}

// thousands labels a number of thousands on an axis.
func thousands(values ...float64) plot.ConstantTicks {
	for i := range values {
		values[i] *= 1000
	}
	return chart.Ticks(whole, values...)
}

func whole(v float64) string { return quantity.Count(int(v)) }

// single is a figure of one panel.
func single(name, title string, p *chart.Panel) claim.Figure {
	return claim.Figure{Name: name, Picture: &chart.Picture{
		Title: title, Panels: []*chart.Panel{p}, Columns: 1, Width: 420, Height: 300,
	}}
}

// figure5 is how many bits are reset.
func (g *grid) figure5(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := newText("figure 5: bits reset", runs)
	for _, more := range []selection{random, minimumFN} {
		for _, fewer := range []selection{maximumFP, ratio} {
			for _, i := range []int{3, last} {
				t.at(i).trend(
					`"need to work more, in terms of number of bits to reset, when β grows"`,
					fmt.Sprintf("bits reset by %v, less those by %v", more, fewer), claim.Higher,
					g.less(i, more, fewer, reset), "")
			}
		}
	}
	for i := range betas {
		t.at(i).trend(
			`"Ratio Selection needs to reset somewhat more bits than Maximum FP Selection"`,
			"bits reset by Ratio, less those by Maximum FP", claim.Higher,
			g.less(i, ratio, maximumFP, reset),
			fmt.Sprintf("for %.1f keys both need about %.1f bits: hardly any key is removed "+
				"by the bit of another",
				g.value(i, ratio, keys), g.value(i, ratio, reset)))
	}
	p := panel("", "bits reset, s")
	for i, s := range standard {
		xys, points := g.series("bits reset", s, claim.Literal, reset)
		p.Add(s.String(), xys, chart.Marked(i))
		t.claims = append(t.claims, points...)
	}
	chart.Logarithmic(whole, &p.Y)
	return t.claims,
		[]claim.Figure{single("figure5", "Figure 5: bits reset by the four algorithms", p)}
}

// figure6 is χ of the four algorithms.
func (g *grid) figure6(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := newText("figure 6: χ", runs)
	above := func(s selection, limit float64) func(i int) claim.Interval {
		return func(i int) claim.Interval {
			return mean(g[i], s, chi).Map(func(v float64) float64 { return v - limit })
		}
	}
	for _, s := range standard {
		t.least(len(betas), `"whatever the algorithm considered, the χ ratio is always above 1"`,
			fmt.Sprintf("χ of %v, less 1", s), claim.Higher, above(s, 1), certain)
	}
	for _, order := range [][2]selection{{ratio, maximumFP}, {maximumFP, minimumFN},
		{minimumFN, random}} {
		all, names := readings(order[0])
		for r, s := range all {
			than := order[1]
			if than.countsKeys() {
				than.all = s.all
			}
			t.Reading = names[r]
			t.least(len(betas),
				`"Ratio Selection does best, followed by Maximum FP, Minimum FN, and Ratio `+
					`Selection" (Random is meant)`, fmt.Sprintf("χ of %v, less that of %v", s,
					than), claim.Higher,
				func(i int) claim.Interval { return g.less(i, s, than, chi) },
				func(i int) string {
					return fmt.Sprintf("χ of Maximum FP is %.3f and that of Minimum FN %.3f: "+
						"with few keys to count Maximum FP is as Random is, %.3f",
						g.value(i, maximumFP.asPrinted(), chi),
						g.value(i, minimumFN, chi), g.value(i, random, chi))
				})
		}
	}
	t.Reading = claim.Literal
	kept := func(s selection) claim.Interval { // the logarithm of what is left of χ at β = 1
		return mean(g[last], s, chi).Map(math.Log).Less(mean(g[0], s, chi).Map(math.Log))
	}
	for _, s := range standard[1:] {
		t.at(last).trend(
			`"The χ ratio for Random Selection does not vary much with β compared to the three `+
				`other algorithms"`,
			fmt.Sprintf("log of what is left of χ of β = 1 %%: Random, less %v", s),
			claim.Higher, kept(random).Less(kept(s)), "")
	}
	all, names := readings(ratio)
	for r, s := range all {
		t.Reading = names[r]
		t.says(`"the χ ratio for Ratio Selection is decreased by 31.3%"`,
			"relative change of χ of Ratio, from β = 1 %",
			claim.Rounded(-0.313, 0.001), kept(s).Map(math.Expm1),
			fmt.Sprintf("χ is %.3f at β = 1 %% where v_B counts B, and %.3f where it counts FP",
				g.value(0, ratio.asPrinted(), chi), g.value(0, ratio, chi)))
	}
	for _, limit := range []struct {
		of    selection
		value float64
	}{{random, 1.4}, {ratio, 1.8}} {
		where :=
			fmt.Sprintf(
				`"one can reliably get a χ above 1.4, even when using … Random Selection"; `+
					`with Ratio "above 1.8": %v`, limit.of)
		name := fmt.Sprintf("χ of %v, less %g", limit.of, limit.value)
		why := fmt.Sprintf("by its own table χ is %.3f at β = 1 %% and %.3f at 100 %%",
			chiOf(limit.of, 0), chiOf(limit.of, last))
		for _, reading := range []struct {
			name string
			at   int
		}{{"at every β: 100 %", last}, {"at β = 1 %", 0}} {
			t.Reading = reading.name
			t.at(reading.at).trend(where, name, claim.Higher,
				above(limit.of, limit.value)(reading.at), why)
		}
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
	return t.claims, []claim.Figure{single("figure6",
		"Figure 6: χ of the four algorithms; lines by tables I to IV, marks ours", p)}
}
