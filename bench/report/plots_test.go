package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func TestPlotsAreOfEverything(t *testing.T) {
	names := map[string]bool{}
	for _, p := range Plots(synthetic()) {
		if names[p.Name] {
			t.Errorf("%s twice", p.Name)
		}
		names[p.Name] = true
	}
	for _, want := range []string{
		"query-512.svg", "query-256.svg", "insert-512.svg", "insert-256.svg", "delete-512.svg", "delete-256.svg",
		"peers-query-equal-bits-512.svg", "peers-insert-equal-bits-512.svg", "peers-delete-equal-bits-512.svg",
		"peers-query-equal-rate-512.svg", "false-positives.svg", "deletable.svg", "latency-query-512.svg", "latency-insert-512.svg",
	} {
		if !names[want] {
			t.Errorf("no %s", want)
		}
	}
}

func TestPicturesAreSVG(t *testing.T) {
	for _, p := range Plots(synthetic()) {
		var b bytes.Buffer
		if err := p.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		texts := 0
		for d := xml.NewDecoder(&b); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
				texts++
				for _, a := range start.Attr {
					if a.Name.Local == "style" && !strings.Contains(a.Value, "sans-serif") {
						t.Errorf("%s: text in %s, which a browser may not have", p.Name, a.Value)
					}
				}
			}
		}
		if texts < 5 {
			t.Errorf("%s has %d texts", p.Name, texts)
		}
	}
}

// No text leaves its picture or lies on another one.
func TestTextsHaveRoom(t *testing.T) {
	for _, p := range Plots(synthetic()) {
		w, h := p.size()
		c := &texts{stack: []matrix{{a: 1, d: 1}}}
		p.draw(draw.NewCanvas(c, w, h))
		all := vg.Rectangle{Max: vg.Point{X: w, Y: h}}
		for i, a := range c.boxes {
			if a.Min.X < all.Min.X || a.Min.Y < all.Min.Y || a.Max.X > all.Max.X || a.Max.Y > all.Max.Y {
				t.Errorf("%s: %q at %v is cut off by %v", p.Name, a.text, a.Rectangle, all)
			}
			for _, b := range c.boxes[:i] {
				if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
					t.Errorf("%s: %q at %v lies on %q at %v", p.Name, a.text, a.Rectangle, b.text, b.Rectangle)
				}
			}
		}
	}
}

// Series differ in colour or in their marks.
func TestSeriesDiffer(t *testing.T) {
	type look struct {
		color color.Color
		shape draw.GlyphDrawer
	}
	seen := map[look]int{}
	for i := range 24 {
		s := seriesOf(i)
		l := look{s.glyph.Color, s.glyph.Shape}
		if j, ok := seen[l]; ok {
			t.Errorf("series %d and %d look alike", j, i)
		}
		seen[l] = i
	}
}

// texts is a canvas that keeps where texts are.
type texts struct {
	boxes []box
	stack []matrix
}

type box struct {
	vg.Rectangle
	text string
}

// matrix maps x to ax + cy + e and y to bx + dy + f.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

func (t *texts) transform(m matrix) { t.stack[len(t.stack)-1] = t.stack[len(t.stack)-1].times(m) }

func (t *texts) FillString(f font.Face, at vg.Point, text string) {
	m := t.stack[len(t.stack)-1]
	e := f.Extents()
	b := box{vg.Rectangle{Min: vg.Point{X: vg.Length(math.Inf(1)), Y: vg.Length(math.Inf(1))}, Max: vg.Point{X: vg.Length(math.Inf(-1)), Y: vg.Length(math.Inf(-1))}}, text}
	for _, x := range []vg.Length{at.X, at.X + f.Width(strings.TrimSpace(text))} {
		for _, y := range []vg.Length{at.Y - e.Descent, at.Y + e.Ascent - e.Descent} {
			p := vg.Point{X: vg.Length(m.a)*x + vg.Length(m.c)*y + vg.Length(m.e), Y: vg.Length(m.b)*x + vg.Length(m.d)*y + vg.Length(m.f)}
			b.Min = vg.Point{X: min(b.Min.X, p.X), Y: min(b.Min.Y, p.Y)}
			b.Max = vg.Point{X: max(b.Max.X, p.X), Y: max(b.Max.Y, p.Y)}
		}
	}
	t.boxes = append(t.boxes, b)
}

func (t *texts) Rotate(r float64) {
	sin, cos := math.Sincos(r)
	t.transform(matrix{a: cos, b: sin, c: -sin, d: cos})
}
func (t *texts) Translate(p vg.Point)                { t.transform(matrix{1, 0, 0, 1, float64(p.X), float64(p.Y)}) }
func (t *texts) Scale(x, y float64)                  { t.transform(matrix{a: x, d: y}) }
func (t *texts) Push()                               { t.stack = append(t.stack, t.stack[len(t.stack)-1]) }
func (t *texts) Pop()                                { t.stack = t.stack[:len(t.stack)-1] }
func (t *texts) SetLineWidth(vg.Length)              {}
func (t *texts) SetLineDash([]vg.Length, vg.Length)  {}
func (t *texts) SetColor(color.Color)                {}
func (t *texts) Stroke(vg.Path)                      {}
func (t *texts) Fill(vg.Path)                        {}
func (t *texts) DrawImage(vg.Rectangle, image.Image) {}
