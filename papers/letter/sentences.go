package letter

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// This file has what the letter's text says of its figures and equations.

// at returns the trials of a point of the letter's figures.
func (g *grid) at(r, n int) []trial { return g.points[point{r, n}] }

// with adds a parameter.
func with(all map[string]any, name string, value int) map[string]any {
	all[name] = value
	return all
}

// predicted is what section III-A reads from figure 2. It gives no k.
func (g *grid) predicted(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const r, n = bits / 20, bits / 16
	c := claim.Claim{
		Item:     "figure 2: m/r = 20, m/n = 16",
		Where:    `section III-A: "remove around 90 % of the elements"`,
		Quantity: "deletable elements, as predicted", Unit: claim.Share,
		Published: claim.About(0.9),
	}
	for k := 3; k <= 11; k++ {
		s := dlbf.Shape{Bits: bits, Regions: r, Hashes: k}
		c.Parameters, c.Reading = parameters(s, n), fmt.Sprintf("k = %d", k)
		value := Equation1(s, n)
		c.Theory, c.Interval = claim.By(meantEquation1, value), claim.Exact(value)
		c.Why = fmt.Sprintf("by Eq. (1), as meant, it is %s with k = 5, which section IV has",
			quantity.Percent(Equation1(shape(r), n)))
		claims = append(claims, c)
	}
	c.Quantity, c.Parameters = "deletable elements, as simulated", parameters(shape(r), n)
	c.Theory, c.Interval = claim.By(exact, shape(r).Deletability(n)), mean(g.at(r, n), deletable)
	c.Trials, c.Reading = letterly, "k = 5"
	claims = append(claims, c)

	c.Where = `section III-A: "only 5 % of the available bits (m/r = 20)"`
	c.Quantity, c.Published = "the collision bitmap's share of the bits", claim.Rounded(0.05, 0.01)
	c.Theory, c.Interval = claim.Theory{}, claim.Exact(float64(r)/bits)
	c.Trials, c.Reading = 0, claim.Literal
	return append(claims, c), nil
}

// directions is which way the curves of figure 2 go.
func (g *grid) directions(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	c := claim.Claim{Item: "figure 2: directions", Unit: claim.Share, Reading: claim.Literal,
		Trials: letterly}
	for i, r := range g.regions[1:] {
		fewer := g.regions[i]
		s, other := shape(r), shape(fewer)
		c.Where = `section III-A: "increasing r results in a larger portion of deletable elements"`
		c.Quantity = "deletable elements, more than with fewer regions"
		c.Parameters, c.Published = with(parameters(s, members), "less r", fewer),
			claim.Trend(claim.Higher)
		c.Theory = claim.By(exact, s.Deletability(members)-other.Deletability(members))
		c.Interval = deletables(g.at(r, members)).Less(deletables(g.at(fewer, members)))
		c.Why = fmt.Sprintf("the larger bitmap leaves %d cells instead of %d, so that more of "+
			"the %d throws collide: "+
			"exactly, %s of the elements are deletable with r = %d and %s with r = %d",
			s.Cells(), other.Cells(), hashes*members,
			quantity.Percent(s.Deletability(members)), r,
			quantity.Percent(other.Deletability(members)),
			fewer)
		claims = append(claims, c)
	}
	for _, r := range g.regions {
		const n, fewer = 30, 15
		s := shape(r)
		c.Where =
			`section III-A: "as more elements are inserted … the deletion capabilities are reduced"`
		c.Quantity = "deletable elements, fewer than with fewer elements"
		c.Parameters, c.Published = with(parameters(s, n), "less n", fewer),
			claim.Trend(claim.Lower)
		c.Theory = claim.By(exact, s.Deletability(n)-s.Deletability(fewer))
		c.Interval, c.Why = deletables(g.at(r, n)).Less(deletables(g.at(r, fewer))), ""
		claims = append(claims, c)
	}
	return claims, nil
}

// roundings are how percentages without decimals can be meant.
var roundings = []struct {
	name string
	unit float64
}{{"to tens of %", 0.1}, {"to 1 %", 0.01}}

// equation1 is what section IV says that theory predicts.
func (g *grid) equation1(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	s := shape(regions)
	printed, meant := Equation1Printed(s, members), Equation1(s, members)
	c := claim.Claim{
		Item:       "Eq. (1) at r = 24, n = 22",
		Where:      `section IV: "compared to 90 % predicted by theory"`,
		Parameters: parameters(s, members), Quantity: "deletable elements, as predicted",
		Unit: claim.Share,
	}
	for _, rounding := range roundings {
		for _, form := range []struct {
			name  string
			value float64
			why   string
		}{
			{printedEquation1, printed, fmt.Sprintf("as printed it is the probability that all k "+
				"regions have a collision, %s; the probability that is meant is the complement, %s",
				quantity.Percent(printed), quantity.Percent(meant))},
			{meantEquation1, meant, fmt.Sprintf("the formula gives %s, "+
				"which is 90 %% only if rounded to tens", quantity.Percent(meant))},
			{ownThrow, OwnThrow(s, members),
				"this is the correction that the letter's equation lacks: in the region of an " +
					"element's own throw that cell must get no other throw, instead of one at " +
					"most"},
		} {
			c.Published, c.Reading = claim.Rounded(0.9, rounding.unit), form.name+", "+rounding.name
			c.Theory, c.Interval, c.Why = claim.By(form.name, form.value),
				claim.Exact(form.value), form.why
			claims = append(claims, c)
		}
	}
	return claims, nil
}

// observed is what section IV says that it observed. Some readings differ by little, so that there
// are more trials than the letter has.
func (g *grid) observed(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const number = 10 * letterly
	s := shape(regions)
	literal := simulate(run, "observed", s, members, g.elements, 0, number)
	apart := simulate(run, "distinct", s, members, distinct, 0, number)
	c := claim.Claim{
		Item:       "figure 3 at r = 24, n = 22",
		Where:      `section IV: "80 % of the elements could be removed"`,
		Parameters: parameters(s, members), Quantity: "deletable elements", Unit: claim.Share,
		Trials: number,
		Why: fmt.Sprintf("the exact value is %s where an element's cells are independent",
			quantity.Percent(s.Deletability(members))),
	}
	independent := claim.By(exact, s.Deletability(members))
	for _, rounding := range roundings {
		for _, cells := range []struct {
			reading string
			theory  claim.Theory
			results []trial
		}{
			{"cells may coincide", independent, literal},
			{"coinciding cells of an element are no collision", claim.Theory{},
				simulate(run, "once", s, members, once, 0, number)},
			{"cells of an element are distinct", claim.Theory{}, apart},
		} {
			c.Published, c.Reading = claim.Rounded(0.8, rounding.unit),
				cells.reading+", "+rounding.name
			c.Theory, c.Interval = cells.theory, deletables(cells.results)
			claims = append(claims, c)
		}
	}
	return append(append(claims, resets(literal, apart)...), theories(literal)...), nil
}

// resets is what "around 40 % of the bits" can mean.
func resets(literal, apart []trial) (claims []claim.Claim) {
	s := shape(regions)
	cells, kn, clearable := float64(s.Cells()), float64(hashes*members), s.Clearable(members)
	notTwice := math.Pow(1-1/cells, kn) + kn/cells*math.Pow(1-1/cells, kn-1) // 1-pc
	free := math.Pow(notTwice, cells/regions)
	c := claim.Claim{
		Item:       "figure 3 at r = 24, n = 22",
		Where:      `section IV: "by resetting around 40 % of the bits"`,
		Parameters: parameters(s, members), Quantity: "bits reset", Unit: claim.Share,
		Trials: len(literal),
	}
	for _, precision := range []struct {
		name string
		claim.Published
	}{{"within a tenth", claim.About(0.4)}, {"to tens of %", claim.Rounded(0.4, 0.1)}} {
		for _, bits := range []struct {
			reading string
			claim.Theory
			claim.Interval
		}{
			{"of the bits that are set", claim.By(exact, clearableShare(s, members)),
				resetShare(literal)},
			{"of the elements' k bits each", claim.By(exact, clearable/kn),
				mean(literal, func(t *trial) float64 { return t.free })},
			{"of all m bits", claim.By(exact, clearable/float64(s.Bits)),
				mean(literal, func(t *trial) float64 { return t.reset / float64(s.Bits) })},
			{"bits in regions without a collision, of all m'", claim.By("(1-pc)^(m'/r)", free),
				mean(literal, func(t *trial) float64 { return 1 - t.collided })},
		} {
			c.Reading, c.Published = bits.reading+", "+precision.name, precision.Published
			c.Theory, c.Interval = bits.Theory, bits.Interval
			c.Why = fmt.Sprintf(
				"%s by theory; with distinct cells of an element %s of the bits that are set "+
					"would be reset; regions without a collision have %s of the cells",
				quantity.Percent(*c.Expected),
				quantity.Percent(*resetShare(apart).Measured),
				quantity.Percent(free),
			)
			claims = append(claims, c)
		}
	}
	c.Where = `section IV: "10 % of the memory is used to code the bitmap (r = 24)"`
	c.Quantity, c.Published = "the collision bitmap's share of the bits", claim.Rounded(0.1, 0.01)
	c.Theory, c.Interval = claim.Theory{}, claim.Exact(float64(regions)/bits)
	c.Trials, c.Reading = 0, claim.Literal
	return append(claims, c)
}

// theories holds each theory beside what is observed.
func theories(literal []trial) (claims []claim.Claim) {
	s := shape(regions)
	for _, theory := range []claim.Theory{
		claim.By(printedEquation1, Equation1Printed(s, members)),
		claim.By(meantEquation1, Equation1(s, members)),
		claim.By(ownThrow, OwnThrow(s, members)),
		claim.By(exact, s.Deletability(members)),
	} {
		claims = append(claims, claim.Claim{
			Item: "figure 3 at r = 24, n = 22: theories", Where: "section IV",
			Parameters: parameters(s, members),
			Quantity:   "deletable elements", Unit: claim.Share, Theory: theory,
			Interval: deletables(literal),
			Trials:   len(literal), Reading: claim.Literal,
		})
	}
	return claims
}

// doubling is the sentence on r = 60 and r = 120.
func (g *grid) doubling(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const less, more = 60, 120
	few, many := shape(less), shape(more)
	c := claim.Claim{Item: "doubling r from 60 to 120", Trials: letterly}
	for _, n := range []int{10, 22, 40} {
		c.Parameters = with(parameters(many, n), "less r", less)
		for _, what := range []struct {
			where, quantity, reading string
			unit                     claim.Unit
			direction                claim.Direction
			theory                   func(dlbf.Shape, int) float64
			measured                 func([]trial) claim.Interval
		}{
			{`section IV: doubling r improves "not the actual element deletability"`,
				"deletable elements, more than with r = 60",
				"at n = %d", claim.Share, claim.NotHigher, dlbf.Shape.Deletability, deletables},
			{`section IV: doubling r "only improves the number of deleted bits"`,
				"bits reset, more than with r = 60",
				"as a share of the bits that are set, at n = %d", claim.Share, claim.Higher,
				clearableShare, resetShare},
			{`section IV: doubling r "only improves the number of deleted bits"`,
				"bits reset, more than with r = 60",
				"as a number, at n = %d", claim.Number, claim.Higher, dlbf.Shape.Clearable,
				func(t []trial) claim.Interval { return mean(t, reset) }},
		} {
			c.Where, c.Quantity, c.Unit, c.Reading = what.where, what.quantity, what.unit,
				fmt.Sprintf(what.reading, n)
			c.Published = claim.Trend(what.direction)
			c.Theory = claim.By(exact, what.theory(many, n)-what.theory(few, n))
			c.Interval = what.measured(g.at(more, n)).Less(what.measured(g.at(less, n)))
			c.Why = fmt.Sprintf("exactly, it is %.3g with r = 60 and %.3g with r = 120, which "+
				"leaves fewer cells, so that "+
				"fewer bits are set at all (%.1f and %.1f): it is higher from n = %d on",
				what.theory(few, n),
				what.theory(many, n), filled(few, n), filled(many, n),
				1+lastWhere(
					func(n int) bool { return what.theory(many, n) <= what.theory(few, n) }))
			claims = append(claims, c)
		}
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
	// By which observations are lower, in points, and as the logarithm of a ratio of what is
	// retained.
	points := func(r, n int) claim.Interval {
		theory := Equation1(shape(r), n)
		return deletables(g.at(r, n)).Map(func(v float64) float64 { return v - theory })
	}
	ratio := func(r, n int) claim.Interval {
		theory := math.Log(Equation1Printed(shape(r), n))
		return deletables(g.at(r, n)).Map(func(v float64) float64 { return theory - math.Log(1-v) })
	}
	exactPoints := func(r, n int) float64 {
		return shape(r).Deletability(n) - Equation1(shape(r), n)
	}
	exactRatio := func(r, n int) float64 {
		return math.Log(Equation1Printed(shape(r), n) / (1 - shape(r).Deletability(n)))
	}

	c := claim.Claim{Item: "observed less than Eq. (1)", Published: claim.Trend(claim.Lower),
		Trials: letterly}
	for _, r := range g.regions[1:] {
		for _, n := range []int{10, 22, 40} {
			c.Where = `section IV: "as predicted by theory, but with relatively lower values"`
			c.Quantity, c.Unit = "deletable elements, less Eq. (1) as meant", claim.Share
			c.Parameters, c.Reading = parameters(shape(r), n), claim.Literal
			c.Theory, c.Interval = claim.By(exact, exactPoints(r, n)), points(r, n)
			claims = append(claims, c)
		}
	}
	type ends struct{ r, n, otherR, otherN int }
	compare := func(at ends, which string) {
		for _, gap := range []struct {
			name  string
			of    func(r, n int) claim.Interval
			exact func(r, n int) float64
		}{{"in points", points, exactPoints},
			{"as a ratio of what is retained", ratio, exactRatio}} {
			c.Unit, c.Reading = claim.Number, gap.name+", "+which
			c.Theory = claim.By(exact, gap.exact(at.r, at.n)-gap.exact(at.otherR, at.otherN))
			c.Interval = gap.of(at.r, at.n).Less(gap.of(at.otherR, at.otherN))
			c.Why = fmt.Sprintf("exactly, observations are %.1f points off Eq. (1) here, and "+
				"%.1f with r = %d, n = %d",
				100*exactPoints(at.r, at.n), 100*exactPoints(at.otherR, at.otherN),
				at.otherR, at.otherN)
			claims = append(claims, c)
		}
	}
	for _, n := range []int{10, 22, 40} {
		c.Where = `section IV: lower values, "noteworthy as r tends to m/2"`
		c.Quantity = "observed less Eq. (1) at r = 120, less the same at r = 24"
		c.Parameters = with(parameters(shape(120), n), "less r", regions)
		compare(ends{120, n, regions, n}, fmt.Sprintf("n = %d", n))
	}
	for _, r := range []int{24, 60, 120} {
		c.Where = `section IV: lower values, noteworthy "for high m/n ratios"`
		c.Quantity = "observed less Eq. (1) at m/n = 24, less the same at m/n = 6"
		c.Parameters = with(parameters(shape(r), 10), "less n", 40)
		compare(ends{r, 10, r, 40}, fmt.Sprintf("r = %d", r))
	}
	return claims, nil
}

// requirements are R1 to R4 where they are about numbers. R3, a fixed size, is a test of
// filter/family/dlbf.
func (g *grid) requirements(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	wrong, missing, all := 0, 0, 0
	for at, results := range g.points {
		for i := range results {
			wrong, missing, all = wrong+int(results[i].wrong),
				missing+int(results[i].missing), all+at.n
		}
	}
	c := claim.Claim{
		Item: "requirements", Where: `section III: "removed if at least one of its bits is reset"`,
		Parameters: map[string]any{"m": bits, "k": hashes, "r": "all", "n": "all"},
		Quantity:   "elements of which that is not so", Unit: claim.Share,
		Published: claim.Rounded(0, 0),
		Interval:  claim.Proportion(wrong, all), Reading: claim.Literal, Trials: all,
	}
	claims = append(claims, c)
	c.Where = "section I, R2: no false negatives upon element deletion"
	c.Quantity, c.Interval = "members that are not found after a delete",
		claim.Proportion(missing, all)
	claims = append(claims, c)

	s, standard := shape(regions), standard(bits, hashes)
	tenth := 1.1 * Equation2(standard, members)
	within := lastWhere(func(r int) bool { return Equation2(shape(r), members) <= tenth })
	for _, reading := range []struct {
		name string
		claim.Published
	}{
		{"equal within a tenth", claim.About(1)},
		{"equal within a factor of two", claim.Published{Value: new(1.0), Least: new(0.5),
			Most: new(2.0)}},
	} {
		claims = append(claims, claim.Claim{
			Item: "requirements", Where: "sections I and III-B, R4: a rate comparable to a " +
				"standard filter's of the same size",
			Parameters: parameters(s, members), Unit: claim.Number,
			Quantity:  "rate of false positives, as a multiple of the standard filter's",
			Published: reading.Published, Reading: reading.name,
			Theory: claim.By(printedEquation2,
				Equation2(s, members)/Equation2(standard, members)),
			Interval: claim.Exact(occupied(s, members) / occupied(standard, members)),
			Why: fmt.Sprintf("the bitmap's tenth of the bits raises the part that is set from %s "+
				"to %s, and the rate is "+
				"its fifth power: exactly, %s instead of %s; it is within a tenth for r = %d and "+
				"less, m/r = %d",
				quantity.Percent(filled(standard, members)/bits), quantity.Percent(filled(s,
					members)/float64(s.Cells())),
				quantity.Percent(occupied(s, members)),
				quantity.Percent(occupied(standard, members)),
				within, bits/within),
		})
	}
	return claims, nil
}

// prices is what section IV says of figure 4.
func (g *grid) prices(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	s, standard := shape(regions), standard(bits, hashes)
	for _, n := range []int{10, 22, 48} {
		results, beside := g.at(regions, n), mean(g.beside[n], before)
		c := claim.Claim{
			Item:       "figure 4: directions",
			Where:      `section IV: "an affordable increase before elements are ` + `removed"`,
			Parameters: parameters(s, n),
			Quantity:   "rate before removal, more than the standard filter's",
			Unit:       claim.Share,
			Published:  claim.Trend(claim.Higher),
			Theory:     claim.By(exact, occupied(s, n)-occupied(standard, n)),
			Interval:   mean(results, before).Less(beside), Trials: letterly,
			Reading: claim.Literal,
		}
		claims = append(claims, c)
		c.Where = `section IV: "a potential improvement when element bits are deleted"`
		c.Published, c.Theory = claim.Trend(claim.Lower), claim.Theory{}
		c.Quantity = "rate after removal, less than before it"
		c.Interval = mean(results, func(t *trial) float64 { return t.after - t.before })
		claims = append(claims, c)
		c.Quantity, c.Interval = "rate after removal, less than the standard filter's",
			mean(results, after).Less(beside)
		c.Why = fmt.Sprintf("of %.0f bits that are set, %.0f are in regions with a collision, "+
			"and stay",
			filled(s, n), filled(s, n)-s.Clearable(n))
		claims = append(claims, c)
	}
	return claims, nil
}
