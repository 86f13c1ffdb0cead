package letter

import (
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

// foreign is how many elements that are not in the filter each site asks for.
const foreign = 10

// way is what happens to a filter on its way along the sites of its elements: each asks for its own
// element and for foreign ones, and then removes its own. A filter from which nothing is removed
// goes the same way.
type way struct {
	rates         [members + 1]float64 // after each site
	matches, kept float64              // foreign elements that are found, with removals and without
	// elements that are found when the filter goes the way once more
	repeated float64
	// new elements at half way until as many bits are set as at the start
	additions float64
	lost      float64 // members not found where sites remove foreign elements too
}

func travel(rng *rand.Rand) (w way) {
	s := shape(regions)
	thinned, whole, reckless := array(s), array(s), array(s)
	elements := make([]uint64, members)
	for i := range elements {
		elements[i] = rng.Uint64()
		for _, a := range []*dlbf.Array{thinned, whole, reckless} {
			a.Insert(elements[i])
		}
	}
	start := whole.Count().Ones
	w.rates[0] = rate(thinned)
	for i, own := range elements {
		for range foreign {
			other := rng.Uint64()
			if thinned.Query(other) {
				w.matches++
			}
			if whole.Query(other) {
				w.kept++
			}
			reckless.Delete(other)
		}
		if !reckless.Query(own) {
			w.lost++
		}
		thinned.Delete(own)
		reckless.Delete(own)
		w.rates[i+1] = rate(thinned)
		if i+1 == members/2 {
			full := array(s) // as thinned is now
			for _, member := range elements {
				full.Insert(member)
			}
			for _, member := range elements[:i+1] {
				full.Delete(member)
			}
			for ; full.Count().Ones < start; w.additions++ {
				full.Insert(rng.Uint64())
			}
		}
	}
	for _, own := range elements {
		if thinned.Query(own) {
			w.repeated++
		}
	}
	return w
}

// thinning is what the letter expects of distributed applications: a filter that "can be thinned
// out as queried elements are processed".
func thinning(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	s := shape(regions)
	ways := trials.Each(run, "thinning", letterly, travel)
	c := claim.Claim{Item: "thinned out on its way", Parameters: parameters(s, members),
		Unit: claim.Number, Trials: letterly, Reading: claim.Literal}
	for _, what := range []struct {
		where, quantity string
		published       claim.Published
		theory          claim.Theory
		of              func(*way) float64
	}{
		{`section I: "avoid repeated matches upfront"`,
			"elements found on a second way, less than all 22", claim.Trend(claim.Lower),
			claim.By(exact, -members*s.Deletability(members)),
			func(w *way) float64 { return w.repeated - members }},
		{`section I: "reduce false positives"`,
			"false matches on the way, 10 queries a site, less than without removals",
			claim.Trend(claim.Lower), claim.Theory{},
			func(w *way) float64 { return w.matches - w.kept }},
		{`section I: "reduce false positives"`, "false matches on the way without removals",
			claim.Published{}, claim.By(exact, foreign*members*occupied(s, members)),
			func(w *way) float64 { return w.kept }},
		{`section I: "reduce false positives"`,
			"rate at half way, less than at the start", claim.Trend(claim.Lower),
			claim.Theory{}, func(w *way) float64 { return w.rates[members/2] - w.rates[0] }},
		{`section I: "enable fresh bit space for new additions"`,
			"new elements at half way until as many bits are set as at the start",
			claim.Trend(claim.Higher), claim.Theory{}, func(w *way) float64 { return w.additions }},
		{"section I", "members lost where a site also removes what it finds by mistake",
			claim.Published{}, claim.Theory{}, func(w *way) float64 { return w.lost }},
	} {
		c.Where, c.Quantity, c.Published, c.Theory = what.where, what.quantity,
			what.published, what.theory
		c.Interval = mean(ways, what.of)
		claims = append(claims, c)
	}
	panel := chart.New("", "elements processed", "rate of false positives (%)")
	var thinned, whole plotter.XYs
	for i := range members + 1 {
		at := mean(ways, func(w *way) float64 { return w.rates[i] })
		thinned = append(thinned, plotter.XY{X: float64(i), Y: 100 * *at.Measured})
		whole = append(whole, plotter.XY{X: float64(i), Y: 100 * occupied(s, members)})
	}
	panel.Add("removed when processed", thinned, chart.Marked(0))
	panel.Add("nothing removed (exact)", whole, chart.Limit)
	panel.Y.Min = 0
	return claims, []claim.Figure{{Name: "thinning", Picture: &chart.Picture{
		Title:  "A filter that is thinned out on its way (m = 240, k = 5, r = 24, n = 22)",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 260,
	}}}
}
