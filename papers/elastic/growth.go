package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// figures is Figs. 3 to 6.
var figures = []claim.Part{sizeOfFig3, fig3to6, fig4}

// peaks are the relative peak data sizes: members, as a multiple of those to begin with.
var peaks = []int{1, 2, 4, 8, 16, 32, 64}

// growth is the peaks by subject and trial.
type growth [][][]grown

// grownTo returns all subjects at some numbers of members.
func grownTo(run *trials.Run, name string, log int, at []int, times int) (all growth) {
	most := at[len(at)-1]
	for i := range subjects(log, most) {
		all = append(all, trials.Each(run, fmt.Sprint(name, log, i), times,
			func(rng *rand.Rand) []grown {
				return grow(rng, &subjects(log, most)[i], at)
			}))
	}
	return all
}

// of returns a number of all trials at a peak.
func (g growth) of(subject, peak int, number func(*grown) float64) []float64 {
	return trials.Column(g[subject], func(at *[]grown) float64 { return number(&(*at)[peak]) })
}

// apart is the logarithm of a subject's number by another's.
func (g growth) apart(a, b, peak int, number func(*grown) float64) claim.Interval {
	return claim.Mean(logs(g.of(a, peak, number))).Less(claim.Mean(logs(g.of(b, peak, number))))
}

func logs(values []float64) []float64 {
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = math.Log(v)
	}
	return all
}

func rateOf(g *grown) float64   { return g.rate }
func randomOf(g *grown) float64 { return g.random }

// insertOf is the bits and buckets per insert, those of expansions too.
func insertOf(g *grown) float64 { return g.insert + g.buckets + g.moved }

// mixOf returns the bits and buckets per operation, for a number of queries of each kind per
// insert.
func mixOf(queries float64) func(*grown) float64 {
	return func(g *grown) float64 {
		return (insertOf(g) + queries*(g.mixPositive+g.mixRandom)) / (1 + 2*queries)
	}
}

// fig3to6 is the growth from one size to 64 times as many members. The sizes are an eighth of the
// paper's, or less.
func fig3to6(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	log := number(run, logBits, 11)
	var at []int
	for _, peak := range peaks {
		at = append(at, peak<<log/16)
	}
	times := number(run, 8, 8)
	all := grownTo(run, "growth ", log, at, times)
	names := subjects(log, at[last])

	rates := chart.New("rate (Fig. 3)", "peak data size", "false positives")
	reads := chart.New("a query of a non-member (Fig. 5)", "peak data size", "bits read")
	deletes := chart.New("a delete (Fig. 5)", "peak data size", "bits and buckets")
	inserts := chart.New("an insert, expansions too (Fig. 5)", "peak data size", "bits and buckets")
	for i := range names {
		var points [4]plotter.XYs
		var lines [2]plotter.XYs
		for x := 1.0; x <= float64(peaks[last]); x *= math.Exp2(1. / 32) {
			rate, read := names[i].expected(int(x * float64(at[0])))
			lines[0] = append(lines[0], plotter.XY{X: x, Y: rate})
			lines[1] = append(lines[1], plotter.XY{X: x, Y: read})
		}
		for p, peak := range peaks {
			x := float64(peak)
			rate, read := names[i].expected(at[p])
			point := claim.Claim{
				Where: "section 5", Parameters: map[string]any{"filter": names[i].name,
					"m": 1 << log, "peak": peak},
				Reading: claim.Literal, Trials: times, Point: true,
			}
			for j, of := range []struct {
				item, quantity string
				unit           claim.Unit
				theory         float64
				number         func(*grown) float64
			}{
				{"Fig. 3", "rate of false positives", claim.Share, rate, rateOf},
				{"Fig. 5", "bits that a query of a non-member reads", claim.Number, read, randomOf},
				{"Fig. 5", "bits and buckets per delete", claim.Number, 0,
					func(g *grown) float64 { return g.delete }},
				{"Fig. 5", "bits and buckets per insert", claim.Number, 0, insertOf},
			} {
				c := point
				c.Item, c.Quantity, c.Unit, c.Interval = of.item, of.quantity, of.unit, claim.Mean(
					all.of(i, p, of.number),
				)
				if j < 2 {
					c.Theory = claim.By(meanField, of.theory)
				}
				if *c.Measured > 0 { // a subject that deletes
					claims = append(claims, c)
					points[j] = append(points[j], plotter.XY{X: x, Y: *c.Measured})
				}
			}
		}
		for j, panel := range []*chart.Panel{rates, reads} {
			panel.Add(names[i].name, lines[j], chart.Expected(i))
			panel.Add(names[i].name, points[j], chart.Marks(i))
		}
		if names[i].churn != nil {
			deletes.Add(names[i].name, points[2], chart.Marked(i))
		}
		inserts.Add(names[i].name, points[3], chart.Marked(i))
	}
	claims = append(claims, fig3(all, times)...)
	claims = append(claims, fig5(all, times)...)
	claims = append(claims, fig6(all, times)...)
	panels := []*chart.Panel{rates, reads, inserts, deletes}
	for _, panel := range panels {
		chart.Logarithmic(quantity.Number, &panel.X)
		panel.X.Tick.Marker = chart.Ticks(quantity.Number, 1, 2, 4, 8, 16, 32, 64)
	}
	chart.Logarithmic(quantity.Percent, &rates.Y)
	for _, panel := range panels[1:] {
		chart.Logarithmic(quantity.Number, &panel.Y)
	}
	return claims, []claim.Figure{{Name: "growth", Picture: &chart.Picture{
		Title: fmt.Sprintf(
			"Growth from 2^%d bits (Ω = %g, k = %d): marks measured, lines by formula",
			log,
			threshold,
			hashes,
		),
		Panels: panels, Columns: 2, Width: 380, Height: 240,
	}}}
}

// last is the highest of the peaks, and shown are those of the sentences.
var (
	last  = len(peaks) - 1
	shown = []int{1, 3, last}
)

func fig3(all growth, times int) (claims []claim.Claim) {
	c := claim.Claim{
		Item: "Fig. 3", Unit: claim.Number, Reading: claim.Literal, Trials: times,
		Why: "the order is another one",
	}
	names := subjects(1, 1)
	for _, p := range shown {
		for i := dynamicOne; i <= plainOne; i++ {
			c.Parameters = map[string]any{"peak": peaks[p], "other": names[i].name}
			c.Where, c.Published = `section 5.2: "our EBF is the best"`, claim.Trend(claim.Lower)
			c.Quantity, c.Interval = "rate, log of elastic by another's",
				all.apart(elasticOne, i, p, rateOf)
			claims = append(claims, c)
			if i == plainOne {
				continue
			}
			c.Where = `section 5.2: "the FPR of standard BF is the worst"`
			c.Quantity, c.Interval = "rate, log of another's by plain",
				all.apart(i, plainOne, p, rateOf)
			claims = append(claims, c)
		}
	}
	for i := dynamicOne; i <= tightenedOne; i++ {
		for _, p := range shown[1:] {
			c.Parameters = map[string]any{"peak": peaks[p], "of": names[i].name}
			c.Where =
				`section 5.2: the rates of the dynamic and the scalable filter "keep increasing"`
			c.Quantity, c.Published = "rate, log by that with half the members",
				claim.Trend(claim.Higher)
			c.Interval = claim.Difference(logs(all.of(i, p, rateOf)), logs(all.of(i, p-1, rateOf)))
			c.Why = "a newly appended filter has next to no rate of its own, and the others are " +
				"full as before"
			claims = append(claims, c)
		}
	}
	perLayer := func(number func(*grown) float64) func(*grown) float64 {
		return func(g *grown) float64 { return number(g) / (g.layers - 1) } // the last is not full
	}
	c.Where =
		`section 2.2: dynamic filters "suffer from the linearly increasing query time and false positives"`
	c.Published, c.Why = claim.About(1), "it is not linear"
	for _, of := range []struct {
		quantity string
		number   func(*grown) float64
	}{{"rate per filter", rateOf}, {"bits per query and filter", randomOf}} {
		c.Parameters = map[string]any{"peak": peaks[last], "of": names[dynamicOne].name}
		c.Quantity = of.quantity + ", as a multiple of that at a quarter of the members"
		c.Interval = claim.Ratio(
			all.of(dynamicOne, last, perLayer(of.number)),
			all.of(dynamicOne, last-2, perLayer(of.number)),
		)
		claims = append(claims, c)
	}
	return claims
}

func fig5(all growth, times int) (claims []claim.Claim) {
	names := subjects(1, 1)
	c := claim.Claim{
		Item: "Fig. 5", Unit: claim.Number, Reading: claim.Literal, Trials: times,
		Why: "the order is another one",
	}
	c.Where = `section 3.2.2: "there is no need to access the slow memory"`
	c.Parameters = map[string]any{"peak": peaks[last]}
	c.Quantity, c.Published = "buckets that a query reads", none()
	c.Interval = claim.Mean(all.of(elasticOne, last, func(g *grown) float64 { return g.slowQuery }))
	claims = append(claims, c)
	c.Where = `section 1: "with neither additional query overhead"`
	c.Quantity, c.Published = "bits that a query of a non-member reads, as a multiple of those "+
		"before any growth",
		claim.About(
			1,
		)
	c.Interval = claim.Ratio(all.of(elasticOne, last, randomOf), all.of(elasticOne, 0, randomOf))
	claims = append(claims, c)
	for _, p := range shown {
		for _, i := range []int{dynamicOne, scalableOne, tightenedOne, parOne} {
			c.Parameters = map[string]any{"peak": peaks[p], "other": names[i].name}
			c.Where = `section 5.3: "its query speed is much faster than the other two"`
			c.Published = claim.Trend(claim.Lower)
			c.Quantity, c.Interval = "bits that a query of a non-member reads, log of elastic by "+
				"another's",
				all.apart(elasticOne, i, p, randomOf)
			claims = append(claims, c)
			c.Quantity = "bits that a query of a member reads, log of elastic by another's"
			c.Interval = all.apart(elasticOne, i, p, func(g *grown) float64 { return g.positive })
			claims = append(claims, c)
			c.Where, c.Published =
				`section 5.3: "the insertion speed of EBF is slower than the other two"`,
				claim.Trend(claim.Higher)
			c.Quantity, c.Interval = "bits and buckets per insert, log of elastic by another's",
				all.apart(elasticOne, i, p, insertOf)
			claims = append(claims, c)
		}
	}
	// Package original looks for all fingerprints first, which takes k bits and k buckets.
	for _, checks := range []struct {
		reading string
		less    float64
	}{{"fingerprints are looked for first", 0}, {"deletes are of members, and nothing is looked " +
		"for", 2 * hashes}} {
		deleteOf := func(g *grown) float64 { return g.delete - checks.less }
		for p, peak := range peaks {
			c.Parameters = map[string]any{"peak": peak, "other": names[dynamicOne].name}
			c.Where =
				`section 5.3: deletes are "faster when the relative peak data size is larger than 16"`
			c.Published, c.Reading = claim.Trend(claim.Lower), checks.reading
			if peak <= 16 {
				c.Published = claim.Trend(claim.Higher)
			}
			own, other := claim.Mean(all.of(elasticOne, p, deleteOf)),
				claim.Mean(all.of(dynamicOne, p, func(g *grown) float64 { return g.delete }))
			c.Quantity = "bits and buckets per delete, less those of another"
			c.Why = fmt.Sprintf(
				"it accesses %.3g, and the other %.3g: this order would need buckets that take "+
					"longer than bits",
				*own.Measured,
				*other.Measured,
			)
			c.Interval = own.Less(other)
			claims = append(claims, c)
		}
	}
	c.Reading = claim.Literal
	c.Parameters = map[string]any{"peak": peaks[last], "of": names[dynamicOne].name}
	c.Where, c.Published = "section 2.2: the optimized dynamic filter supports deletes",
		claim.Rounded(1, 0)
	c.Unit, c.Quantity = claim.Share, "deletes of members that are made"
	c.Interval = claim.Mean(all.of(dynamicOne, last, func(g *grown) float64 { return g.deleted }))
	c.Why = "it is not known which filter has a member that two of them hold, and Guo et al. " +
		"leave it in"
	return append(claims, c)
}

func fig6(all growth, times int) (claims []claim.Claim) {
	names := subjects(1, 1)
	c := claim.Claim{
		Item: "Fig. 6", Unit: claim.Number, Reading: claim.Literal, Trials: times,
		Quantity: "bits and buckets per operation, log of elastic by another's",
	}
	for i := dynamicOne; i <= tightenedOne; i++ {
		for _, p := range []int{2, 4} {
			c.Where =
				`section 5.3: at 1:2:2 and a peak "smaller than 64" the speed is "slightly lower than the ` + `other two"`
			c.Parameters = map[string]any{"peak": peaks[p], "other": names[i].name,
				"ratio": "1:2:2"}
			c.Published, c.Interval = claim.Trend(claim.Higher),
				all.apart(elasticOne, i, p, mixOf(2))
			c.Why = fmt.Sprintf("the other reads %.3g bits per query by then, and the inserts "+
				"take %.3g here",
				*claim.Mean(all.of(i, p,
					func(g *grown) float64 { return g.mixRandom + g.mixPositive })).Measured/2,
				*claim.Mean(all.of(elasticOne, p, insertOf)).Measured)
			claims = append(claims, c)
		}
		c.Where =
			`section 5.3: "with the proportion of query increasing" it "becomes better than the other two"`
		c.Parameters = map[string]any{"peak": peaks[last], "other": names[i].name,
			"ratio": "1:64:64"}
		c.Published, c.Interval = claim.Trend(claim.Lower),
			all.apart(elasticOne, i, last, mixOf(64))
		claims = append(claims, c)
	}
	return claims
}

// fig4 is the rate at last with some sizes to begin with.
func fig4(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	most := number(run, 18, 14)
	n := 1 << most / 16
	times := number(run, 8, 8)
	panel := chart.New("", "log2 of the bits to begin with", "false positives at last")
	var lines, points [plainOne]plotter.XYs
	names := subjects(1, 1)
	for log := most - 6; log <= most+2; log++ {
		all := grownTo(run, "initial ", log, []int{n}, times)
		for i := range plainOne {
			rate, _ := subjects(log, n)[i].expected(n)
			c := claim.Claim{
				Item:       "Fig. 4",
				Where:      "section 5.2",
				Parameters: map[string]any{"filter": names[i].name, "log": log, "n": n},
				Quantity:   "rate of false positives at last", Unit: claim.Share,
				Theory:   claim.By(meanField, rate),
				Interval: claim.Mean(all.of(i, 0, rateOf)), Trials: times,
				Reading: claim.Literal, Point: true,
			}
			claims = append(claims, c)
			lines[i] = append(lines[i], plotter.XY{X: float64(log), Y: rate})
			points[i] = append(points[i], plotter.XY{X: float64(log), Y: *c.Measured})
			if i == elasticOne {
				continue
			}
			c.Where, c.Point, c.Theory =
				`section 5.2: "the EBF is the best for all initial memory `+
					`sizes"`, false, claim.Theory{}
			c.Parameters = map[string]any{"log": log, "n": n, "other": names[i].name}
			c.Unit, c.Quantity, c.Published = claim.Number,
				"rate at last, log of elastic by another's", claim.Trend(
					claim.Lower,
				)
			c.Interval, c.Why = all.apart(elasticOne, i, 0, rateOf), "the order is another one"
			if log > most { // nothing grows, and all are one Bloom filter
				c.Published = claim.Rounded(0, 0.1)
			}
			if log == most-6 || log >= most-1 {
				claims = append(claims, c)
			}
		}
	}
	for i := range plainOne {
		panel.Add(names[i].name, lines[i], chart.Expected(i))
		panel.Add(names[i].name, points[i], chart.Marks(i))
	}
	chart.Logarithmic(quantity.Percent, &panel.Y)
	return claims, []claim.Figure{{Name: "initial", Picture: &chart.Picture{
		Title: fmt.Sprintf(
			"The rate with %s by the size to begin with: marks measured, lines by formula",
			quantity.Of(n, "member"),
		),
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
}

// sizeOfFig3 is whether the members that Fig. 3 begins with are too many for its bits.
func sizeOfFig3(*trials.Run) ([]claim.Claim, []claim.Figure) {
	set := -math.Expm1(-hashes * math.Exp2(14-18))
	return []claim.Claim{{
		Item: "Fig. 3",
		Where: `section 5.2: "first insert 2^14 items" into 2^18 bits; section 5.1.3: n0 "does ` +
			`not trigger expansion"`,
		Parameters: map[string]any{
			"k": hashes,
			"m": 1 << 18,
			"n": 1 << 14,
		}, Unit: claim.Share, Reading: "Table 1's k",
		Quantity: "bits that are set, less the threshold", Published: claim.Trend(claim.Lower),
		Interval: claim.Exact(set - threshold),
		Why: fmt.Sprintf("with k = 5 there are %s set, so that the filter grows at %.0f members, "+
			"before any peak",
			quantity.Percent(set), perBit(threshold)*(1<<18)/hashes),
	}, {
		Item:       "Fig. 3",
		Where:      `section 5.2: "first insert 2^14 items" into 2^18 bits; section 5.1.3: n0 "does ` + `not trigger expansion"`,
		Parameters: map[string]any{"k": 3, "m": 1 << 18, "n": 1 << 14}, Unit: claim.Share,
		Reading:  "fewer hashes",
		Quantity: "bits that are set, less the threshold", Published: claim.Trend(claim.Lower),
		Interval: claim.Exact(-math.Expm1(-3*math.Exp2(14-18)) - threshold),
	}}, nil
}
