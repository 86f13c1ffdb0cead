package claim

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Panel is one of the plots of a figure.
type Panel struct {
	Title, X, Y string
	Log         bool                  // the vertical axis
	Axes        func(x, y *plot.Axis) // sets their look, once the curves are drawn; nil for none
}

// Percents gives an axis the range from 0 to 100 %.
func Percents(axis *plot.Axis) {
	axis.Min, axis.Max = 0, 1
	axis.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Number(100 * v) },
		0, 0.2, 0.4, 0.6, 0.8, 1)
}

// draw draws a figure: a curve for each row of its cells. Trials beside a formula are marks, and
// the formula a line of dashes.
func (v *Value) draw() Figure {
	figure := Figure{Name: v.file(), Picture: &chart.Picture{Title: v.Name,
		Columns: min(len(v.Panels), 3), Width: 340, Height: 260}}
	rows := pivot.Names(v.Cells, func(c Cell) string { return c.Row })
	for number, panel := range v.Panels {
		drawn := chart.New(panel.Title, panel.X, panel.Y)
		figure.Picture.Panels = append(figure.Picture.Panels, drawn)
		cells := pivot.Where(v.Cells, func(c Cell) bool { return c.Panel == number })
		for name, points := range pivot.Groups(cells, func(c Cell) string { return c.Row }) {
			var marks, line plotter.XYs
			curve := slices.Index(rows, name) // it has one look in all panels
			for _, c := range points {
				found := c.found()
				if found.Measured == nil {
					continue
				}
				figure.Points = append(figure.Points, Point{Figure: figure.Name, Panel: number + 1,
					Curve: name, X: c.X, Interval: found, Formula: c.Formula})
				// What is not known to be more than 0 has no place on a logarithmic axis.
				if c.Measured != nil && (!panel.Log || *c.Low > 0) {
					marks = append(marks, plotter.XY{X: c.X, Y: *c.Measured})
				}
				if c.Formula != nil && (!panel.Log || *c.Formula > 0) {
					line = append(line, plotter.XY{X: c.X, Y: *c.Formula})
				}
			}
			switch {
			case line == nil:
				drawn.Add(name, marks, chart.Marked(curve))
			case marks == nil:
				drawn.Add(name, line, chart.Curve(curve))
			default:
				drawn.Add(name, line, chart.Expected(curve))
				drawn.Add(name, marks, chart.Marks(curve))
			}
		}
		if panel.Log {
			chart.Logarithmic(v.number, &drawn.Y)
		}
		if panel.Axes != nil {
			panel.Axes(&drawn.X, &drawn.Y)
		}
	}
	return figure
}
