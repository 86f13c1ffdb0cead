package letter

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The names of formulas.
const (
	printedEquation1 = "Eq. (1), as printed"
	meantEquation1   = "Eq. (1), as meant"
	ownThrow         = "Eq. (1), own throw"
	exact            = "exact"
	printedEquation2 = "Eq. (2)"
)

// grid is the filters of the figures, of m bits, and their trials.
type grid struct {
	name     string // of the figures' files, behind the number
	m, k     int
	regions  []int // r, of a curve each
	rates    int   // the r of figure 4
	members  []int // n
	elements elements
	points   map[point][]trial
	beside   map[int][]trial // of standard filters, by n
}

type point struct{ r, n int }

// letters is the filters of section IV. Of their r the text names 24, 60 and 120, and m/r = 20.
func letters(e elements) *grid {
	return &grid{
		m: bits, k: hashes, regions: []int{6, 12, 24, 60, 120}, rates: regions,
		members: []int{4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 36, 40, 48, 60}, elements: e,
		points: map[point][]trial{}, beside: map[int][]trial{},
	}
}

// others is filters of which the letter says that they do the same.
func others(e elements) *grid {
	return &grid{
		name: "-1024", m: 1024, k: 7, regions: []int{16, 32, 64, 128, 256, 512}, rates: 128,
		members: []int{20, 30, 40, 50, 60, 70, 80, 100, 120, 150}, elements: e,
		points: map[point][]trial{}, beside: map[int][]trial{},
	}
}

func (g *grid) shape(r int) dlbf.Shape { return dlbf.Shape{Bits: g.m, Regions: r, Hashes: g.k} }

// number returns how many trials there are of n elements: a short run takes fewer where no sentence
// is about n.
func (g *grid) number(run *trials.Run, n int) int {
	switch {
	case g.m == bits && (!run.Short || slices.Contains([]int{10, 15, 22, 30, 40, 48}, n)):
		return letterly
	case run.Short:
		return letterly / 20
	}
	return letterly / 4
}

// simulate runs the trials of all filters with r regions, and returns their points of the figures.
func (g *grid) simulate(run *trials.Run, r int) (claims []claim.Claim) {
	s, asked := g.shape(r), 0
	if r == g.rates {
		asked = queries
	}
	for _, n := range g.members {
		results := simulate(run, fmt.Sprintf("grid%s %d %d", g.name, r, n), s, n, g.elements, asked,
			g.number(run, n))
		g.points[point{r, n}] = results
		at := claim.Claim{
			Item: "figures 2 and 3", Where: "figures 2 and 3", Parameters: parameters(s, n),
			Unit:   claim.Share,
			Trials: len(results), Reading: claim.Literal, Point: true,
		}
		at.Quantity = "deletable elements"
		at.Theory, at.Interval = claim.By(exact, s.Deletability(n)), mean(results, deletable)
		claims = append(claims, at)
		at.Quantity = "bits reset, of those set"
		at.Theory, at.Interval = claim.By(exact, clearableShare(s, n)), resetShare(results)
		claims = append(claims, at)
	}
	return claims
}

// series returns the points of the figures with r regions.
func (g *grid) series(
	r int,
	x func(n int) float64,
	y func([]trial) claim.Interval,
) (xys plotter.XYs) {
	for _, n := range g.members {
		xys = append(xys, plotter.XY{X: x(n), Y: *y(g.points[point{r, n}]).Measured})
	}
	return xys
}

// line returns the points of a formula over the numbers of elements of the figures, from the first
// of some.
func (g *grid) line(from int, x, y func(n int) float64) (xys plotter.XYs) {
	for n := from; n <= g.members[len(g.members)-1]; n++ {
		xys = append(xys, plotter.XY{X: x(n), Y: y(n)})
	}
	return xys
}

func itself(n int) float64                { return float64(n) }
func deletables(t []trial) claim.Interval { return mean(t, deletable) }

// shares makes a panel's vertical axis one of shares of all, from 0 to 100 %.
func shares(p *chart.Panel) *chart.Panel {
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Number(100 * v) }, 0,
		0.2, 0.4, 0.6, 0.8, 1)
	return p
}

// figure1 is a filter as in the letter's example: its cells are not readable, but how likely it is.
func figure1(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	s, n := dlbf.Shape{Bits: 32, Regions: 4, Hashes: 3}, 3
	all := trials.Each(run, "figure 1", letterly, func(rng *rand.Rand) float64 {
		a, elements := array(s), []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
		for _, hash := range elements {
			a.Insert(hash)
		}
		for _, hash := range elements {
			if !a.Deletable(hash) {
				return 0
			}
		}
		return 1
	})
	return []claim.Claim{{
		Item: "figure 1: an example", Where: "figure 1", Parameters: parameters(s, n),
		Quantity: "filters of which all elements are deletable",
		Unit:     claim.Share, Interval: claim.Mean(all), Trials: letterly, Reading: claim.Literal,
	}}, nil
}

// figure2 draws the deletable part by the bits per element.
func (g *grid) figure2(*trials.Run) ([]claim.Claim, []claim.Figure) {
	picture := &chart.Picture{
		Title: fmt.Sprintf("The letter's figure 2: deletable elements by m/n and m/r (m = %d, k "+
			"= %d); lines are theory, marks simulated", g.m, g.k),
		Columns: 2, Width: 340, Height: 260,
	}
	each := func(n int) float64 { return float64(g.m) / float64(n) }
	for _, theory := range []struct {
		name string
		of   func(dlbf.Shape, int) float64
	}{{meantEquation1, Equation1}, {exact, dlbf.Shape.Deletability}} {
		panel := shares(chart.New(theory.name, "bits per element, m/n", "deletable elements (%)"))
		for i, r := range g.regions {
			name := fmt.Sprintf("m/r = %d", g.m/r)
			of := func(n int) float64 { return theory.of(g.shape(r), n) }
			panel.Add(name, g.line(g.members[0], each, of), chart.Expected(i))
			panel.Add(name, g.series(r, each, deletables), chart.Marks(i))
		}
		panel.X.Min = 0
		picture.Panels = append(picture.Panels, panel)
	}
	return nil, []claim.Figure{{Name: "figure2" + g.name, Picture: picture}}
}

// figure3 draws deletable elements and reset bits by the number of elements.
func (g *grid) figure3(*trials.Run) ([]claim.Claim, []claim.Figure) {
	picture := &chart.Picture{
		Title: fmt.Sprintf(
			"The letter's figure 3: what can be deleted (m = %d, k = %d); lines are "+
				"exact, marks simulated", g.m, g.k),
		Columns: 2, Width: 340, Height: 260,
	}
	for _, half := range []struct {
		title    string
		theory   func(s dlbf.Shape, n int) float64
		measured func([]trial) claim.Interval
	}{
		{"elements that are deletable", dlbf.Shape.Deletability, deletables},
		{"bits reset, of those set", clearableShare, resetShare},
	} {
		panel := shares(chart.New(half.title, "elements, n", "share (%)"))
		for i, r := range g.regions {
			name := fmt.Sprintf("r = %d", r)
			of := func(n int) float64 { return half.theory(g.shape(r), n) }
			panel.Add(name, g.line(g.members[0], itself, of), chart.Expected(i))
			panel.Add(name, g.series(r, itself, half.measured), chart.Marks(i))
		}
		picture.Panels = append(picture.Panels, panel)
	}
	return nil, []claim.Figure{{Name: "figure3" + g.name, Picture: picture}}
}

// figure4 draws the rate before and after the removal of all elements, beside a standard filter's.
func (g *grid) figure4(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	s, standard := g.shape(g.rates), standard(g.m, g.k)
	var drawn [3]plotter.XYs
	for _, n := range g.members {
		results := g.points[point{s.Regions, n}]
		g.beside[n] = simulate(run, fmt.Sprintf("standard%s %d", g.name, n), standard,
			n, g.elements, queries, g.number(run, n))
		found := [3]claim.Interval{mean(results, before), mean(results, after),
			mean(g.beside[n], before)}
		for i := range found {
			if *found[i].Low > 0 { // else no more is known than that it is small
				drawn[i] = append(drawn[i], plotter.XY{X: float64(n), Y: *found[i].Measured})
			}
		}
		at := func(quantity string, s dlbf.Shape, t claim.Theory, i claim.Interval) claim.Claim {
			return claim.Claim{Item: "figure 4", Where: "figure 4", Parameters: parameters(s, n),
				Quantity: quantity, Unit: claim.Share,
				Theory: t, Interval: i, Trials: len(results), Reading: claim.Literal, Point: true}
		}
		claims = append(claims,
			at("rate of false positives before removal", s,
				claim.By(exact, occupied(s, n)), found[0]),
			at("rate of false positives after removal", s, claim.Theory{}, found[1]),
			at("rate of false positives of a standard filter", dlbf.Shape{Bits: g.m, Hashes: g.k},
				claim.By(exact, occupied(standard, n)), found[2]))
	}
	residual := func(n int) float64 { // the fill that is expected to be left
		return math.Pow((filled(s, n)-s.Clearable(n))/float64(s.Cells()), float64(s.Hashes))
	}
	panel := chart.New("", "elements, n", "rate of false positives")
	for i, curve := range []struct {
		name string
		of   func(n int) float64
	}{
		{"before removal", func(n int) float64 { return occupied(s, n) }},
		{"after removal", residual},
		{fmt.Sprintf("standard filter of %d bits", g.m), func(n int) float64 {
			return occupied(standard,
				n)
		}},
	} {
		from := g.members[len(g.members)-1] // where something is drawn
		if len(drawn[i]) > 0 {
			from = int(drawn[i][0].X)
		}
		panel.Add(curve.name, g.line(from, itself, curve.of), chart.Expected(i))
		panel.Add(curve.name, drawn[i], chart.Marks(i))
	}
	chart.Logarithmic(quantity.Percent, &panel.Y)
	return claims, []claim.Figure{{Name: "figure4" + g.name, Picture: &chart.Picture{
		Title: fmt.Sprintf("The letter's figure 4: false positives (m = %d, k = %d, r = %d); "+
			"marks simulated, lines by theory", g.m, g.k, s.Regions),
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 460, Height: 300,
	}}}
}
