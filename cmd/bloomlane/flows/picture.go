package flows

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
)

// rateFloor is the decade below which rates are not drawn.
const rateFloor = -6

// Picture writes the samples as SVG: rate, fill, collided regions and members over the packets' time.
func (r *Report) Picture(w io.Writer) error {
	const width, height, legend, title = 26 * vg.Centimeter, 19 * vg.Centimeter, 1.9 * vg.Centimeter, 1.2 * vg.Centimeter
	canvas, all := chart.Page(width, height, r.title())

	const seconds = "time of the packets (s)"
	rate := chart.New("", "false-positive rate")
	fill := chart.New("", "bits or counters set (%)")
	collided := chart.New(seconds, "regions collided (%)")
	members := chart.New(seconds, "live flows")
	for i := range Names {
		for _, panel := range []struct {
			plot *plot.Plot
			y    func(a *Answer) float64
		}{
			{rate, func(a *Answer) float64 { y, _ := a.rate(r.NonMembers); return math.Max(y, math.Pow(10, rateFloor-1)) }},
			{fill, func(a *Answer) float64 { return 100 * a.Fill }},
			{collided, func(a *Answer) float64 { return 100 * float64(a.Collided) / float64(a.Regions) }},
		} {
			if panel.plot == collided && len(r.Samples) > 0 && r.Samples[0].Answers[i].Regions == 0 {
				continue
			}
			line := r.line(func(s *Sample) float64 { return panel.y(&s.Answers[i]) })
			if err := chart.AddLine(panel.plot, line, i); err != nil {
				return err
			}
		}
	}
	if err := chart.AddLine(members, r.line(func(s *Sample) float64 { return float64(s.Members) }), 0); err != nil {
		return err
	}
	for _, p := range []*plot.Plot{rate, fill, collided, members} {
		p.X.Min, p.X.Max = 0, r.Traffic.Seconds
		p.Y.Min, p.Y.Max = 0, 100
	}
	members.Y.Max = 1.1 * float64(max(1, r.Traffic.Peak))
	rate.Y.Min = math.Pow(10, rateFloor)
	chart.Decades(rate, rateFloor)
	if err := chart.AddReference(rate, rate.X.Min, r.Rate, rate.X.Max, r.Rate); err != nil {
		return err
	}

	plots := [][]*plot.Plot{{rate, fill}, {collided, members}}
	body := draw.Crop(all, 0.3*vg.Centimeter, -0.4*vg.Centimeter, legend, -title)
	tiles := draw.Tiles{Rows: 2, Cols: 2, PadX: 0.8 * vg.Centimeter, PadY: 0.6 * vg.Centimeter}
	areas := plot.Align(plots, tiles, body)
	for i := range plots {
		for j := range plots[i] {
			plots[i][j].Draw(areas[i][j])
		}
	}
	const columns = 3
	for i, name := range append(Names, "the rate to keep") {
		style := chart.Reference
		if i < len(Names) {
			style = chart.Style(i)
		}
		at := vg.Point{
			X: 2*vg.Centimeter + vg.Length(i%columns)*(width-2*vg.Centimeter)/columns,
			Y: legend - vg.Length(i/columns)*0.6*vg.Centimeter - 0.6*vg.Centimeter,
		}
		chart.Entry(all, at, name, func(from, to vg.Point) { all.StrokeLine2(style, from.X, from.Y, to.X, to.Y) })
	}
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("flows: write the picture: %w", err)
	}
	return nil
}

// title says what the picture is of.
func (r *Report) title() string {
	input := []rune(filepath.Base(r.Input))
	const most = 32 // what fits beside the rest
	if len(input) > most {
		input = append(input[:most-1], '…')
	}
	made := "%s: %s flows, filters of %s bytes"
	if r.Synthesised != nil {
		made = "SYNTHESISED from %s, not captured: %s flows, filters of %s bytes"
	}
	return fmt.Sprintf(made, string(input), quantity.Count(r.Traffic.Flows), quantity.Count(r.Plan.Bytes))
}

func (r *Report) line(y func(s *Sample) float64) plotter.XYs {
	line := make(plotter.XYs, 0, len(r.Samples))
	for i := range r.Samples {
		line = append(line, plotter.XY{X: r.Samples[i].Seconds, Y: y(&r.Samples[i])})
	}
	return line
}
