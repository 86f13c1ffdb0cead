package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is a horizontal bar from 1 to a ratio.
type Bar struct {
	Name   string  // left of the bar; in a row of panels with the same bars, the first has the names
	Ratio  float64 // or 0 for no bar
	Label  string  // behind the bar
	Colour color.Color
	Means  string // the colour, for the legend
}

// Bars draws bars from the top, for a logarithmic horizontal axis.
func (p *Panel) Bars(all []Bar) {
	p.HideY()
	p.Y.Min, p.Y.Max = 0.4-float64(len(all)), 0.6
	var names plot.ConstantTicks
	for i, bar := range all {
		if bar.Name != "" {
			names = append(names, plot.Tick{Value: float64(-i), Label: bar.Name})
		}
		if bar.Ratio > 0 && !p.explained(bar.Means) {
			p.explain(bar.Means, swatch{bar.Colour})
		}
	}
	p.Y.Tick.Marker = names
	p.Plot.Add(bars(all))
}

func (p *Panel) explained(name string) bool {
	for _, key := range p.keys {
		if key.name == name {
			return true
		}
	}
	return false
}

type bars []Bar

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	label := style(tickSize)
	label.YAlign = draw.YCenter
	for i, bar := range b {
		end := x(1)
		if bar.Ratio > 0 {
			from, to := x(min(bar.Ratio, 1)), x(max(bar.Ratio, 1))
			low, high := y(-float64(i)-0.36), y(-float64(i)+0.36)
			c.FillPolygon(bar.Colour, []vg.Point{{X: from, Y: low}, {X: to, Y: low}, {X: to, Y: high}, {X: from, Y: high}})
			end = to
		}
		c.FillText(label, vg.Point{X: end + 4, Y: y(-float64(i))}, bar.Label)
	}
	c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 1}, x(1), c.Min.Y, x(1), c.Max.Y)
}

// DataRange implements plot.DataRanger.
func (b bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = 1, 1
	for _, bar := range b {
		if bar.Ratio > 0 {
			xmin, xmax = min(xmin, bar.Ratio), max(xmax, bar.Ratio)
		}
	}
	return xmin, xmax, 0.4 - float64(len(b)), 0.6
}

// GlyphBoxes implements plot.GlyphBoxer: it makes room for the labels.
func (b bars) GlyphBoxes(p *plot.Plot) (boxes []plot.GlyphBox) {
	for i, bar := range b {
		boxes = append(boxes, plot.GlyphBox{
			X: p.X.Norm(max(bar.Ratio, 1)), Y: p.Y.Norm(-float64(i)),
			Rectangle: vg.Rectangle{Max: vg.Point{X: 4 + slack*style(tickSize).Width(bar.Label)}},
		})
	}
	return boxes
}

// swatch is a legend's icon for the colour of bars.
type swatch struct{ color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.SetColor(s.Color)
	c.Fill(c.Rectangle.Path())
}
