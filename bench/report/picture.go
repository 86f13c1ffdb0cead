package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// picture is one SVG file: a title, panels in rows, and a legend to the right of them or below,
// where it covers nothing.
type picture struct {
	name    string // of the file
	title   string
	panels  []*plot.Plot
	columns int
	keys    []legendKey
	panel   vg.Point // the width and height of a panel
	y       string   // what the vertical axes of all panels are
	rows    []string // or what the first column's rows are, from the top, instead of an axis
	below   bool     // the legend, for a picture that is wide enough
}

// legendKey is an entry of a legend.
type legendKey struct {
	name  string
	icons []plot.Thumbnailer
}

// The lengths of a picture, in points.
const (
	margin     = 10
	gap        = 12 // between panels
	titleSize  = 13
	labelSize  = 11
	tickSize   = 10
	legendIcon = 30

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

// newPanel returns a plot with the given title and label of the horizontal axis. The vertical one's is
// the picture's: gonum would make the panels that have it smaller than the others.
func newPanel(title, x string) *plot.Plot {
	p := plot.New()
	set := func(s *text.Style, points vg.Length) { s.Font = style(points).Font }
	set(&p.Title.TextStyle, labelSize)
	p.Title.Text, p.Title.Padding = title, 4
	p.X.Label.Text = x
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		set(&axis.Label.TextStyle, labelSize)
		set(&axis.Tick.Label, tickSize)
		axis.Label.Padding = 4
		axis.Tick.Length = 5
	}
	return p
}

func (p *picture) legend() (l plot.Legend, width vg.Length) {
	l = plot.NewLegend()
	l.TextStyle = style(labelSize)
	l.Top, l.Left = true, true
	l.Padding = 6
	l.ThumbnailWidth = legendIcon
	for _, key := range p.keys {
		l.Add(key.name, key.icons...)
		width = max(width, slack*l.TextStyle.Width(key.name)+legendIcon+margin)
	}
	return l, width
}

// left returns the width of what is left of the panels.
func (p *picture) left() (width vg.Length) {
	for _, row := range p.rows {
		width = max(width, slack*style(tickSize).Width(row))
	}
	if p.y != "" {
		width += labelSize + 6
	}
	return width
}

// size returns the width and height of the whole picture.
func (p *picture) size() (w, h vg.Length) {
	_, width := p.legend()
	height := vg.Length(len(p.keys)) * (labelSize + 8)
	rows := (len(p.panels) + p.columns - 1) / p.columns
	w = p.left() + vg.Length(p.columns)*(p.panel.X+gap)
	h = vg.Length(rows) * (p.panel.Y + gap)
	if p.below {
		w, h = max(w, width), h+height
	} else {
		w, h = w+width, max(h, height)
	}
	return max(w, slack*style(titleSize).Width(p.title)) + 2*margin, h + 2*margin + 2*titleSize
}

// draw draws the picture on a canvas of its size, all of it on white: it has to be legible on a dark
// page too.
func (p *picture) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	title := style(titleSize)
	title.YAlign = draw.YTop
	c.FillText(title, vg.Point{X: c.Min.X + margin, Y: c.Max.Y - margin}, p.title)
	c = draw.Crop(c, margin, -margin, margin, -margin-2*titleSize)
	legend, _ := p.legend()
	c.Min.X += p.left()
	label := style(labelSize)
	label.Rotation, label.XAlign = math.Pi/2, draw.XCenter
	for i, panel := range p.panels {
		x := c.Min.X + vg.Length(i%p.columns)*(p.panel.X+gap)
		y := c.Max.Y - vg.Length(i/p.columns)*(p.panel.Y+gap)
		area := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - p.panel.Y}, Max: vg.Point{X: x + p.panel.X, Y: y},
		}}
		panel.Draw(area)
		if i%p.columns > 0 {
			continue
		}
		data := panel.DataCanvas(area)
		if p.y != "" {
			c.FillText(label, vg.Point{X: c.Min.X - p.left() + labelSize, Y: data.Center().Y}, p.y)
		}
		// Names begin at the left, so that they line up whatever font they are seen in.
		_, at := panel.Transforms(&data)
		row := style(tickSize)
		row.YAlign = draw.YCenter
		for n, name := range p.rows {
			c.FillText(row, vg.Point{X: c.Min.X - p.left(), Y: at(float64(len(p.rows) - 1 - n))}, name)
		}
	}
	if p.below {
		rows := (len(p.panels) + p.columns - 1) / p.columns
		c.Max.Y -= vg.Length(rows) * (p.panel.Y + gap)
		c.Min.X -= p.left()
	} else {
		c.Max.Y -= labelSize
		c.Min.X += vg.Length(p.columns) * (p.panel.X + gap)
	}
	legend.Draw(c)
}

// svg writes the picture.
func (p *picture) svg(w io.Writer) error {
	width, height := p.size()
	canvas := vgsvg.New(width, height)
	p.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return fmt.Errorf("picture %s: %w", p.name, err)
	}
	// What a browser that lacks the font shall take: by itself it would take one with serifs.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// The colours of Okabe and Ito, which the colour-blind tell apart, less yellow, which white swallows.
// Black is for floors.
var (
	palette = []color.Color{
		color.RGBA{0x00, 0x72, 0xb2, 0xff}, // blue
		color.RGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		color.RGBA{0x00, 0x9e, 0x73, 0xff}, // bluish green
		color.RGBA{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		color.RGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
		color.RGBA{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	}
	gray = color.RGBA{0x99, 0x99, 0x99, 0xff}
	pale = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}

	glyphs = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
		draw.RingGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{},
	}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}
)

// series gives a line and its marks a look of its own, by number: colours, glyphs and dashes repeat
// after different numbers, so that no two of 24 are alike in black and white or in colour.
type series struct {
	line  draw.LineStyle
	glyph draw.GlyphStyle
}

func seriesOf(i int) series {
	clr := palette[i%len(palette)]
	return series{
		line:  draw.LineStyle{Color: clr, Width: 1.5, Dashes: dashes[i/len(palette)%len(dashes)]},
		glyph: draw.GlyphStyle{Color: clr, Radius: 4, Shape: glyphs[i%len(glyphs)]},
	}
}

// floorSeries is for the floor: black, dashed, without marks to cover others.
var floorSeries = series{
	line:  draw.LineStyle{Color: color.Black, Width: 1.5, Dashes: []vg.Length{4, 3}},
	glyph: draw.GlyphStyle{Color: color.Black, Radius: 2, Shape: draw.CircleGlyph{}},
}

// addLine adds points to a panel and returns what stands for them in a legend. Points that a log
// scale cannot have are left out by the caller.
func addLine(p *plot.Plot, points plotter.XYs, s series) []plot.Thumbnailer {
	line := &plotter.Line{XYs: points, LineStyle: s.line}
	marks := &plotter.Scatter{XYs: points, GlyphStyle: s.glyph}
	p.Add(line, marks)
	return []plot.Thumbnailer{line, marks}
}

// grid adds lines at the labelled ticks, under what is added later.
func grid(p *plot.Plot) {
	p.Add(&plotter.Grid{
		Vertical:   draw.LineStyle{Color: pale, Width: 0.5},
		Horizontal: draw.LineStyle{Color: pale, Width: 0.5},
	})
}

// logarithmic makes an axis logarithmic over the values, with room around them.
func logarithmic(axis *plot.Axis, low, high float64, label func(float64) string) {
	axis.Scale = plot.LogScale{}
	axis.Min, axis.Max = low/1.2, high*1.2
	axis.Tick.Marker = logTicks{label}
}

// logTicks labels the powers of ten, and where the axis has few of them, twice and five times those.
type logTicks struct{ label func(float64) string }

func (t logTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	few := high/low < 300
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			// Written and read: 3e-2 is nearer to 0.03 than 3 times 0.01 is.
			value, _ := strconv.ParseFloat(fmt.Sprintf("%ge%g", m, e), 64)
			if value < low || value > high {
				continue
			}
			tick := plot.Tick{Value: value}
			if m == 1 || few && (m == 2 || m == 5) {
				tick.Label = t.label(value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// sizeTicks labels the sizes of tables.
func sizeTicks(sizes []int64) (ticks plot.ConstantTicks) {
	for _, bytes := range sizes {
		// On two lines: a size may be twice its neighbour.
		ticks = append(ticks, plot.Tick{Value: float64(bytes), Label: strings.Replace(size(bytes), " ", "\n", 1)})
	}
	return ticks
}

// number writes a tick: 0.5, 1, 20.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// percentTick and durationTick write ticks of a vertical axis: with a space, which keeps them off the mark.
func percentTick(v float64) string { return number(100*v) + " % " }

func durationTick(ns float64) string {
	unit := "ns"
	for _, next := range []string{"µs", "ms", "s"} {
		if ns < 1000 {
			break
		}
		ns, unit = ns/1000, next
	}
	return number(ns) + " " + unit + " "
}

// extent is the least and the largest of positive values; 0 before there is one.
type extent struct{ low, high float64 }

func (e *extent) add(v float64) {
	if v <= 0 {
		return
	}
	if e.low == 0 || v < e.low {
		e.low = v
	}
	e.high = max(e.high, v)
}

// bars draws horizontal bars from 1 to a ratio on a logarithmic axis, each with its label behind it.
type bars struct {
	ratios []float64 // from the lowest bar upwards, at y = 0, 1, …; 0 for none
	colors []color.Color
	labels []string
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	label := style(tickSize)
	label.YAlign = draw.YCenter
	for i, ratio := range b.ratios {
		if ratio <= 0 {
			c.FillText(label, vg.Point{X: x(1) + 4, Y: y(float64(i))}, b.labels[i])
			continue
		}
		from, to := x(min(ratio, 1)), x(max(ratio, 1))
		low, high := y(float64(i)-0.36), y(float64(i)+0.36)
		c.FillPolygon(b.colors[i], []vg.Point{{X: from, Y: low}, {X: to, Y: low}, {X: to, Y: high}, {X: from, Y: high}})
		c.FillText(label, vg.Point{X: to + 4, Y: y(float64(i))}, b.labels[i])
	}
	c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 1}, x(1), c.Min.Y, x(1), c.Max.Y)
}

// swatch is a legend's icon for the colour of bars.
type swatch struct{ color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.SetColor(s.Color)
	c.Fill(c.Rectangle.Path())
}
