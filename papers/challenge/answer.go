package challenge

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// answer is the picture and the paragraph.
func (s *study) answer(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	return []claim.Claim{{
		Item: "which deletable filter should a firewall use?", Where: s.paragraph(), Unit: claim.Share,
		Parameters: map[string]any{"filter": refreshed}, Reading: claim.Literal, Trials: len(s.few[0]),
		Quantity: "non-members that the good set shows", Interval: claim.Mean(s.few.of(refreshed, foundOf)),
	}}, []claim.Figure{s.picture()}
}

// paragraph answers the question, with the numbers of this run.
func (s *study) paragraph() string {
	rate := func(c comparison, name string) string {
		found := stat.Mean(c.of(name, foundOf), nil)
		if found == 0 {
			return "none"
		}
		return fmt.Sprintf("%.1g %%", 100*found)
	}
	passed := func(name string) string {
		return fmt.Sprintf("%.1g %%", 100*stat.Mean(s.few.of(name, passedOf), nil))
	}
	b := s.blocking[index(standard)]
	var text strings.Builder
	fmt.Fprintf(&text, "For verdicts none: bad sources stay bad, so ask the bad set first, a filter that nothing is "+
		"deleted from. For the good sources take a cuckoo filter, or our blocks, refreshed, where speed counts. In the "+
		"memory of the exercise's collision array (%.1f bits per source for P = 0.001), after its sources have been "+
		"replaced nine times, a cuckoo filter shows %s of the non-members, the refreshed blocks %s, counters %s, blocks "+
		"without a refresh %s, the collision array %s and the letter's regions %s. ", memory(standard),
		rate(s.few, cuckooed), rate(s.few, refreshed), rate(s.few, counted), rate(s.few, blocks), rate(s.few, flagged),
		rate(s.few, "regions, as in the letter"))
	fmt.Fprintf(&text, "Where these are asked first, %s of the guilty packets pass the collision array, and %s the "+
		"refreshed blocks. ", passed(flagged), passed(refreshed))
	fmt.Fprintf(&text, "Who is blocked by mistake is up to the other two sets: at P = 0.001, %.1g %% of the innocent "+
		"sources, of which the bad set makes %.1g; at 10⁻⁵ it is %.1g %%. A tracker that counts strikes has an exact table "+
		"of its sources anyway: %.0f bits for an address of 32, without mistakes.", 100*b.share, 100*b.byBad,
		100*s.blocking[index(1e-5)].expected, 32/load)
	return text.String()
}

func (s *study) picture() claim.Figure {
	churn := chart.New(fmt.Sprintf("good set, %.1f bits per source", memory(standard)), "turnovers",
		"non-members found")
	byMemory := chart.New("good set, after nine turnovers", "bits per source", "non-members found")
	for i, v := range variants {
		var overTime, over plotter.XYs
		for j, turnovers := range s.churned[i].turnovers {
			overTime = appendPositive(overTime, turnovers, s.churned[i].rates[j])
		}
		for j, p := range falseRates {
			over = appendPositive(over, memory(p), s.churned[i].byMemory[j])
		}
		for panel, points := range map[*chart.Panel]plotter.XYs{churn: overTime, byMemory: over} {
			if len(points) > 0 {
				panel.Add(v.name, points, chart.Marked(i))
			}
		}
	}
	blocked := chart.New("innocents blocked, by P of the bad set and of the sequences", "P", "innocent sources")
	var byBad, expected, measured, captured plotter.XYs
	for _, b := range s.blocking {
		byBad = appendPositive(byBad, b.p, b.byBad)
		expected = appendPositive(expected, b.p, b.expected)
		measured = appendPositive(measured, b.p, b.share)
		captured = appendPositive(captured, b.p, b.captured)
	}
	k := len(variants)
	blocked.Add("by the bad set alone (formula)", byBad, chart.Limit)
	blocked.Add("all, of a synthetic trace", expected, chart.Expected(k))
	blocked.Add("all, of a synthetic trace", measured, chart.Marks(k))
	blocked.Add("all, of a real capture", captured, chart.Marked(k+1))

	modulus := chart.New("32-bit hashes modulo m, at P = 0.001 (formula)", "log2 m", "rate")
	var line, ideal plotter.XYs
	for log := 24.0; log <= 36; log += 1. / 64 {
		m := math.Floor(math.Exp2(log))
		n := math.Floor(m / perElement(standard))
		kn := float64(hashesFor(int(m), int(n)))
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
		Title:  "Which deletable filter should a firewall use?",
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
