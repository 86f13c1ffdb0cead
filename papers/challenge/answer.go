package challenge

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// answer is the picture and the paragraph.
func (s *study) answer(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	return []claim.Claim{{
		Item: "which deletable filter should a firewall use?", Where: s.paragraph(),
		Unit:       claim.Share,
		Parameters: map[string]any{"filter": refreshed}, Reading: claim.Literal,
		Trials:   len(s.few[0]),
		Quantity: "non-members that the good set shows",
		Interval: claim.Mean(s.few.of(refreshed, foundOf)),
	}}, []claim.Figure{s.picture()}
}

// paragraph answers the question, with the numbers of this run.
func (s *study) paragraph() string {
	found := func(name string) string {
		for i, v := range variants {
			if v.name == name {
				return part(s.churned[i].byMemory[standardRate])
			}
		}
		panic("challenge: no variant " + name)
	}
	innocents := func(share float64) string { return fmt.Sprintf("%.2g %%", 100*share) }
	b, low := s.blocking[standardRate], s.blocking[lowRate]
	last := s.churned[0].turnovers[len(s.churned[0].turnovers)-1]
	return fmt.Sprintf("The verdicts do not. A blocked source stays blocked: the bad set is asked "+
		"first, and nothing is deleted from it. For the good sources use a cuckoo filter; where "+
		"queries must be fast, use `filter/deletable` with a refresh. In this comparison each "+
		"filter has the memory of the exercise's collision array, %.1f bits per source for P = "+
		"%g. It holds the latest 1,000 of 10,000 sources, which are replaced %.0f times. At the "+
		"end the cuckoo filter finds %s of %s non-members, the refreshed blocks %s, 4-bit "+
		"counters %s, blocks without a refresh %s, the collision array %s and the letter's "+
		"regions %s. In the exercise a source leaves only when it is blocked; for that the "+
		"collision array is good enough. The other two sets decide how many innocent sources are "+
		"blocked. In the synthetic trace %s of the clean sources are blocked at P = %g, where "+
		"the bad set alone would block %s. Of the sources that are not bad %s have sent one or "+
		"two bad sequences, so that fewer mistakes of the filter block them; with these it is "+
		"%s, and %s at P = %.5f. The filter of the sequences is asked with each word, and three "+
		"mistakes block a clean source: on a real capture %s of the packets of innocent sources "+
		"are rejected at P = %g. A program that counts strikes has an exact table of the sources "+
		"anyway. There an address of 32 bits takes %.0f bits.",
		memory(standard), standard, last, found(cuckooed), quantity.Count(s.asked),
		found(refreshed), found(counted), found(blocks),
		found(flagged), found(lettered), innocents(b.clean), standard, innocents(b.byBad),
		innocents(b.unclean), innocents(b.expected), innocents(low.expected), falseRates[lowRate],
		part(b.packets), standard, 32/load)
}

// part is a share as prose has it, to one digit.
func part(share float64) string {
	switch {
	case share == 0:
		return "none"
	case share >= 0.95:
		return "nearly all"
	case share >= 0.1:
		return fmt.Sprintf("%.0f %%", 10*math.Round(10*share))
	}
	return fmt.Sprintf("%.1g %%", 100*share)
}

func (s *study) picture() claim.Figure {
	churn := chart.New(fmt.Sprintf("good set, %.1f bits per source", memory(standard)), "turnovers",
		"non-members found")
	byMemory := chart.New("good set, in the end", "bits per source", "non-members found")
	for i, v := range variants {
		var overTime, over plotter.XYs
		for j, turnovers := range s.churned[i].turnovers {
			overTime = appendPositive(overTime, turnovers, s.churned[i].rates[j])
		}
		for j, p := range falseRates {
			over = appendPositive(over, memory(p), s.churned[i].byMemory[j])
		}
		name := v.name
		switch {
		case v.grows:
			name += ", in more memory"
		case v.name == twofold:
			name += ", which loses members"
		}
		for panel, points := range map[*chart.Panel]plotter.XYs{churn: overTime, byMemory: over} {
			if len(points) > 0 {
				panel.Add(name, points, chart.Marked(i))
			}
		}
	}
	blocked := chart.New("innocents blocked, by P of the bad set and of the sequences", "P",
		"innocent sources")
	var byBad, expected, measured, captured plotter.XYs
	for i, b := range s.blocking {
		p := falseRates[i]
		byBad = appendPositive(byBad, p, b.byBad)
		expected = appendPositive(expected, p, b.expected)
		measured = appendPositive(measured, p, b.measured)
		captured = appendPositive(captured, p, b.captured)
	}
	k := len(variants)
	blocked.Add("by the bad set alone (formula)", byBad, chart.Limit)
	blocked.Add("by both sets, synthetic trace", expected, chart.Expected(k))
	blocked.Add("by both sets, synthetic trace", measured, chart.Marks(k))
	blocked.Add("by both sets, real capture", captured, chart.Marked(k+1))

	modulus := chart.New("32-bit hashes modulo m, at P = 0.001 (formula)", "log2 m", "rate")
	var line, ideal plotter.XYs
	for log := 24.0; log <= 36; log += 1. / 64 {
		m := math.Floor(math.Exp2(log))
		n := math.Floor(m / perElement(standard))
		kn := float64(hashesFor(m, n))
		line = append(line, plotter.XY{X: log, Y: reduced(hashBits, m, kn, n)})
		ideal = append(ideal, plotter.XY{X: log, Y: rateOf(m, kn, n)})
	}
	modulus.Add("the document's hashes", line, chart.Curve(k+2))
	modulus.Add("the document's formula", ideal, chart.Limit)

	panels := []*chart.Panel{churn, byMemory, blocked, modulus}
	for _, panel := range panels {
		chart.Logarithmic(quantity.Percent, &panel.Y)
	}
	chart.Logarithmic(quantity.Number, &blocked.X)
	return claim.Figure{Name: "answer", Picture: &chart.Picture{
		Title:  "Which deletable filter should a firewall use? (What is not drawn was not found.)",
		Panels: panels, Columns: 2, Width: 360, Height: 250,
	}}
}

// appendPositive appends a point that a logarithmic axis has.
func appendPositive(points plotter.XYs, x, y float64) plotter.XYs {
	if y > 0 {
		return append(points, plotter.XY{X: x, Y: y})
	}
	return points
}
