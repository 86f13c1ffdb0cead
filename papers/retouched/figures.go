package retouched

import (
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// algorithmPlots are figures 5, 6 and 8 to 10: what algorithms do, by β.
func algorithmPlots() []claim.Plot {
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
				point := claim.Parameters{algorithm: name, counts: counted}
				if form == improved {
					point[improved] = "yes"
				}
				curve := claim.Curve{Name: form, Quantity: "χ", Parameters: point, Reading: reading}
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
