package verify

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/plan"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// curve is a line of the picture, by what it shows.
type curve struct {
	name   string
	points []plan.Point
	marks  []plan.Point // of these, what was simulated
}

// rateFloor is the rate below which nothing is drawn.
const rateFloor = 1e-9

// Picture writes the report's picture, as SVG: rate and deletable part, over bits per key (for some
// numbers of turnovers) and over turnovers (for some sizes).
func Picture(w io.Writer, r *plan.Report) error {
	picture, err := draw(r)
	if err != nil {
		return err
	}
	return picture.WriteSVG(w)
}

// draw returns the picture.
func draw(r *plan.Report) (*chart.Picture, error) {
	overSizes, err := sizeCurves(r)
	if err != nil {
		return nil, err
	}
	overTurnovers, last := sameSize(r), math.NaN()
	if r.ForEver == nil {
		if overTurnovers, err = turnoverCurves(r); err != nil {
			return nil, err
		}
		last = r.Turnovers
	}
	picture := &chart.Picture{
		Title: fmt.Sprintf("Deletable blocks of %d bits, lifetime %s: a plan of %.1f bits per "+
			"key, %s",
			r.BlockBits, r.Lifetime, r.BitsPerKey, r.Span()),
		Columns: 2, Width: 340, Height: 230, Below: true,
	}
	if len(simulated(r, func(*plan.Point) bool { return true })) > 0 {
		picture.Title += "; marks are simulated"
	}
	columns := []struct {
		curves []curve
		x      func(*plan.Point) float64
		label  string
		mark   float64 // where the plan is
	}{
		{overSizes, func(p *plan.Point) float64 { return p.BitsPerKey },
			"bits per key (collision bits included)", r.BitsPerKey},
		{overTurnovers, func(p *plan.Point) float64 { return p.Turnovers },
			"turnovers since the table was filled", last},
	}
	rows := []struct {
		label     string
		predicted func(*plan.Point) float64
		simulated func(*plan.Simulated) float64
		least     float64
	}{
		{"false-positive rate", func(p *plan.Point) float64 { return p.Rate },
			func(s *plan.Simulated) float64 { return s.Rate }, rateFloor},
		{"deletability (%)", func(p *plan.Point) float64 { return 100 * p.Deletability },
			func(s *plan.Simulated) float64 { return 100 * s.Deletability }, 0},
	}
	for i, row := range rows {
		for _, column := range columns {
			panel := chart.New("", column.label, row.label)
			series := func(points []plan.Point, y func(*plan.Point) float64) (xys plotter.XYs) {
				for n := range points {
					if p := &points[n]; y(p) >= row.least {
						xys = append(xys, plotter.XY{X: column.x(p), Y: y(p)})
					}
				}
				return xys
			}
			for k, c := range column.curves {
				panel.Add(c.name, series(c.points, row.predicted), chart.Curve(k))
				panel.Add(c.name,
					series(c.marks,
						func(p *plan.Point) float64 { return row.simulated(p.Simulated) }),
					chart.Marks(k))
			}
			if i == 0 {
				panel.Y.Max = 1
				chart.Logarithmic(quantity.Number, &panel.Y)
			} else {
				panel.Y.Min, panel.Y.Max = 0, 100
			}
			if !math.IsNaN(column.mark) { // forever is nowhere
				here := plotter.XYs{{X: column.mark, Y: panel.Y.Min},
					{X: column.mark, Y: panel.Y.Max}}
				panel.Add("the plan is here", here, chart.Reference)
			}
			if i == 0 && r.Rate > 0 {
				panel.Add("", plotter.XYs{{X: panel.X.Min, Y: r.Rate}, {X: panel.X.Max, Y: r.Rate}},
					chart.Reference)
			}
			picture.Panels = append(picture.Panels, panel)
		}
	}
	return picture, nil
}

// sizeCurves returns the curves over bits per key: fresh, on the way, and at the end of the
// turnovers; or forever, by the re-inserts per insert.
func sizeCurves(r *plan.Report) (curves []curve, err error) {
	most := max(32, math.Ceil(r.BitsPerKey*1.15))
	if r.ForEver != nil {
		for _, t := range r.ForEver.Reinserts {
			c := curve{name: quantity.Part(t.Reinserts, "re-insert") + " per insert"}
			c.points, err = predicted(r, func(table *planning.Table, part float64) float64 {
				table.Reinserts = t.Reinserts
				*table = table.Steady()
				return 6 + (most-6)*part
			})
			if err != nil {
				return nil, err
			}
			if t.Reinserts == r.Reinserts {
				c.marks = simulated(r, func(p *plan.Point) bool { return p.Turnovers == r.Last() })
			}
			curves = append(curves, c)
		}
		return curves, nil
	}
	times := []float64{0, r.Turnovers / 4, r.Turnovers / 2, r.Turnovers}
	for _, past := range slices.Compact(times) {
		c := curve{name: quantity.Part(past, "turnover")}
		if past == 0 {
			c.name = "no turnover yet"
		}
		c.points, err = predicted(r, func(table *planning.Table, part float64) float64 {
			table.Turnovers = past
			return 6 + (most-6)*part
		})
		if err != nil {
			return nil, err
		}
		c.marks = simulated(r, func(p *plan.Point) bool { return p.Turnovers == past })
		curves = append(curves, c)
	}
	return curves, nil
}

// turnoverCurves returns the curves over turnovers: of the plan's table, and of other sizes.
func turnoverCurves(r *plan.Report) (curves []curve, err error) {
	most := min(r.Turnovers*1.25, planning.MaxTurnovers)
	if most == 0 {
		most = 2
	}
	for i, size := range []float64{r.BitsPerKey, 8, 12, 16, 24} {
		c := curve{name: fmt.Sprintf("%g bits per key", size)}
		if i == 0 {
			c.name = fmt.Sprintf("the plan: %.1f bits", size)
		}
		c.points, err = predicted(r, func(table *planning.Table, part float64) float64 {
			table.Turnovers = most * part
			return size
		})
		if err != nil {
			return nil, err
		}
		c.marks = simulated(r, func(p *plan.Point) bool {
			return len(c.points) > 0 && math.Abs(p.BitsPerKey-c.points[0].BitsPerKey) <
				1e-9*p.BitsPerKey
		})
		curves = append(curves, c)
	}
	return curves, nil
}

// sameSize returns the curves over turnovers of the plan's table forever, and of the filters of
// its size.
func sameSize(r *plan.Report) (curves []curve) {
	if r.ForEver == nil {
		return nil
	}
	for _, s := range r.ForEver.Subjects {
		points := func(samples []plan.Sample) (all []plan.Point) {
			for _, at := range samples {
				p := plan.Point{Turnovers: at.Turnovers, Rate: at.Rate,
					Deletability: at.Deletability}
				if s.Name != plan.Refreshed && s.Name != plan.Alone {
					p.Deletability = math.NaN() // is not drawn
				}
				p.Simulated = &plan.Simulated{Rate: p.Rate, Deletability: p.Deletability}
				all = append(all, p)
			}
			return all
		}
		curves = append(curves, curve{name: s.Name, points: points(s.Points),
			marks: points(s.Samples)})
	}
	return curves
}

// predicted returns the points of a curve, by the size and the history of the table at each part of
// it, up to where it would have too many members.
func predicted(
	r *plan.Report,
	size func(table *planning.Table, part float64) (size float64),
) (points []plan.Point, err error) {
	const steps = 30
	for i := range steps + 1 {
		table := r.Planned.Table
		size := size(&table, float64(i)/steps)
		if size != r.BitsPerKey {
			if table.Blocks, err = planning.BlocksFor(table.BlockBits, table.Members,
				size); err != nil {
				break
			}
		}
		point, err := plan.Predict(table, table.Turnovers)
		if err != nil {
			return nil, err
		}
		points = append(points, point)
	}
	return points, nil
}

// simulated returns the points of the report that were simulated, and are wanted.
func simulated(r *plan.Report, wanted func(*plan.Point) bool) (points []plan.Point) {
	for _, p := range slices.Concat(r.Over, r.Sizes) {
		if p.Simulated != nil && wanted(&p) {
			points = append(points, p)
		}
	}
	return points
}
