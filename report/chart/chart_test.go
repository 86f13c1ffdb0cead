package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// pictures are of all that there is to draw: the legend right and below, a last row that is not
// full.
func pictures() (all []*chart.Picture) {
	for _, below := range []bool{false, true} {
		picture := &chart.Picture{Title: "Series", Columns: 2, Width: 220,
			Height: 160, Below: below}
		for n := range 3 {
			panel := chart.New(fmt.Sprintf("panel %d", n), "across", "up")
			points := plotter.XYs{{X: 1, Y: 0.002}, {X: 10, Y: 20}, {X: 1000, Y: 3}}
			panel.Add("measured", points, chart.Marked(n))
			panel.Add("both", points, chart.Marks(n+1))
			panel.Add("both", points, chart.Expected(n+1))
			panel.Add("", points, chart.Reference)
			panel.Add("nothing", nil, chart.Curve(n))
			chart.Logarithmic(quantity.Percent, &panel.Y)
			chart.Logarithmic(quantity.Number, &panel.X)
			panel.X.Tick.Marker = chart.Ticks(quantity.Number, 1, 10, 1000)
			picture.Panels = append(picture.Panels, panel)
		}
		all = append(all, picture)
	}
	return all
}

func TestTextsHaveRoom(t *testing.T) {
	for _, p := range pictures() {
		charttest.TextsHaveRoom(t, p)
	}
}

// A picture is XML, in a font that every browser can replace; a name is in the legend once, and the
// label of a row's axes is too.
func TestWriteSVG(t *testing.T) {
	for _, p := range pictures() {
		var svg bytes.Buffer
		if err := p.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for d := xml.NewDecoder(&svg); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", p.Title, err)
			}
			switch token := token.(type) {
			case xml.CharData:
				count[strings.TrimSpace(string(token))]++
			case xml.StartElement:
				for _, a := range token.Attr {
					if token.Name.Local == "text" && a.Name.Local == "style" &&
						!strings.Contains(a.Value, "sans-serif") {
						t.Errorf("%s: text in %s, which a browser may not have", p.Title, a.Value)
					}
				}
			}
		}
		want := map[string]int{"measured": 1, "both": 1, "up": 2, "across": 3,
			"nothing": 0, "0.1 %": 0}
		for text, n := range want {
			if count[text] != n {
				t.Errorf("%s has %q %d times, want %d", p.Title, text, count[text], n)
			}
		}
	}
	if err := pictures()[0].WriteSVG(failing{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a writer that fails: %v", err)
	}
}

// A logarithmic axis is as long as a linear one with the same labels, whatever its name.
func TestLogarithmicAxesAreLong(t *testing.T) {
	height := func(logarithmic bool) vg.Length {
		p := chart.New("", "across", "an axis of a long, long name")
		p.Add("", plotter.XYs{{X: 1, Y: 1}, {X: 2, Y: 100_000}}, chart.Curve(0))
		if logarithmic {
			chart.Logarithmic(quantity.Number, &p.Y)
		}
		p.Y.Tick.Marker = chart.Ticks(quantity.Number, 1, 100_000)
		return p.DataCanvas(
			draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 300, Y: 200}}}).Size().Y
	}
	if linear, log := height(false), height(true); log < 0.9*linear {
		t.Errorf("the logarithmic axis has %g points, the linear one %g", log, linear)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Series differ in colour or in their marks, and curves in colour or in their dashes.
func TestSeriesDiffer(t *testing.T) {
	type look struct {
		color color.Color
		shape draw.GlyphDrawer
	}
	seen := map[look]int{}
	for k := range 24 {
		mark := chart.Marked(k).Mark
		l := look{mark.Color, mark.Shape}
		if j, ok := seen[l]; ok {
			t.Errorf("series %d and %d look alike", j, k)
		}
		seen[l] = k
	}
	curves := map[string]int{}
	for k := range 42 {
		line := chart.Curve(k).Line
		l := fmt.Sprint(line.Color, line.Dashes)
		if j, ok := curves[l]; ok {
			t.Errorf("curves %d and %d look alike", j, k)
		}
		curves[l] = k
	}
}

// Axes without data stay linear, for a logarithm has no zero; others have one range.
func TestLogarithmic(t *testing.T) {
	empty := chart.New("", "", "")
	chart.Logarithmic(quantity.Number, &empty.Y)
	a, b := chart.New("", "", ""), chart.New("", "", "")
	a.Add("", plotter.XYs{{X: 1, Y: 1e-6}, {X: 2, Y: 1e-5}}, chart.Curve(0))
	b.Add("", plotter.XYs{{X: 1, Y: 10}, {X: 2, Y: 100}}, chart.Curve(0))
	chart.Logarithmic(quantity.Number, &a.Y, &b.Y)
	if a.Y.Min != b.Y.Min || a.Y.Max != b.Y.Max || !(a.Y.Min < 1e-6 && a.Y.Min > 1e-7) ||
		!(a.Y.Max > 100 && a.Y.Max < 1000) {
		t.Errorf("axes from %g to %g and from %g to %g", a.Y.Min, a.Y.Max, b.Y.Min, b.Y.Max)
	}
	var labels []string
	for _, tick := range a.Y.Tick.Marker.Ticks(0.9, 30) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if got := strings.Join(labels, " "); got != "1 2 5 10 20" {
		t.Errorf("ticks %s", got)
	}
	p := chart.Picture{Panels: []*chart.Panel{empty}, Columns: 1, Width: 100, Height: 100}
	if err := p.WriteSVG(io.Discard); err != nil {
		t.Error(err)
	}
}
