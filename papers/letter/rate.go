package letter

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// occupied returns the exact rate of false positives of n elements: the mean of the k-th power of the part of
// the cells that is set. Equation 2 takes the power of the mean, which is less (Bose et al., "On the
// false-positive rate of Bloom filters", Information Processing Letters, 2008). It goes throw by throw, with
// the probability of each number of cells that are set.
func occupied(s dlbf.Shape, n int) (rate float64) {
	cells := s.Cells()
	probability := make([]float64, cells+1) // of so many cells
	probability[0] = 1
	for throw := range n * s.Hashes {
		for set := min(throw+1, cells); set > 0; set-- {
			probability[set] = (probability[set]*float64(set) + probability[set-1]*float64(cells-set+1)) / float64(cells)
		}
		probability[0] = 0
	}
	for set, p := range probability {
		rate += p * math.Pow(float64(set)/float64(cells), float64(s.Hashes))
	}
	return rate
}

// figure4 draws the rate before and after the removal of all elements, beside a standard filter's.
func (g *grid) figure4(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	s, standard := g.shape(g.rates), standard(g.m, g.k)
	var drawn [3]plotter.XYs
	for _, n := range g.members {
		results := g.points[point{s.Regions, n}]
		g.beside[n] = simulate(run, fmt.Sprintf("standard%s %d", g.name, n), standard, n, g.elements, queries, g.number(run, n))
		found := [3]claim.Interval{mean(results, before), mean(results, after), mean(g.beside[n], before)}
		for i := range found {
			if *found[i].Low > 0 { // else no more is known than that it is small
				drawn[i] = append(drawn[i], plotter.XY{X: float64(n), Y: *found[i].Measured})
			}
		}
		at := func(quantity string, s dlbf.Shape, t claim.Theory, i claim.Interval) claim.Claim {
			return claim.Claim{Item: "figure 4", Where: "figure 4", Parameters: parameters(s, n), Quantity: quantity, Unit: claim.Share,
				Theory: t, Interval: i, Trials: len(results), Reading: claim.Literal, Point: true}
		}
		claims = append(claims,
			at("rate of false positives before removal", s, claim.By(exact, occupied(s, n)), found[0]),
			at("rate of false positives after removal", s, claim.Theory{}, found[1]),
			at("rate of false positives of a standard filter", dlbf.Shape{Bits: g.m, Hashes: g.k}, claim.By(exact, occupied(standard, n)), found[2]))
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
		{fmt.Sprintf("standard filter of %d bits", g.m), func(n int) float64 { return occupied(standard, n) }},
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
		Title: fmt.Sprintf("The letter's figure 4: false positives (m = %d, k = %d, r = %d); marks simulated, lines exact, after removal of the mean fill",
			g.m, g.k, s.Regions),
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 460, Height: 300,
	}}}
}

// prices is what section IV says of figure 4.
func (g *grid) prices(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	s, standard := shape(regions), standard(bits, hashes)
	of := func(results []trial, of func(*trial) float64) claim.Interval { return mean(results, of) }
	for _, n := range []int{10, 22, 48} {
		c := claim.Claim{Item: "figure 4: directions", Parameters: parameters(s, n), Unit: claim.Share, Trials: letterly, Reading: claim.Literal}
		results := g.points[point{regions, n}]
		c.Where, c.Quantity = `section IV: "an affordable increase before elements are removed"`, "rate before removal, more than the standard filter's"
		c.Published, c.Interval = claim.Trend(claim.Higher), of(results, before).Less(of(g.beside[n], before))
		c.Theory = claim.By(exact, occupied(s, n)-occupied(standard, n))
		claims = append(claims, c)
		c.Where, c.Quantity = `section IV: "a potential improvement when element bits are deleted"`, "rate after removal, less than before it"
		c.Published, c.Interval, c.Theory = claim.Trend(claim.Lower), of(results, func(t *trial) float64 { return t.after - t.before }), claim.Theory{}
		claims = append(claims, c)
		c.Quantity, c.Interval = "rate after removal, less than the standard filter's", of(results, after).Less(of(g.beside[n], before))
		c.Why = fmt.Sprintf("of %.0f bits that are set, %.0f are in regions with a collision, and stay",
			filled(s, n), filled(s, n)-s.Clearable(n))
		claims = append(claims, c)
	}
	return claims, nil
}

// equation2 holds equation 2 against the exact rate.
func equation2(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	for _, p := range []struct {
		s dlbf.Shape
		n int
	}{
		{dlbf.Shape{Bits: 32, Regions: 4, Hashes: 3}, 3}, {dlbf.Shape{Bits: 64, Regions: 8, Hashes: 5}, 6},
		{shape(120), 22}, {shape(24), 10}, {shape(24), 22}, {shape(24), 40}, {dlbf.Shape{Bits: 2400, Regions: 240, Hashes: 5}, 220},
	} {
		number := 20_000
		if run.Short {
			number = letterly
		}
		rates := trials.Each(run, fmt.Sprint("equation 2 ", p), number, func(rng *rand.Rand) float64 {
			a, draw := array(p.s), perfect(rng, uint64(p.s.Cells()), p.s.Hashes)
			for range p.n {
				a.InsertAt(draw(nil))
			}
			return rate(a)
		})
		c := claim.Claim{
			Item: "Eq. (2)", Where: `section III-B: "the well-known false positive probability"`, Parameters: parameters(p.s, p.n), Unit: claim.Number,
			Quantity: "rate of false positives, as a multiple of Eq. (2)", Published: claim.About(1), Reading: claim.Literal, Trials: number,
			Theory:   claim.By("exact, by Bose et al.", occupied(p.s, p.n)/p.s.Equation2(p.n)),
			Interval: claim.Mean(rates).Map(func(v float64) float64 { return v / p.s.Equation2(p.n) }),
			Why: fmt.Sprintf("the mean of a k-th power is more than the power of the mean: exactly, %s instead of %s with %d cells",
				quantity.Percent(occupied(p.s, p.n)), quantity.Percent(p.s.Equation2(p.n)), p.s.Cells()),
		}
		claims = append(claims, c)
	}
	return claims, nil
}
