// Package chart is no API: it draws the pictures of reports: panels in rows, with a title and
// legends, as SVG.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/bloomlane/bloomlane/report/quantity"
)

// Picture is a page of panels. Its legends are outside the panels, where they cover nothing.
type Picture struct {
	Title         string
	Panels        []*Panel // row by row, from the top
	Columns       int
	Width, Height vg.Length // of a panel, in points

	// Below puts the name of a series under the first column of panels that has it, not to the
	// right of all.
	Below bool
}

// Panel is a plot, and the names of its series for the legend.
type Panel struct {
	*plot.Plot
	Grid *plotter.Grid
	keys []key
}

type key struct {
	name  string
	icons []plot.Thumbnailer
}

// The lengths of a picture, in points.
const (
	margin    = 10
	gap       = 12 // between panels
	titleSize = 13
	labelSize = 11
	tickSize  = 10

	// slack is how much wider than here text may be in a reader's fonts: DejaVu Sans is.
	slack = 1.2
)

// style is the type that all text is set in: Liberation Sans, of which the widths are Arial's, so
// that a reader who lacks one and has the other sees the same picture.
func style(points vg.Length) text.Style {
	return text.Style{
		Color:   color.Black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: points},
		Handler: plot.DefaultTextHandler,
	}
}

// New returns an empty panel with a grid. Of a row of panels with one label of the vertical axis,
// the first shows it.
func New(title, x, y string) *Panel {
	p := plot.New()
	p.Title.Text, p.Title.Padding = title, 4
	p.Title.TextStyle.Font = style(labelSize).Font
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = style(labelSize).Font
		axis.Label.Padding = 4
		axis.Tick.Label.Font = style(tickSize).Font
		axis.Tick.Length = 5
		axis.Tick.Marker = plot.TickerFunc(linearTicks)
	}
	line := draw.LineStyle{Color: pale, Width: 0.5}
	grid := &plotter.Grid{Vertical: line, Horizontal: line}
	p.Add(grid)
	return &Panel{Plot: p, Grid: grid}
}

// Add draws a series. A series of several looks is added by its name once per look; no name is in
// no legend.
func (p *Panel) Add(name string, points plotter.XYs, look Look) {
	if len(points) == 0 {
		return
	}
	points = slices.Clone(points)
	for i, at := range points {
		points[i] = plotter.XY{X: finite(at.X), Y: finite(at.Y)}
	}
	if look.Line.Width > 0 {
		line := &plotter.Line{XYs: points, LineStyle: look.Line}
		p.Plot.Add(line)
		p.explain(name, line)
	}
	if look.Mark.Shape != nil {
		marks := &plotter.Scatter{XYs: points, GlyphStyle: look.Mark}
		p.Plot.Add(marks)
		p.explain(name, marks)
	}
}

func (p *Panel) explain(name string, icon plot.Thumbnailer) {
	for i := range p.keys {
		if p.keys[i].name == name {
			p.keys[i].icons = append(p.keys[i].icons, icon)
			return
		}
	}
	if name != "" {
		p.keys = append(p.keys, key{name, []plot.Thumbnailer{icon}})
	}
}

// WriteSVG writes the picture, all of it on white: it has to be legible on a dark page too.
func (p *Picture) WriteSVG(w io.Writer) error {
	width, height := p.Size()
	return writeSVG(w, width, height, p.Draw)
}

// writeSVG writes what is drawn on a canvas.
func writeSVG(w io.Writer, width, height vg.Length, paint func(draw.Canvas)) error {
	canvas := vgsvg.New(width, height)
	paint(draw.New(canvas))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return fmt.Errorf("chart: draw: %w", err)
	}
	// What a browser that lacks the font shall take: by itself it would take one with serifs.
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	if err != nil {
		return fmt.Errorf("chart: write: %w", err)
	}
	return nil
}

// Size returns the width and height of the whole picture.
func (p *Picture) Size() (w, h vg.Length) {
	_, legend := p.legends()
	rows := p.rows()
	var names vg.Length // what is left of the first column
	for _, row := range rows {
		names = max(names,
			row[0].DataCanvas(
				draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: p.Width, Y: p.Height}}}).Min.X)
	}
	w = names + vg.Length(p.Columns)*(p.Width+gap)
	h = vg.Length(len(rows)) * (p.Height + gap)
	if p.Below {
		w, h = max(w, legend.X), h+legend.Y
	} else {
		w, h = w+legend.X, max(h, legend.Y)
	}
	return max(w, slack*style(titleSize).Width(p.Title)) + 2*margin, h + 2*margin + p.titleRoom()
}

// titleRoom returns the height of the title, with the room below it.
func (p *Picture) titleRoom() vg.Length {
	if p.Title == "" {
		return 0
	}
	return 2 * titleSize
}

// Draw draws the picture on a canvas of its size.
func (p *Picture) Draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	title := style(titleSize)
	title.YAlign = draw.YTop
	c.FillText(title, vg.Point{X: c.Min.X + margin, Y: c.Max.Y - margin}, p.Title)

	body := draw.Crop(c, margin, -margin, margin, -margin-p.titleRoom())
	legends, size := p.legends()
	if p.Below {
		body.Min.Y += size.Y
	} else {
		body.Max.X -= size.X
	}
	rows := p.rows()
	areas := plot.Align(rows, draw.Tiles{Rows: len(rows), Cols: p.Columns, PadX: gap, PadY: gap},
		body)
	for i, panel := range p.Panels {
		panel.Draw(areas[i/p.Columns][i%p.Columns])
	}
	for i := range legends {
		area := body
		if p.Below {
			column := areas[len(areas)-1][i]
			area.Min.X, area.Max.Y = rows[0][i].DataCanvas(column).Min.X, body.Min.Y-labelSize
		} else {
			area.Min.X = body.Max.X + gap
		}
		legends[i].Draw(area)
	}
}

// rows returns the panels as a grid.
func (p *Picture) rows() (rows [][]*plot.Plot) {
	for i, panel := range p.Panels {
		if i%p.Columns == 0 {
			rows = append(rows, make([]*plot.Plot, p.Columns))
		}
		row := rows[len(rows)-1]
		row[i%p.Columns] = panel.Plot
		if i%p.Columns > 0 && panel.Y.Label.Text == row[0].Y.Label.Text {
			panel.Y.Label.Text = ""
		}
	}
	return rows
}

// legends returns a legend for each column where they are below, and one otherwise, and what room
// they take. A name is in the first that can have it.
func (p *Picture) legends() (legends []plot.Legend, room vg.Point) {
	legends = make([]plot.Legend, 1)
	if p.Below {
		legends = make([]plot.Legend, p.Columns)
	}
	for i := range legends {
		legends[i] = plot.NewLegend()
		legends[i].TextStyle = style(labelSize)
		legends[i].Top, legends[i].Left = true, true
		legends[i].Padding = 6
		legends[i].ThumbnailWidth = 30
	}
	seen := map[string]bool{}
	for i, panel := range p.Panels {
		for _, key := range panel.keys {
			if !seen[key.name] {
				legends[i%len(legends)].Add(key.name, key.icons...)
			}
			seen[key.name] = true
		}
	}
	if len(seen) == 0 {
		return legends, room
	}
	for i := range legends {
		size := legends[i].Rectangle(draw.Canvas{}).Size()
		room = vg.Point{X: max(room.X, slack*size.X+gap), Y: max(room.Y, size.Y+2*labelSize)}
	}
	return legends, room
}

// linearTicks are gonum's, with labels of no more digits than their numbers have. A range of which
// the ends are too near for steps between has a tick at each.
func linearTicks(low, high float64) []plot.Tick {
	low, high = finite(low), finite(high)
	if !(high-low > 1e-9*max(math.Abs(low), math.Abs(high))) {
		return Ticks(quantity.Number, low, high)
	}
	marks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range marks {
		if !marks[i].IsMinor() {
			marks[i].Label = quantity.Number(marks[i].Value)
		}
	}
	return marks
}
