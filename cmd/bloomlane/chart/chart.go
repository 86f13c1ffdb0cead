// Package chart has what the pictures of reports share: their palette, fonts, axes and legends.
package chart

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The palette of Okabe and Ito, which people with any colour vision tell apart; the dashes tell the
// lines apart in grey.
var (
	colours = []color.Color{
		color.RGBA{0x00, 0x00, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff},
		color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {10, 4}, {4, 2, 1, 2, 1, 2}}
)

// Grey is the colour of what is no curve.
var Grey = color.RGBA{0x70, 0x70, 0x70, 0xff}

// Reference is the line of what is no curve.
var Reference = draw.LineStyle{Color: Grey, Width: vg.Points(0.8)}

// Colour returns the colour of the k-th curve.
func Colour(k int) color.Color { return colours[k%len(colours)] }

// Style returns the line of the k-th curve.
func Style(k int) draw.LineStyle {
	return draw.LineStyle{Color: Colour(k), Width: vg.Points(1.6), Dashes: dashes[k%len(dashes)]}
}

// Page returns a white page with a heading at its top, and its canvas, which writes it as SVG.
func Page(width, height vg.Length, heading string) (*vgsvg.Canvas, draw.Canvas) {
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	all.FillPolygon(color.White, []vg.Point{{X: 0, Y: 0}, {X: width, Y: 0}, {X: width, Y: height}, {X: 0, Y: height}})
	style := plot.New().Title.TextStyle
	style.Font = sans(14)
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	all.FillText(style, vg.Point{X: width / 2, Y: height - 0.35*vg.Centimeter}, heading)
	return canvas, all
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// New returns an empty plot with a grid and the labels of its axes.
func New(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(11)
		axis.Tick.Label.Font = sans(10)
		axis.Tick.Marker = plot.TickerFunc(ticks)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe0}, color.Gray{0xe0}
	p.Add(grid)
	return p
}

// ticks are the usual ones, with labels of no more digits than their numbers have.
func ticks(low, high float64) []plot.Tick {
	marks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range marks {
		if !marks[i].IsMinor() {
			marks[i].Label = fmt.Sprintf("%.6g", marks[i].Value)
		}
	}
	return marks
}

// Decades gives a plot of rates a logarithmic axis: whole decades, from that of the least curve, but not below
// 10 to the floor, up to 1.
func Decades(p *plot.Plot, floor float64) {
	p.Y.Scale = plot.LogScale{}
	p.Y.Min = math.Pow(10, max(floor, math.Floor(math.Log10(p.Y.Min))))
	p.Y.Max = 1
	p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
		for exponent := math.Round(math.Log10(low)); exponent <= 0; exponent++ {
			decade := math.Pow(10, exponent)
			ticks = append(ticks, plot.Tick{Value: decade, Label: fmt.Sprintf("%g", decade)})
			for minor := 2.0; minor < 10 && decade < 1; minor++ {
				ticks = append(ticks, plot.Tick{Value: minor * decade})
			}
		}
		return ticks
	})
}

// AddLine adds the k-th curve.
func AddLine(p *plot.Plot, points plotter.XYs, k int) error { return addLine(p, points, Style(k)) }

// AddReference adds a thin grey line.
func AddReference(p *plot.Plot, x0, y0, x1, y1 float64) error {
	return addLine(p, plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}}, Reference)
}

func addLine(p *plot.Plot, points plotter.XYs, style draw.LineStyle) error {
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("chart: draw: %w", err)
	}
	line.LineStyle = style
	p.Add(line)
	return nil
}

// Entry draws an entry of a legend: a sample between two points, and behind it a name.
func Entry(c draw.Canvas, at vg.Point, name string, drawSample func(from, to vg.Point)) {
	text := plot.New().Legend.TextStyle
	text.Font = sans(10.5)
	text.YAlign = draw.YCenter
	const sample = 1.1 * vg.Centimeter
	drawSample(at, vg.Point{X: at.X + sample, Y: at.Y})
	c.FillText(text, vg.Point{X: at.X + sample + 0.2*vg.Centimeter, Y: at.Y}, name)
}
