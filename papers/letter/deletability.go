package letter

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
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
		members: []int{4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 36, 40, 48, 60}, elements: e, points: map[point][]trial{}, beside: map[int][]trial{},
	}
}

// others is filters of which the letter says that they do the same.
func others(e elements) *grid {
	return &grid{
		name: "-1024", m: 1024, k: 7, regions: []int{16, 32, 64, 128, 256, 512}, rates: 128,
		members: []int{20, 30, 40, 50, 60, 70, 80, 100, 120, 150}, elements: e, points: map[point][]trial{}, beside: map[int][]trial{},
	}
}

func (g *grid) shape(r int) dlbf.Shape { return dlbf.Shape{Bits: g.m, Regions: r, Hashes: g.k} }

// number returns how many trials there are of n elements: a short run takes fewer where no sentence is about n.
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
		results := simulate(run, fmt.Sprintf("grid%s %d %d", g.name, r, n), s, n, g.elements, asked, g.number(run, n))
		g.points[point{r, n}] = results
		at := claim.Claim{
			Item: "figures 2 and 3", Where: "figures 2 and 3", Parameters: parameters(s, n), Unit: claim.Share,
			Trials: len(results), Reading: claim.Literal, Point: true,
		}
		at.Quantity = "deletable elements"
		at.Theory, at.Interval = claim.By(exact, s.Deletable(n)), mean(results, deletable)
		claims = append(claims, at)
		at.Quantity = "bits reset, of those set"
		at.Theory, at.Interval = claim.By(exact, s.Clearable(n)/filled(s, n)), resetShare(results)
		claims = append(claims, at)
	}
	return claims
}

// filled returns how many cells n elements are expected to set.
func filled(s dlbf.Shape, n int) float64 {
	cells := float64(s.Cells())
	return -cells * math.Expm1(float64(n*s.Hashes)*math.Log1p(-1/cells))
}

// series returns the points of the figures with r regions.
func (g *grid) series(r int, x func(n int) float64, y func([]trial) claim.Interval) (xys plotter.XYs) {
	for _, n := range g.members {
		xys = append(xys, plotter.XY{X: x(n), Y: *y(g.points[point{r, n}]).Measured})
	}
	return xys
}

// line returns the points of a formula over the numbers of elements of the figures, from the first of some.
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
	p.Y.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Number(100 * v) }, 0, 0.2, 0.4, 0.6, 0.8, 1)
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
		Item: "figure 1: an example", Where: "figure 1", Parameters: parameters(s, n), Quantity: "filters of which all elements are deletable",
		Unit: claim.Share, Interval: claim.Mean(all), Trials: letterly, Reading: claim.Literal,
	}}, nil
}

// figure2 draws the deletable part by the bits per element.
func (g *grid) figure2(*trials.Run) ([]claim.Claim, []claim.Figure) {
	picture := &chart.Picture{
		Title:   fmt.Sprintf("The letter's figure 2: deletable elements by m/n and m/r (m = %d, k = %d); lines are theory, marks simulated", g.m, g.k),
		Columns: 2, Width: 340, Height: 260,
	}
	each := func(n int) float64 { return float64(g.m) / float64(n) }
	for _, theory := range []struct {
		name string
		of   func(dlbf.Shape, int) float64
	}{{meantEquation1, dlbf.Shape.Equation1}, {exact, dlbf.Shape.Deletable}} {
		panel := shares(chart.New(theory.name, "bits per element, m/n", "deletable elements (%)"))
		for i, r := range g.regions {
			name := fmt.Sprintf("m/r = %d", g.m/r)
			panel.Add(name, g.line(g.members[0], each, func(n int) float64 { return theory.of(g.shape(r), n) }), chart.Expected(i))
			panel.Add(name, g.series(r, each, deletables), chart.Marks(i))
		}
		panel.X.Min = 0
		picture.Panels = append(picture.Panels, panel)
	}
	return nil, []claim.Figure{{Name: "figure2" + g.name, Picture: picture}}
}

// predicted is what section III-A reads from figure 2.
func (g *grid) predicted(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	// The sentence that reads the figure gives no k.
	const n = bits / 16
	for k := 3; k <= 11; k++ {
		s := dlbf.Shape{Bits: bits, Regions: bits / 20, Hashes: k}
		c := claim.Claim{
			Item: "figure 2: m/r = 20, m/n = 16", Where: `section III-A: "remove around 90 % of the elements"`,
			Parameters: parameters(s, n), Quantity: "deletable elements, as predicted", Unit: claim.Share,
			Published: claim.About(0.9), Theory: claim.By(meantEquation1, s.Equation1(n)), Interval: claim.Exact(s.Equation1(n)),
			Reading: fmt.Sprintf("k = %d", k),
			Why: fmt.Sprintf("by Eq. (1), as meant, it is %s with k = %d, and %s with k = 5", quantity.Percent(s.Equation1(n)), k,
				quantity.Percent(dlbf.Shape{Bits: bits, Regions: bits / 20, Hashes: hashes}.Equation1(n))),
		}
		claims = append(claims, c)
	}
	c := claims[hashes-3]
	results := g.points[point{bits / 20, n}]
	c.Quantity, c.Interval, c.Trials = "deletable elements, as simulated", mean(results, deletable), letterly
	c.Theory = claim.By(exact, shape(bits/20).Deletable(n))
	claims = append(claims, c)
	share := c
	share.Where, share.Quantity = `section III-A: "only 5 % of the available bits (m/r = 20)"`, "the collision bitmap's share of the bits"
	share.Published, share.Theory, share.Interval = claim.Rounded(0.05, 0.01), claim.Theory{}, claim.Exact(1./20)
	share.Trials, share.Reading = 0, claim.Literal
	claims = append(claims, share)

	// Which way the curves go.
	trend := claim.Claim{Item: "figure 2: directions", Unit: claim.Share, Reading: claim.Literal, Trials: letterly}
	for i, r := range g.regions[1:] {
		trend.Where, trend.Quantity = `section III-A: "increasing r results in a larger portion of deletable elements"`, "deletable elements, more than with fewer regions"
		trend.Parameters = parameters(shape(r), members)
		trend.Parameters["less r"] = g.regions[i]
		trend.Published = claim.Trend(claim.Higher)
		trend.Theory = claim.By(exact, shape(r).Deletable(members)-shape(g.regions[i]).Deletable(members))
		trend.Interval = mean(g.points[point{r, members}], deletable).Less(mean(g.points[point{g.regions[i], members}], deletable))
		trend.Reading = claim.Literal
		trend.Why = fmt.Sprintf("the larger bitmap leaves %d cells instead of %d, so that more of the %d throws collide: exactly, %s of the elements "+
			"are deletable with r = %d and %s with r = %d", shape(r).Cells(), shape(g.regions[i]).Cells(), hashes*members,
			quantity.Percent(shape(r).Deletable(members)), r, quantity.Percent(shape(g.regions[i]).Deletable(members)), g.regions[i])
		claims = append(claims, trend)
	}
	for _, r := range g.regions {
		trend.Where, trend.Quantity = `section III-A: "as more elements are inserted … the deletion capabilities are reduced"`, "deletable elements, fewer than with fewer elements"
		trend.Parameters = parameters(shape(r), 30)
		trend.Parameters["less n"] = 15
		trend.Published = claim.Trend(claim.Lower)
		trend.Theory = claim.By(exact, shape(r).Deletable(30)-shape(r).Deletable(15))
		trend.Interval = mean(g.points[point{r, 30}], deletable).Less(mean(g.points[point{r, 15}], deletable))
		trend.Reading, trend.Why = claim.Literal, ""
		claims = append(claims, trend)
	}
	return claims, nil
}

// figure3 draws deletable elements and reset bits by the number of elements.
func (g *grid) figure3(*trials.Run) ([]claim.Claim, []claim.Figure) {
	picture := &chart.Picture{
		Title:   fmt.Sprintf("The letter's figure 3: what can be deleted (m = %d, k = %d); lines are exact, marks simulated", g.m, g.k),
		Columns: 2, Width: 340, Height: 260,
	}
	for _, half := range []struct {
		title    string
		theory   func(s dlbf.Shape, n int) float64
		measured func([]trial) claim.Interval
	}{
		{"elements that are deletable", dlbf.Shape.Deletable, deletables},
		{"bits reset, of those set", func(s dlbf.Shape, n int) float64 { return s.Clearable(n) / filled(s, n) }, resetShare},
	} {
		panel := shares(chart.New(half.title, "elements, n", "share (%)"))
		for i, r := range g.regions {
			name := fmt.Sprintf("r = %d", r)
			panel.Add(name, g.line(g.members[0], itself, func(n int) float64 { return half.theory(g.shape(r), n) }), chart.Expected(i))
			panel.Add(name, g.series(r, itself, half.measured), chart.Marks(i))
		}
		picture.Panels = append(picture.Panels, panel)
	}
	return nil, []claim.Figure{{Name: "figure3" + g.name, Picture: picture}}
}

// equation1 is what section IV says that theory predicts.
func (g *grid) equation1(*trials.Run) ([]claim.Claim, []claim.Figure) {
	s := shape(regions)
	c := claim.Claim{
		Item: "Eq. (1) at r = 24, n = 22", Where: `section IV: "compared to 90 % predicted by theory"`, Parameters: parameters(s, members),
		Quantity: "deletable elements, as predicted", Unit: claim.Share,
	}
	meant := quantity.Percent(s.Equation1(members))
	var claims []claim.Claim
	for _, rounding := range roundings {
		for _, form := range []struct {
			theory claim.Theory
			why    string
		}{
			{claim.By(printedEquation1, s.Equation1Printed(members)), fmt.Sprintf("as printed it is the probability that all k regions have a collision, "+
				"%s: the complement, %s, is what it is said to be", quantity.Percent(s.Equation1Printed(members)), meant)},
			{claim.By(meantEquation1, s.Equation1(members)), fmt.Sprintf("the formula gives %s, which is 90 %% to tens only", meant)},
			{claim.By(ownThrow, s.OwnThrow(members)), "this is the correction that the letter's equation lacks: in the region of an element's own throw " +
				"that cell must get no other throw, instead of one at most"},
		} {
			c.Published, c.Theory, c.Interval = claim.Rounded(0.9, rounding.unit), form.theory, claim.Exact(*form.theory.Expected)
			c.Reading, c.Why = form.theory.Of+", "+rounding.name, form.why
			claims = append(claims, c)
		}
	}
	return claims, nil
}

// roundings are how percentages without decimals can be meant.
var roundings = []struct {
	name string
	unit float64
}{{"to tens of %", 0.1}, {"to 1 %", 0.01}}

// observed is what section IV says that it observed.
func (g *grid) observed(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const number = 10 * letterly // more than the letter has, because some readings differ by little
	s := shape(regions)
	literal := simulate(run, "observed", s, members, g.elements, 0, number)
	apart := simulate(run, "distinct", s, members, distinct, 0, number)
	c := claim.Claim{
		Item: "figure 3 at r = 24, n = 22", Where: `section IV: "80 % of the elements could be removed"`, Parameters: parameters(s, members),
		Quantity: "deletable elements", Unit: claim.Share, Trials: number,
	}
	for _, rounding := range roundings {
		for _, cells := range []struct {
			reading string
			results []trial
		}{
			{"cells may coincide", literal},
			{"coinciding cells of an element are no collision", simulate(run, "once", s, members, once, 0, number)},
			{"cells of an element are distinct", apart},
		} {
			c.Published, c.Interval = claim.Rounded(0.8, rounding.unit), mean(cells.results, deletable)
			c.Theory = claim.By(exact, s.Deletable(members))
			if cells.reading != "cells may coincide" {
				c.Theory = claim.Theory{}
			}
			c.Reading = cells.reading + ", " + rounding.name
			c.Why = fmt.Sprintf("the exact value is %s where an element's cells are independent", quantity.Percent(s.Deletable(members)))
			claims = append(claims, c)
		}
	}
	c.Where, c.Quantity = `section IV: "by resetting around 40 % of the bits"`, "bits reset"
	_, free := p0AndFree(s, members)
	for _, precision := range []struct {
		name string
		p    claim.Published
	}{{"within a tenth", claim.About(0.4)}, {"to tens of %", claim.Rounded(0.4, 0.1)}} {
		for _, bits := range []struct {
			reading string
			theory  claim.Theory
			found   claim.Interval
		}{
			{"of the bits that are set", claim.By(exact, s.Clearable(members)/filled(s, members)), resetShare(literal)},
			{"of the elements' k bits each", claim.By(exact, s.Clearable(members)/(hashes*members)), mean(literal, func(t *trial) float64 { return t.free })},
			{"of all m bits", claim.By(exact, s.Clearable(members)/float64(s.Bits)), mean(literal, func(t *trial) float64 { return t.reset / float64(s.Bits) })},
			{"bits in regions without a collision, of all m'", claim.By("(1-pc)^(m'/r)", free), mean(literal, func(t *trial) float64 { return 1 - t.collided })},
		} {
			c.Reading, c.Published, c.Theory, c.Interval = bits.reading+", "+precision.name, precision.p, bits.theory, bits.found
			c.Why = fmt.Sprintf("%s by theory; with distinct cells of an element %s of the bits that are set would be reset; regions without a collision have %s of the cells",
				quantity.Percent(*bits.theory.Expected), quantity.Percent(*resetShare(apart).Measured), quantity.Percent(free))
			claims = append(claims, c)
		}
	}
	c.Where, c.Quantity, c.Reading = `section IV: "10 % of the memory is used to code the bitmap (r = 24)"`, "the collision bitmap's share of the bits", claim.Literal
	c.Published, c.Theory, c.Interval, c.Trials = claim.Rounded(0.1, 0.01), claim.Theory{}, claim.Exact(float64(regions)/bits), 0
	claims = append(claims, c)
	for _, theory := range []claim.Theory{
		claim.By(printedEquation1, s.Equation1Printed(members)), claim.By(meantEquation1, s.Equation1(members)),
		claim.By(ownThrow, s.OwnThrow(members)), claim.By(exact, s.Deletable(members)),
	} {
		claims = append(claims, claim.Claim{
			Item: "figure 3 at r = 24, n = 22: theories", Where: "section IV", Parameters: parameters(s, members), Quantity: "deletable elements",
			Unit: claim.Share, Theory: theory, Interval: mean(literal, deletable), Trials: number, Reading: claim.Literal,
		})
	}
	return claims, nil
}

// p0AndFree returns the probabilities that a cell is empty, and that a region has no collision, by the letter.
func p0AndFree(s dlbf.Shape, n int) (p0, free float64) {
	cells, kn := float64(s.Cells()), float64(s.Hashes*n)
	p0 = math.Pow(1-1/cells, kn)
	p1 := kn / cells * math.Pow(1-1/cells, kn-1)
	return p0, math.Pow(p0+p1, cells/float64(s.Regions))
}

// doubling is the sentence on r = 60 and r = 120.
func (g *grid) doubling(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	few, many := shape(60), shape(120)
	both := func(n int, of func([]trial) claim.Interval) claim.Interval {
		return of(g.points[point{120, n}]).Less(of(g.points[point{60, n}]))
	}
	differences := func(n int, of func(dlbf.Shape, int) float64) claim.Theory {
		return claim.By(exact, of(many, n)-of(few, n))
	}
	c := claim.Claim{Item: "doubling r from 60 to 120", Trials: letterly}
	for _, n := range []int{10, 22, 40} {
		c.Parameters = parameters(many, n)
		c.Parameters["less r"] = 60
		c.Where, c.Quantity, c.Unit = `section IV: doubling r improves "not the actual element deletability"`, "deletable elements, more than with r = 60", claim.Share
		c.Published, c.Reading = claim.Trend(claim.NotHigher), fmt.Sprintf("at n = %d", n)
		c.Theory = differences(n, dlbf.Shape.Deletable)
		c.Interval = both(n, func(t []trial) claim.Interval { return mean(t, deletable) })
		c.Why = fmt.Sprintf("exactly, it is %s with r = 60 and %s with r = 120: the sentence holds to n = %d", quantity.Percent(few.Deletable(n)),
			quantity.Percent(many.Deletable(n)), lastWhere(func(n int) bool { return many.Deletable(n) <= few.Deletable(n) }))
		claims = append(claims, c)

		c.Where = `section IV: doubling r "only improves the number of deleted bits"`
		c.Quantity, c.Published = "bits reset, more than with r = 60", claim.Trend(claim.Higher)
		c.Reading = fmt.Sprintf("as a share of the bits that are set, at n = %d", n)
		c.Theory = differences(n, func(s dlbf.Shape, n int) float64 { return s.Clearable(n) / filled(s, n) })
		c.Interval = both(n, resetShare)
		c.Why = fmt.Sprintf("exactly, it is %s with r = 60 and %s with r = 120: the share is higher from n = %d on", quantity.Percent(few.Clearable(n)/filled(few, n)),
			quantity.Percent(many.Clearable(n)/filled(many, n)),
			1+lastWhere(func(n int) bool { return many.Clearable(n)/filled(many, n) <= few.Clearable(n)/filled(few, n) }))
		claims = append(claims, c)

		c.Reading, c.Unit = fmt.Sprintf("as a number, at n = %d", n), claim.Number
		c.Theory = differences(n, dlbf.Shape.Clearable)
		c.Interval = both(n, func(t []trial) claim.Interval { return mean(t, reset) })
		c.Why = fmt.Sprintf("exactly, %.1f bits with r = 60 and %.1f with r = 120, which leaves fewer cells, so that fewer bits are set at all (%.1f and %.1f): "+
			"the number is higher from n = %d on", few.Clearable(n), many.Clearable(n), filled(few, n), filled(many, n),
			1+lastWhere(func(n int) bool { return many.Clearable(n) <= few.Clearable(n) }))
		claims = append(claims, c)
	}
	return claims, nil
}

// lastWhere returns the last n of those from 2 on for which something holds.
func lastWhere(holds func(n int) bool) int {
	n := 1
	for holds(n + 1) {
		n++
	}
	return n
}

// divergence is what the letter says of its theory and what it observes.
func (g *grid) divergence(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	c := claim.Claim{Item: "observed less than Eq. (1)", Trials: letterly}
	observed := func(r, n int) claim.Interval { return mean(g.points[point{r, n}], deletable) }
	points := func(r, n int) claim.Interval { // by which observations are lower
		theory := shape(r).Equation1(n)
		return observed(r, n).Map(func(v float64) float64 { return v - theory })
	}
	times := func(r, n int) claim.Interval { // by which fewer elements are retained by theory, as a logarithm
		theory := math.Log(shape(r).Equation1Printed(n))
		return observed(r, n).Map(func(v float64) float64 { return theory - math.Log(1-v) })
	}
	for _, r := range g.regions[1:] {
		for _, n := range []int{10, 22, 40} {
			c.Where, c.Quantity, c.Unit = `section IV: "as predicted by theory, but with relatively lower values"`, "deletable elements, less Eq. (1) as meant", claim.Share
			c.Parameters, c.Published, c.Reading = parameters(shape(r), n), claim.Trend(claim.Lower), claim.Literal
			c.Interval, c.Theory = points(r, n), claim.By(exact, shape(r).Deletable(n)-shape(r).Equation1(n))
			claims = append(claims, c)
		}
	}
	type gap struct {
		reading string
		of      func(r, n int) claim.Interval
		exact   func(r, n int) float64
	}
	gaps := []gap{
		{"in points", points, func(r, n int) float64 { return shape(r).Deletable(n) - shape(r).Equation1(n) }},
		{"as a ratio of what is retained", times, func(r, n int) float64 {
			return math.Log(shape(r).Equation1Printed(n) / (1 - shape(r).Deletable(n)))
		}},
	}
	c.Unit = claim.Number
	for _, n := range []int{10, 22, 40} {
		for _, gap := range gaps {
			c.Where, c.Quantity = `section IV: lower values, "noteworthy as r tends to m/2"`, "observed less Eq. (1) at r = 120, less the same at r = 24"
			c.Parameters = parameters(shape(120), n)
			c.Parameters["less r"] = 24
			c.Published, c.Reading = claim.Trend(claim.Lower), fmt.Sprintf("%s, n = %d", gap.reading, n)
			c.Interval, c.Theory = gap.of(120, n).Less(gap.of(24, n)), claim.By(exact, gap.exact(120, n)-gap.exact(24, n))
			c.Why = fmt.Sprintf("exactly, the difference is %.1f points at r = 24 and %.1f at r = 120", 100*gaps[0].exact(24, n), 100*gaps[0].exact(120, n))
			claims = append(claims, c)
		}
	}
	for _, r := range []int{24, 60, 120} {
		for _, gap := range gaps {
			c.Where, c.Quantity = `section IV: lower values, noteworthy "for high m/n ratios"`, "observed less Eq. (1) at m/n = 24, less the same at m/n = 6"
			c.Parameters = parameters(shape(r), 10)
			c.Parameters["less n"] = 40
			c.Published, c.Reading = claim.Trend(claim.Lower), fmt.Sprintf("%s, r = %d", gap.reading, r)
			c.Interval, c.Theory = gap.of(r, 10).Less(gap.of(r, 40)), claim.By(exact, gap.exact(r, 10)-gap.exact(r, 40))
			c.Why = fmt.Sprintf("exactly, the difference is %.1f points at m/n = 24 and %.1f at m/n = 6", 100*gaps[0].exact(r, 10), 100*gaps[0].exact(r, 40))
			claims = append(claims, c)
		}
	}
	return claims, nil
}

// requirements are R1 to R4 where they are about numbers. R3, a fixed size, is a test of filter/dlbf.
func (g *grid) requirements(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	wrong, missing, all := 0, 0, 0
	for at, results := range g.points {
		for i := range results {
			wrong, missing, all = wrong+int(results[i].wrong), missing+int(results[i].missing), all+at.n
		}
	}
	c := claim.Claim{Item: "requirements", Parameters: map[string]any{"m": bits, "k": hashes, "r": "all", "n": "all"}, Unit: claim.Share, Reading: claim.Literal, Trials: all}
	c.Where, c.Quantity = `section III: "removed if at least one of its bits is reset"`, "elements of which that is not so"
	c.Published, c.Interval = claim.Rounded(0, 0), claim.Proportion(wrong, all)
	claims = append(claims, c)
	c.Where, c.Quantity = "section I, R2: no false negatives upon element deletion", "members that are not found after a delete"
	c.Interval = claim.Proportion(missing, all)
	claims = append(claims, c)

	s, standard := shape(regions), standard(bits, hashes)
	r4 := claim.Claim{
		Item: "requirements", Where: "sections I and III-B, R4: a rate comparable to that of a standard filter of the same size",
		Parameters: parameters(s, members), Quantity: "rate of false positives, as a multiple of the standard filter's", Unit: claim.Number,
		Theory: claim.By(printedEquation2, s.Equation2(members)/standard.Equation2(members)),
	}
	r4.Interval = claim.Exact(occupied(s, members) / occupied(standard, members))
	few := dlbf.Shape{Bits: bits, Hashes: hashes, Regions: lastWhere(func(r int) bool {
		return dlbf.Shape{Bits: bits, Regions: r, Hashes: hashes}.Equation2(members) <= 1.1*standard.Equation2(members)
	})}
	for _, reading := range []struct {
		name string
		p    claim.Published
	}{{"equal within a tenth", claim.About(1)}, {"equal within a factor of two", claim.Published{Value: new(1.0), Least: new(0.5), Most: new(2.0)}}} {
		r4.Parameters = maps.Clone(r4.Parameters)
		r4.Reading, r4.Published = reading.name, reading.p
		r4.Why = fmt.Sprintf("the bitmap's tenth of the bits raises the part that is set from %s to %s, and the rate is its fifth power: "+
			"exactly, %s instead of %s; it is within a tenth for r = %d and less, m/r = %.0f",
			quantity.Percent(filled(standard, members)/bits), quantity.Percent(filled(s, members)/float64(s.Cells())),
			quantity.Percent(occupied(s, members)), quantity.Percent(occupied(standard, members)), few.Regions, float64(bits)/float64(few.Regions))
		claims = append(claims, r4)
	}
	return claims, nil
}
