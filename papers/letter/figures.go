package letter

import (
	"fmt"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// figures are those of the letter, and of what it leaves open.
func figures() (all []claim.Plot) {
	all = append(all, grid("", bits, hashes, regions, gridRegions, gridMembers)...)
	all = append(all, grid("-1024", othersBits, othersHashes, othersMeasured, othersRegions,
		othersMembers)...)
	return append(all, dynamics(), codingsPlot(), choices(), thinning(), headers())
}

// grid returns figures 2 to 4 of filters of m bits and k hash functions. Figure 4 is of one r.
func grid(name string, m, k, r int, regions []int, members []float64) []claim.Plot {
	filter := claim.Parameters{"m": m, "k": k}
	one := claim.Parameters{"m": m, "k": k, "r": r}
	var byRatio []claim.Panel
	for _, theory := range []string{meantEquation1, exact} {
		curves := claim.Curves("r = %d", "r", regions,
			claim.Curve{Quantity: "deletable elements", Theory: theory, Parameters: filter})
		for i, r := range regions {
			curves[i].Name = fmt.Sprintf("m/r = %d", m/r)
		}
		byRatio = append(byRatio, claim.Panel{Title: theory, X: "bits per element, m/n",
			Y: "deletable elements (%)", By: "n", At: members, Part: true, Curves: curves,
			To:   func(n float64) float64 { return float64(m) / n },
			Look: func(p *chart.Panel) { p.X.Min = 0 }})
	}
	byNumber := func(title, quantity string) claim.Panel {
		return claim.Panel{Title: title, X: "elements, n", Y: "share (%)", By: "n", At: members,
			Part: true, Curves: claim.Curves("r = %d", "r", regions,
				claim.Curve{Quantity: quantity, Theory: exact, Parameters: filter})}
	}
	return []claim.Plot{{
		Name: "figure2" + name, Where: "figure 2",
		Title: fmt.Sprintf("The letter's figure 2: deletable elements by m/n and m/r (m = %d, k "+
			"= %d); lines are theory, marks simulated", m, k),
		Columns: 2, Width: 340, Height: 260, Panels: byRatio,
	}, {
		Name: "figure3" + name, Where: "figure 3",
		Title: fmt.Sprintf("The letter's figure 3: what can be deleted (m = %d, k = %d); lines "+
			"are exact, marks simulated", m, k),
		Columns: 2, Width: 340, Height: 260,
		Panels: []claim.Panel{
			byNumber("elements that are deletable", "deletable elements"),
			byNumber("bits reset, of those set", "bits reset, of those set"),
		},
	}, {
		Name: "figure4" + name, Where: "figure 4",
		Title: fmt.Sprintf("The letter's figure 4: false positives (m = %d, k = %d, r = %d); "+
			"marks simulated, lines by theory", m, k, r),
		Columns: 1, Width: 460, Height: 300,
		Panels: []claim.Panel{{
			X: "elements, n", Y: "rate of false positives", By: "n", At: members, Log: true,
			Curves: []claim.Curve{
				{Name: "before removal", Quantity: "rate before removal", Theory: exact,
					Parameters: one},
				{Name: "after removal", Quantity: "rate after removal",
					Theory: "of the bits left", Parameters: one},
				{Name: fmt.Sprintf("standard filter of %d bits", m),
					Quantity: "rate before removal", Theory: exact, Parameters: filter},
			},
		}},
	}}
}

// dynamics is what happens "if we keep doing insertions and deletions".
func dynamics() claim.Plot {
	var places []float64
	for t := range turnovers + 1 {
		places = append(places, float64(t))
	}
	plot := claim.Plot{
		Name: "dynamics", Where: "section III",
		Title:   "Members are replaced, the oldest first (m/n = 10.9, m/r = 10, k = 5)",
		Columns: 3, Width: 260, Height: 220,
	}
	for _, panel := range []struct{ label, quantity string }{
		{"rate of false positives (%)", "rate of false positives of those that stay as many"},
		{"deletable members (%)", "deletable members"},
		{"regions with a collision (%)", "regions with a collision"},
	} {
		curve := func(times int) claim.Curve {
			return claim.Curve{
				Name:     fmt.Sprintf("m = %d, n = %d", times*bits, times*members),
				Quantity: panel.quantity,
				Parameters: claim.Parameters{"m": times * bits, "k": hashes, "r": times * regions,
					"n": times * members},
			}
		}
		plot.Panels = append(plot.Panels, claim.Panel{X: "turnovers", Y: panel.label,
			By: "turnovers", At: places, Part: true, Curves: []claim.Curve{curve(1), curve(10)}})
	}
	return plot
}

// codingsPlot is what other codings of collisions are worth.
func codingsPlot() claim.Plot {
	plot := claim.Plot{
		Name: "codings",
		Where: `section V: "other compact and more flexible ways"; "a dynamic adaptation of the ` +
			`amount and the bit range"`,
		Title: "Other codings of collisions, in blocks of 512 bits: members are replaced, the " +
			"oldest first",
		Columns: 2, Width: 320, Height: 250,
	}
	var names []string
	for _, e := range codings {
		names = append(names, e.String())
	}
	for _, bitsPerKey := range []int{16, 24} {
		panel := func(title, label, quantity string) claim.Panel {
			return claim.Panel{
				Title: title, X: "turnovers", Y: label, By: "turnovers", At: codingTurnovers,
				Curves: claim.Curves("%s", "coding", names, claim.Curve{Quantity: quantity,
					Parameters: claim.Parameters{"bits per key": bitsPerKey}}),
				Look: ticks(codingTurnovers...),
			}
		}
		rate := panel(fmt.Sprintf("%d bits per key", bitsPerKey), "rate of false positives",
			"rate of false positives by a coding")
		share := panel("", "deletable members (%)", "deletable members by a coding")
		rate.Log, share.Part = true, true
		plot.Panels = append(plot.Panels, rate, share)
	}
	return plot
}

// ticks labels some values of the horizontal axis.
func ticks(values ...float64) func(*chart.Panel) {
	return func(p *chart.Panel) { p.X.Tick.Marker = chart.Ticks(quantity.Number, values...) }
}

// choices is what the best of d filters is worth.
func choices() claim.Plot {
	places := []float64{1, 2, 4, 8, 16}
	filter := claim.Parameters{"m": bits, "k": hashes, "r": regions, "n": members}
	panel := func(label, quantity string) claim.Panel {
		return claim.Panel{X: "choices, d", Y: label, By: "d", At: places, Look: ticks(places...),
			Curves: claim.Curves("chosen by %s", "goal", goals,
				claim.Curve{Quantity: quantity, Parameters: filter})}
	}
	rates := panel("rate of false positives", "rate of false positives of the best")
	rates.Look = func(p *chart.Panel) {
		ticks(places...)(p)
		p.Y.Min = 0
		p.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0, 0.003, 0.006, 0.009, 0.012)
	}
	elements := panel("deletable elements (%)", "deletable elements of the best")
	first := panel("first 5 deletable (%)", "filters whose first 5 elements are all deletable")
	elements.Part, first.Part = true, true
	return claim.Plot{
		Name: "choices", Where: "section V",
		Title:   "The power of choices: the best of d filters (m = 240, k = 5, r = 24, n = 22)",
		Columns: 3, Width: 260, Height: 220, Panels: []claim.Panel{rates, elements, first},
	}
}

// thinning is the rate of a filter that "can be thinned out as queried elements are processed".
func thinning() claim.Plot {
	var places []float64
	for i := range members + 1 {
		places = append(places, float64(i))
	}
	filter := claim.Parameters{"m": bits, "k": hashes, "r": regions, "n": members}
	const rates = "rate of a filter on its way"
	return claim.Plot{
		Name: "thinning", Where: "section I",
		Title:   "A filter that is thinned out on its way (m = 240, k = 5, r = 24, n = 22)",
		Columns: 1, Width: 420, Height: 260,
		Panels: []claim.Panel{{
			X: "elements processed", Y: "rate of false positives", By: "processed", At: places,
			Curves: []claim.Curve{
				{Name: "removed when processed", Quantity: rates, Parameters: filter},
				{Name: "nothing removed (exact)", Quantity: rates, Theory: exact, Computed: true,
					Parameters: filter},
			},
			Look: func(p *chart.Panel) {
				p.Y.Min = 0
				p.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0, 0.003, 0.006, 0.009, 0.012)
			},
		}},
	}
}

// headers holds three filters in a packet's header beside each other, for the links of a delivery
// tree.
func headers() claim.Plot {
	places := []float64{12, 17, 22, 27, 32, 35}
	letters := claim.Curve{Name: "letter: m = 240, k = 5, r = 24", Theory: exact,
		Parameters: claim.Parameters{"form": "letter", "m": bits, "k": hashes, "r": regions}}
	block := claim.Curve{Name: "Bloomlane: a block of 256 bits, k = 7", Theory: exact,
		Parameters: claim.Parameters{"form": ours}}
	plain := claim.Curve{Name: "LIPSIN: m = 256, k = 5", Theory: exact,
		Parameters: claim.Parameters{"form": lipsin, "m": 256, "k": hashes}}
	curvesOf := func(quantity string, curves ...claim.Curve) []claim.Curve {
		for i := range curves {
			curves[i].Quantity = quantity
		}
		return curves
	}
	return claim.Plot{
		Name: "inpacket", Where: "section V",
		Title:   "Filters in packet headers; lines are exact, marks simulated",
		Columns: 2, Width: 320, Height: 250,
		Panels: []claim.Panel{
			{X: "links, n", Y: "rate of false matches", By: "n", At: places, Log: true,
				Curves: curvesOf("rate of false matches in a header", plain, letters, block)},
			{X: "links, n", Y: "deletable links (%)", By: "n", At: places, Part: true,
				Curves: curvesOf("deletable links", letters, block)},
		},
	}
}
