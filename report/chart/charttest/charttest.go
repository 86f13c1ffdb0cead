// Package charttest is no API: it checks what tests draw.
package charttest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/bloomlane/bloomlane/report/chart"
)

// TextsHaveRoom checks that no text of a picture leaves it or lies on another one.
func TextsHaveRoom(t testing.TB, p *chart.Picture) {
	t.Helper()
	w, h := p.Size()
	c := &canvas{stack: []matrix{{a: 1, d: 1}}}
	p.Draw(draw.NewCanvas(c, w, h))
	if len(c.boxes) < 5 {
		t.Errorf("%s: %d texts", p.Title, len(c.boxes))
	}
	for i, a := range c.boxes {
		if a.Min.X < 0 || a.Min.Y < 0 || a.Max.X > w || a.Max.Y > h {
			t.Errorf("%s: %q at %v is cut off by %v", p.Title, a.text, a.Rectangle,
				vg.Point{X: w, Y: h})
		}
		for _, b := range c.boxes[:i] {
			if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
				t.Errorf("%s: %q at %v lies on %q at %v", p.Title, a.text, a.Rectangle,
					b.text, b.Rectangle)
			}
		}
	}
}

// canvas keeps where texts are, and of all else what is drawn.
type canvas struct {
	recorder.Canvas
	boxes []box
	stack []matrix
}

type box struct {
	vg.Rectangle
	text string
}

// matrix maps x to ax + cy + e and y to bx + dy + f.
type matrix struct{ a, b, c, d, e, f vg.Length }

func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

func (c *canvas) transform(m matrix) { c.stack[len(c.stack)-1] = c.stack[len(c.stack)-1].times(m) }

func (c *canvas) FillString(f font.Face, p vg.Point, text string) {
	m, e := c.stack[len(c.stack)-1], f.Extents()
	var xs, ys []vg.Length // of the corners
	for _, x := range []vg.Length{p.X, p.X + f.Width(strings.TrimSpace(text))} {
		for _, y := range []vg.Length{p.Y - e.Descent, p.Y + e.Ascent - e.Descent} {
			xs, ys = append(xs, m.a*x+m.c*y+m.e), append(ys, m.b*x+m.d*y+m.f)
		}
	}
	c.boxes = append(c.boxes, box{vg.Rectangle{
		Min: vg.Point{X: slices.Min(xs), Y: slices.Min(ys)},
		Max: vg.Point{X: slices.Max(xs), Y: slices.Max(ys)},
	}, text})
}

func (c *canvas) Rotate(r float64) {
	sin, cos := math.Sincos(r)
	c.transform(matrix{a: vg.Length(cos), b: vg.Length(sin), c: vg.Length(-sin), d: vg.Length(cos)})
}
func (c *canvas) Translate(p vg.Point) { c.transform(matrix{1, 0, 0, 1, p.X, p.Y}) }
func (c *canvas) Scale(x, y float64)   { c.transform(matrix{a: vg.Length(x), d: vg.Length(y)}) }
func (c *canvas) Push()                { c.stack = append(c.stack, c.stack[len(c.stack)-1]) }
func (c *canvas) Pop()                 { c.stack = c.stack[:len(c.stack)-1] }
