package plan

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// curve is a line of the picture, by what it shows.
type curve struct {
	name   string
	points []Point
	marks  []Point // of these, what was simulated
}

// Picture writes the report's picture, as SVG: rate and deletable part, over bits a key (for some
// numbers of turnovers) and over turnovers (for some sizes).
func (r *Report) Picture(w io.Writer) error {
	overSizes, err := r.overSizes()
	if err != nil {
		return err
	}
	overTurnovers, err := r.overTurnovers()
	if err != nil {
		return err
	}

	const width, height, legend, title = 26 * vg.Centimeter, 19 * vg.Centimeter, 2.6 * vg.Centimeter, 1.2 * vg.Centimeter
	canvas, all := chart.Page(width, height, fmt.Sprintf("Deletable blocks of %d bits, lifetime %s: a plan of %.1f bits a key for %s",
		r.BlockBits, r.Lifetime, r.BitsPerKey, turnovers(r.Turnovers)))

	columns := []struct {
		curves []curve
		x      func(*Point) float64
		label  string
		mark   float64 // where the plan is
	}{
		{overSizes, func(p *Point) float64 { return p.BitsPerKey }, "bits a key (collision bits included)", r.BitsPerKey},
		{overTurnovers, func(p *Point) float64 { return p.Turnovers }, "turnovers since the table was filled", r.Turnovers},
	}
	rows := []struct {
		y     func(*Point) float64
		err   func(*Simulated) float64
		label string
	}{
		{func(p *Point) float64 { return p.Rate }, func(s *Simulated) float64 { return s.Rate }, "false-positive rate"},
		{func(p *Point) float64 { return 100 * p.Deletable }, func(s *Simulated) float64 { return 100 * s.Deletable }, "deletable members (%)"},
	}
	var plots [2][2]*plot.Plot
	for i, row := range rows {
		for j, column := range columns {
			p := chart.New(column.label, row.label)
			for k, c := range column.curves {
				line := make(plotter.XYs, 0, len(c.points))
				for n := range c.points {
					if y := row.y(&c.points[n]); y > 0 || i > 0 {
						line = append(line, plotter.XY{X: column.x(&c.points[n]), Y: y})
					}
				}
				if err := chart.AddLine(p, line, k); err != nil {
					return err
				}
				var marks plotter.XYs
				for n := range c.marks {
					if y := row.err(c.marks[n].Simulated); y > 0 || i > 0 {
						marks = append(marks, plotter.XY{X: column.x(&c.marks[n]), Y: y})
					}
				}
				if err := addMarks(p, marks, k); err != nil {
					return err
				}
			}
			if i == 0 {
				chart.Decades(p, -9)
			} else {
				p.Y.Min, p.Y.Max = 0, 100
			}
			if column.mark > p.X.Min && column.mark < p.X.Max {
				if err := chart.AddReference(p, column.mark, p.Y.Min, column.mark, p.Y.Max); err != nil {
					return err
				}
			}
			if i == 0 && r.Rate > 0 {
				if err := chart.AddReference(p, p.X.Min, r.Rate, p.X.Max, r.Rate); err != nil {
					return err
				}
			}
			plots[i][j] = p
		}
	}

	body := draw.Crop(all, 0.3*vg.Centimeter, -0.4*vg.Centimeter, legend, -title)
	tiles := draw.Tiles{Rows: 2, Cols: 2, PadX: 0.8 * vg.Centimeter, PadY: 0.6 * vg.Centimeter}
	areas := plot.Align([][]*plot.Plot{plots[0][:], plots[1][:]}, tiles, body)
	for i := range plots {
		for j := range plots[i] {
			plots[i][j].Draw(areas[i][j])
		}
	}
	for j, column := range columns {
		area := areas[1][j]
		r.legend(draw.Canvas{Canvas: all.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: area.Min.X + 1.2*vg.Centimeter, Y: 0.2 * vg.Centimeter},
			Max: vg.Point{X: area.Max.X, Y: legend - 0.2*vg.Centimeter},
		}}, column.curves)
	}
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("plan: write the picture: %w", err)
	}
	return nil
}

func addMarks(p *plot.Plot, points plotter.XYs, k int) error {
	if len(points) == 0 {
		return nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return fmt.Errorf("plan: draw: %w", err)
	}
	marks.GlyphStyle = glyph(chart.Colour(k))
	p.Add(marks)
	return nil
}

func glyph(c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: vg.Points(3.2), Shape: draw.RingGlyph{}}
}

// legend draws the names of the curves in two columns below the plots.
func (r *Report) legend(c draw.Canvas, curves []curve) {
	const lineHeight = 0.52 * vg.Centimeter
	entry := func(k int, name string, drawSample func(from, to vg.Point)) {
		chart.Entry(c, vg.Point{
			X: c.Min.X + vg.Length(k%2)*(c.Max.X-c.Min.X)/2,
			Y: c.Max.Y - vg.Length(k/2)*lineHeight - lineHeight/2,
		}, name, drawSample)
	}
	marks := false
	for k, curve := range curves {
		marks = marks || len(curve.marks) > 0
		entry(k, curve.name, func(from, to vg.Point) { c.StrokeLine2(chart.Style(k), from.X, from.Y, to.X, to.Y) })
	}
	k := len(curves)
	entry(k, "the plan is here", func(from, to vg.Point) { c.StrokeLine2(chart.Reference, from.X, from.Y, to.X, to.Y) })
	if marks {
		entry(k+1, "simulated", func(from, to vg.Point) {
			c.DrawGlyph(glyph(chart.Grey), vg.Point{X: (from.X + to.X) / 2, Y: from.Y})
		})
	}
}

// overSizes returns the curves over bits a key: fresh, on the way, and at the end of the turnovers.
func (r *Report) overSizes() ([]curve, error) {
	most := max(32, math.Ceil(r.BitsPerKey*1.15))
	times := []float64{0, r.Turnovers / 4, r.Turnovers / 2, r.Turnovers}
	if r.Turnovers == 0 {
		times = times[:1]
	}
	var curves []curve
	for _, at := range times {
		c := curve{name: turnovers(at)}
		if at == 0 {
			c.name = "no turnover yet"
		}
		const points = 30
		for i := range points + 1 {
			table := r.planned.Table
			size := 6 + (most-6)*float64(i)/points
			blocks, err := planning.BlocksFor(table.BlockBits, table.Members, size)
			if err != nil {
				break // too many members for tables of that size
			}
			table.Blocks = blocks
			point, err := predict(table, at)
			if err != nil {
				return nil, err
			}
			c.points = append(c.points, point)
		}
		c.marks = r.simulated(func(p *Point) bool { return p.Turnovers == at })
		curves = append(curves, c)
	}
	return curves, nil
}

// overTurnovers returns the curves over turnovers: of the plan's table, and of other sizes.
func (r *Report) overTurnovers() ([]curve, error) {
	most := r.Turnovers * 1.25
	if most == 0 {
		most = 2
	}
	most = min(most, planning.MaxTurnovers)
	var curves []curve
	for _, size := range []float64{r.BitsPerKey, 8, 12, 16, 24} {
		table := r.planned.Table
		c := curve{name: fmt.Sprintf("the plan: %.1f bits", size)}
		if len(curves) > 0 {
			blocks, err := planning.BlocksFor(table.BlockBits, table.Members, size)
			if err != nil {
				break
			}
			table.Blocks = blocks
			c.name = fmt.Sprintf("%g bits a key", size)
		}
		const points = 30
		for i := range points + 1 {
			point, err := predict(table, most*float64(i)/points)
			if err != nil {
				return nil, err
			}
			c.points = append(c.points, point)
		}
		bits := table.BitsPerKey()
		c.marks = r.simulated(func(p *Point) bool { return math.Abs(p.BitsPerKey-bits) < 1e-9*bits })
		curves = append(curves, c)
	}
	return curves, nil
}

// simulated returns the points of the report that were simulated, and are wanted.
func (r *Report) simulated(wanted func(*Point) bool) (points []Point) {
	for _, p := range append(append([]Point(nil), r.Over...), r.Sizes...) {
		if p.Simulated != nil && wanted(&p) {
			points = append(points, p)
		}
	}
	return points
}
