package claim

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Plot is a figure: quantities by a parameter, a curve for each value of another.
type Plot struct {
	Name, Title   string
	Where         string // in the paper
	Columns       int
	Width, Height vg.Length // of a panel
	Panels        []Panel

	others []Point // measured elsewhere
}

// Panel is a part of a figure with axes of its own.
type Panel struct {
	Title, X, Y string

	By string                  // the parameter along the horizontal axis
	At []float64               // its values that are simulated
	To func(x float64) float64 // where a value stands on the axis; nil for itself

	Curves []Curve

	Sparse bool // formulas are drawn at the same values only, as they take long

	Log  bool               // the vertical axis is logarithmic
	Part bool               // it shows shares of all, from 0 to 100 %
	Look func(*chart.Panel) // the last changes to it; nil for none
}

// Curve is a quantity over the parameter of its panel. What is simulated is drawn as marks if there
// is a theory, which is a line of dashes.
type Curve struct {
	Name       string
	Quantity   string
	Theory     string // a formula of the quantity; empty for none
	Computed   bool   // there is the theory only
	Parameters Parameters
	Reading    string
}

// Curves returns a curve for each value of a parameter, named by a format for the value.
func Curves[T any](name, parameter string, values []T, c Curve) (all []Curve) {
	for _, value := range values {
		c := c
		c.Name, c.Parameters = fmt.Sprintf(name, value), maps.Clone(c.Parameters)
		if c.Parameters == nil {
			c.Parameters = Parameters{}
		}
		c.Parameters[parameter] = value
		all = append(all, c)
	}
	return all
}

// Part returns the part of a run that draws the figure. Its points are claims of which nothing is
// published.
func (p Plot) Part(quantities Quantities) Part {
	return func(run *trials.Run) (claims []Claim, _ []Figure) {
		picture := &chart.Picture{Title: p.Title, Columns: p.Columns, Width: p.Width,
			Height: p.Height}
		var drawnPoints []Point
		for number, panel := range p.Panels {
			drawn := chart.New(panel.Title, panel.X, panel.Y)
			if panel.Part {
				percentages(drawn)
			}
			unit := Number
			for i, curve := range panel.Curves {
				of := quantities[curve.Quantity]
				unit = of.unit()
				points := panel.add(run, quantities, drawn, i, curve)
				for k := range points {
					c := &points[k]
					c.Item, c.Where = p.Name, p.Where
					drawnPoints = append(drawnPoints, Point{Figure: p.Name, Panel: number + 1,
						Curve: curve.Name, X: panel.place(c.Parameters.Float(panel.By)),
						Interval: c.Interval, Theory: c.Theory, Trials: c.Trials})
				}
				claims = append(claims, points...)
			}
			drawnPoints = append(drawnPoints,
				addOthers(drawn, len(panel.Curves), p.others, p.Name, number+1)...)
			if panel.Log && unit == Share {
				chart.Logarithmic(quantity.Percent, &drawn.Y)
			} else if panel.Log {
				chart.Logarithmic(quantity.Number, &drawn.Y)
			}
			if panel.Look != nil {
				panel.Look(drawn)
			}
			picture.Panels = append(picture.Panels, drawn)
		}
		return claims, []Figure{{Name: p.Name, Picture: picture, Points: drawnPoints}}
	}
}

// place is where a value of the parameter stands on the horizontal axis.
func (p *Panel) place(v float64) float64 {
	if p.To != nil {
		return p.To(v)
	}
	return v
}

// add draws a curve, and returns its points.
func (p *Panel) add(
	run *trials.Run,
	quantities Quantities,
	drawn *chart.Panel,
	number int,
	c Curve,
) (claims []Claim) {
	evaluate := func(v float64) evaluation {
		parameters := maps.Clone(c.Parameters)
		if parameters == nil {
			parameters = Parameters{}
		}
		parameters[p.By] = v
		if whole := int(v); float64(whole) == v {
			parameters[p.By] = whole
		}
		return evaluation{quantities, c.Quantity, parameters}
	}
	// What is not known to be more than 0 has no place on a logarithmic axis.
	shown := func(low float64) bool { return !p.Log || low > 0 }
	from := math.Inf(-1)
	quantity := quantities[c.Quantity]
	var marks, line plotter.XYs
	known := map[float64]float64{} // of the theory
	for _, v := range p.At {
		e := evaluate(v)
		point := Claim{Parameters: e.point, Quantity: c.Quantity,
			Unit: quantity.unit(), Reading: c.Reading, Point: true}
		if point.Reading == "" {
			point.Reading = Literal
		}
		if c.Computed {
			e.measure(run, &point, c.Theory, "")
		} else {
			e.measure(run, &point, byTrials, c.Theory)
		}
		if point.Measured == nil { // it is not run
			continue
		}
		claims = append(claims, point)
		if point.Expected != nil {
			known[v] = *point.Expected
		}
		if !c.Computed && shown(*point.Low) {
			marks = append(marks, plotter.XY{X: p.place(v), Y: *point.Measured})
			if math.IsInf(from, -1) {
				from = v
			}
		}
	}
	if c.Theory != "" {
		places := p.At
		if !p.Sparse {
			places = steps(places)
		}
		for _, v := range places {
			value, found := known[v]
			if !found {
				value = evaluate(v).formula(c.Theory)
			}
			if v >= from && !math.IsNaN(value) && shown(value) {
				line = append(line, plotter.XY{X: p.place(v), Y: value})
			}
		}
	}
	switch {
	case c.Computed && !slices.ContainsFunc(p.Curves, func(c Curve) bool { return !c.Computed }):
		drawn.Add(c.Name, line, chart.Curve(number))
	case c.Computed:
		drawn.Add(c.Name, line, chart.Limit)
	case c.Theory != "":
		drawn.Add(c.Name, line, chart.Expected(number))
		drawn.Add(c.Name, marks, chart.Marks(number))
	default:
		drawn.Add(c.Name, marks, chart.Marked(number))
	}
	return claims
}

// steps returns the values at which a formula is drawn: all whole numbers between the first and the
// last of some, if these are whole and not too many.
func steps(places []float64) (all []float64) {
	first, last := places[0], places[len(places)-1]
	for _, v := range places {
		if v != math.Trunc(v) || last-first > 150 {
			return places
		}
	}
	for v := first; v <= last; v++ {
		all = append(all, v)
	}
	return all
}

// percentages makes a panel's vertical axis one of shares of all, from 0 to 100 %.
func percentages(p *chart.Panel) {
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Number(100 * v) }, 0,
		0.2, 0.4, 0.6, 0.8, 1)
}
