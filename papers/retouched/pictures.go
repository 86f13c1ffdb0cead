package retouched

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// This file draws the case study: figures 13 to 22.

// curves draws rates by the size of a filter.
func (s *stopping) curves(
	name, title string,
	of []setting,
	panels ...curve,
) ([]claim.Claim, claim.Figure) {
	t := s.text("section VI: points of figures")
	t.Point = true
	picture := &chart.Picture{Title: title, Columns: len(panels), Width: 250, Height: 240}
	for _, panel := range panels {
		p := shares(panel.name)
		for i, at := range of {
			look := chart.Marked(i)
			if at == list {
				look = chart.Limit
			}
			var xys plotter.XYs
			for _, m := range sizes {
				if at != list {
					at.m = m
				}
				found := panel.of(at)
				xys = append(xys, plotter.XY{X: float64(m), Y: *found.Measured})
				if at != list {
					t.with(at).says(name, fmt.Sprintf("%s: %v", panel.name, at),
						claim.Published{}, found, "")
				}
			}
			p.Add(at.String(), xys, look)
		}
		p.X.Label.Text, p.X.Tick.Marker = "bits, m", thousands(20, 60, 100)
		picture.Panels = append(picture.Panels, p)
	}
	return t.claims, claim.Figure{Name: name, Picture: picture}
}

type curve struct {
	name string
	of   func(at setting) claim.Interval
}

// shares is a panel of shares of all traces, from 0 to 100 %.
func shares(title string) *chart.Panel {
	p := chart.New(title, "", "share (%)")
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Number(100 * v) }, 0,
		0.2, 0.4, 0.6,
		0.8, 1)
	return p
}

// rates are what a trace can come to.
func (s *stopping) rates() (all []curve) {
	for _, r := range []measure{success, short, collision} {
		all = append(all, curve{r.name, func(at setting) claim.Interval { return s.mean(at, r) }})
	}
	return all
}

// figures draws figures 13 to 22.
func (s *stopping) figures(*trials.Run) (claims []claim.Claim, figures []claim.Figure) {
	add := func(points []claim.Claim, figure claim.Figure) {
		claims, figures = append(claims, points...), append(figures, figure)
	}
	at := sizes[0]
	all := inOrder(at)
	add(s.curves("figure13-15-17", "Figures 13, 15 and 17 with k = 5: what traces do, by stop set",
		all, s.rates()...))
	one := slices.Clone(all[:5])
	for i := range one {
		one[i] = one[i].by(1)
	}
	add(s.curves("figure13-15-17-k1", "Figures 13, 15 and 17 with k = 1, which fits the Bloom "+
		"filter's numbers", append(one, list), s.rates()...))
	add(s.curves("figure16", "Figure 16: what is missed of what a list reaches", all[:5],
		curve{"nodes", func(at setting) claim.Interval { return s.part(at, list, nodes) }},
		curve{"links", func(at setting) claim.Interval { return s.part(at, list, links) }}))
	add(s.curves("figure20-22", "Figures 20 to 22: ratio and improved ratio",
		[]setting{rbf(at, 0.01), rbf(at, 0.01).better(), rbf(at, 0.25), rbf(at, 0.25).better(),
			list}, s.rates()...))

	counts := map[int]int{}
	for _, n := range s.traffic {
		counts[n]++
	}
	var xys plotter.XYs
	for n, count := range counts {
		xys = append(xys, plotter.XY{X: float64(n), Y: float64(count)})
	}
	slices.SortFunc(xys, func(a, b plotter.XY) int { return int(a.X - b.X) })
	p := chart.New("", "traces through a false positive", "false positives")
	p.Add("", xys, chart.Marks(0))
	chart.Logarithmic(whole, &p.X)
	chart.Logarithmic(whole, &p.Y)
	figures = append(figures, single("figure14",
		fmt.Sprintf("Figure 14: how troublesome false positives are (m = %s)",
			quantity.Count(tuned)), p))

	sweep := &chart.Picture{Title: "Figure 18: what traces do, by β", Columns: 2,
		Width: 300, Height: 240}
	for _, m := range []int{tuned, sizes[0]} {
		p := shares(fmt.Sprintf("m = %s", quantity.Count(m)))
		for i, rate := range s.rates() {
			var xys plotter.XYs
			for _, beta := range s.swept {
				xys = append(xys, plotter.XY{X: beta, Y: *rate.of(rbf(m, beta)).Measured})
			}
			p.Add(rate.name, xys, chart.Curve(i))
			p.Add(rate.name+", list", plotter.XYs{{X: 0, Y: *rate.of(list).Measured},
				{X: 1, Y: *rate.of(list).Measured}}, chart.Expected(i))
		}
		p.X.Label.Text = "β"
		sweep.Panels = append(sweep.Panels, p)
	}
	p = shares("")
	for i, rate := range s.rates() {
		for j, at := range []setting{rbf(tuned, tunedBeta), list} {
			var xys plotter.XYs
			for cycle := 1; cycle <= 10; cycle++ {
				xys = append(xys,
					plotter.XY{X: float64(cycle), Y: *rate.of(at.later(cycle)).Measured})
			}
			look := chart.Marked(i)
			if j > 0 {
				look = chart.Expected(i)
			}
			p.Add(rate.name+": "+at.String(), xys, look)
		}
	}
	p.X.Label.Text = "cycle of traces"
	p.X.Tick.Marker = chart.Ticks(quantity.Number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	return claims, append(figures, claim.Figure{Name: "figure18", Picture: sweep},
		single("figure19", fmt.Sprintf("Figure 19: ten cycles (m = %s)", quantity.Count(tuned)), p))
}
