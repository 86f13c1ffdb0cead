package retouched

import (
	"fmt"

	"gonum.org/v1/plot"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// text collects claims, with what the next one shares with those before it.
type text struct {
	claim.Claim
	claims []claim.Claim
}

func newText(item string, trials int) *text {
	return &text{Claim: claim.Claim{Item: item, Unit: claim.Number, Trials: trials,
		Reading: claim.Literal}}
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

func percent(share float64) string { return fmt.Sprintf("%g %%", 100*share) }

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

// plots are figures 5, 6 and 8 to 10: what algorithms do, by β.
func plots() []claim.Plot {
	byBeta := func(title, label string, curves []claim.Curve, look func(*chart.Panel)) claim.Panel {
		return claim.Panel{Title: title, X: "β", Y: label, By: "β", At: betas[:], Curves: curves,
			Look: func(p *chart.Panel) {
				p.X.Min = 0
				p.X.Tick.Marker = chart.Ticks(quantity.Number, 0, 0.25, 0.5, 0.75, 1)
				if look != nil {
					look(p)
				}
			}}
	}
	one := func(name, title string, panel claim.Panel) claim.Plot {
		return claim.Plot{Name: name, Where: "figure " + name[len("figure"):], Title: title,
			Columns: 1, Width: 420, Height: 300, Panels: []claim.Panel{panel}}
	}
	names := []string{"Random", "Minimum FN", "Maximum FP", "Ratio"}
	bits := byBeta("", "bits reset, s",
		claim.Curves("%s", algorithm, names, claim.Curve{Quantity: "bits reset"}), nil)
	bits.Log = true
	chis := byBeta("", "χ", claim.Curves("%s", algorithm, names,
		claim.Curve{Quantity: "χ", Theory: "by the tables"}),
		func(p *chart.Panel) { p.Y.Min, p.Y.Max = 0.9, 2.7 })
	better := claim.Plot{Name: "figure8-10", Where: "figures 8 to 10",
		Title: "Figures 8 to 10: χ of the improved algorithms", Columns: 3, Width: 250, Height: 230}
	for _, name := range names[1:] {
		var curves []claim.Curve
		for _, counted := range []string{"B", "FP"} {
			reading := "v_B counts " + counted
			if !algorithms[name].countsKeys() {
				if reading = ""; counted == "B" {
					continue
				}
			}
			for _, form := range []string{"standard", "improved"} {
				at := claim.Parameters{algorithm: name, counts: counted}
				if form == improved {
					at[improved] = "yes"
				}
				curve := claim.Curve{Name: form, Quantity: "χ", Parameters: at, Reading: reading}
				if reading != "" {
					curve.Name += ", " + reading
				}
				curves = append(curves, curve)
			}
		}
		better.Panels = append(better.Panels, byBeta(name, "χ", curves,
			func(p *chart.Panel) { p.Y.Min, p.Y.Max = 1, 3 }))
	}
	return []claim.Plot{
		one("figure5", "Figure 5: bits reset by the four algorithms", bits),
		one("figure6", "Figure 6: χ of the four algorithms; lines by tables I to IV, marks ours",
			chis),
		better,
	}
}
