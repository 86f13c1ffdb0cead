package flows

import (
	"fmt"
	"io"
	"path/filepath"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// rateFloor is the rate as which lower ones are drawn.
const rateFloor = 1e-6

// Picture writes the samples as SVG.
func (r *Report) Picture(w io.Writer) error { return r.Chart().WriteSVG(w) }

// Chart draws the samples: rate, memory, members, fill and collided regions over the packets' time.
func (r *Report) Chart() *chart.Picture {
	const seconds = "time of the packets (s)"
	rate := chart.New("", seconds, "false-positive rate")
	fill := chart.New("", seconds, "bits or counters set (%)")
	collided := chart.New("", seconds, "regions collided (%)")
	members := chart.New("", seconds, "live flows")
	memory := chart.New("", seconds, "memory (bytes)")
	for i, name := range Names {
		add := func(panel *chart.Panel, y func(a *Answer) float64) {
			panel.Add(name, r.line(func(s *Sample) float64 { return y(&s.Answers[i]) }),
				chart.Curve(i))
		}
		add(rate,
			func(a *Answer) float64 { y, _ := a.rate(r.NonMembers); return max(y, rateFloor) })
		add(fill, func(a *Answer) float64 { return 100 * a.Fill })
		if len(r.Samples) > 0 && r.Samples[0].Answers[i].Regions > 0 {
			add(collided,
				func(a *Answer) float64 { return 100 * float64(a.Collided) / float64(a.Regions) })
		}
	}
	members.Add("", r.line(func(s *Sample) float64 { return float64(s.Members) }), chart.Reference)
	last := len(Names) - 1
	takes := func(name string, bytes func(m Memory) int, look chart.Look) {
		memory.Add(name,
			r.line(func(s *Sample) float64 { return float64(bytes(s.Answers[last].Memory)) }), look)
	}
	takes(Names[last], func(m Memory) int { return m.Bytes }, chart.Curve(last))
	takes("elastic, without the lists", Memory.blocks, chart.Part(last))
	takes("each of the others", func(Memory) int { return r.Plan.Bytes }, chart.Limit)
	// Those that follow the live flows are in one column with these.
	panels := []*chart.Panel{rate, fill, memory, collided, members}
	for _, p := range panels {
		p.X.Min, p.X.Max = 0, r.Traffic.Seconds
		p.Y.Min, p.Y.Max = 0, 100
	}
	members.Y.Max = 1.1 * float64(max(1, r.Traffic.Peak))
	memory.Y.Max = 1.1 * float64(max(r.Plan.Bytes, r.Totals[last].Bytes))
	rate.Y.Min, rate.Y.Max = rateFloor, 1
	chart.Logarithmic(quantity.Number, &rate.Y)
	rate.Add("the rate to keep", plotter.XYs{{X: 0, Y: r.Rate}, {X: r.Traffic.Seconds, Y: r.Rate}},
		chart.Reference)
	return &chart.Picture{Title: r.title(), Panels: panels, Columns: 2, Width: 340, Height: 230}
}

// title says what the picture is of.
func (r *Report) title() string {
	input := []rune(filepath.Base(r.Input))
	const most = 32 // what fits beside the rest
	if len(input) > most {
		input = append(input[:most-1], '…')
	}
	made := "%s: %s flows, filters of %s bytes, elastic up to %s"
	if r.Synthesised != nil {
		made = "SYNTHESISED from %s, not captured: %s flows, filters of %s bytes, elastic up to %s"
	}
	grown := r.Totals[len(r.Totals)-1].Bytes
	return fmt.Sprintf(made, string(input), quantity.Count(r.Traffic.Flows),
		quantity.Count(r.Plan.Bytes), quantity.Count(grown))
}

func (r *Report) line(y func(s *Sample) float64) plotter.XYs {
	line := make(plotter.XYs, 0, len(r.Samples))
	for i := range r.Samples {
		line = append(line, plotter.XY{X: r.Samples[i].Seconds, Y: y(&r.Samples[i])})
	}
	return line
}
