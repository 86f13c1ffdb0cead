package claim

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// figureColumns name the columns of a table of figures.
var figureColumns = []string{"figure", "where", "title", "layout", "panel", "label", "x", "x axis",
	"y", "y axis", "by", "at", "place", "curve", "quantity", "measured", "theory", "parameters",
	"reading"}

// curve is a quantity over the parameter of its panel.
type curve struct {
	row
	evaluation
	values []float64 // of that parameter
}

// figures returns the parts of the table of figures, one for each. A row is a curve, or one for
// each value of a list in its parameters, and cells are as in a table of claims:
//
//   - figure is its name, where and title are its texts, and layout is "2 of 340 x 260": columns
//     of panels, and the size of each in points.
//   - panel is its number, label its title, and x and y name its axes: [setAxis] has their look.
//   - by is the parameter along the horizontal axis, and at its values: "1, 2 to 8, 16", or the
//     name of a list of the paper. A value stands where place says, "quantity: formula", if that
//     says anything. Formulas are drawn between whole values too, but not on an axis that is
//     "sparse", as they take long.
//   - curve is its name, with ${name} for a value, as in a reading.
//   - quantity, measured, theory, parameters and reading are as those of a claim. Trials beside a
//     theory are drawn as marks, and the theory as a line of dashes.
func (p *Paper) figures(quantities Quantities) (parts []Part, err error) {
	table := text(p.Files, figuresFile)
	if table == "" {
		return nil, nil
	}
	var all []curve
	err = scan(table, figureColumns, func(r row) (err error) {
		values, found := p.Lists[r["at"]]
		if !found {
			values, err = numbers(r["at"])
		}
		points, otherErr := parseParameters(r["parameters"])
		for _, point := range points {
			all = append(all, curve{r, evaluation{quantities, r["quantity"], point}, values})
		}
		place, formula, _ := strings.Cut(r["place"], ": ")
		_, layoutErr := r.picture()
		return cmp.Or(err, otherErr, quantities.check(place, formula, ""),
			quantities.check(r["quantity"], r["measured"], r["theory"]), layoutErr,
			setAxis(&plot.Axis{}, r["x axis"]), setAxis(&plot.Axis{}, r["y axis"]))
	})
	for _, curves := range pivot.Groups(all, func(c curve) string { return c.row["figure"] }) {
		parts = append(parts, func(run *trials.Run) ([]Claim, []Figure) {
			return drawFigure(run, curves, p.Others)
		})
	}
	return parts, err
}

// picture returns that of a figure, without panels.
func (r row) picture() (*chart.Picture, error) {
	picture := &chart.Picture{Title: r["title"]}
	_, err := fmt.Sscanf(r["layout"], "%d of %g x %g", &picture.Columns, &picture.Width,
		&picture.Height)
	return picture, err
}

// numbers reads a list of numbers: "1, 2 to 8, 9 to 10 by 0.25".
func numbers(text string) (all []float64, err error) {
	for part := range strings.SplitSeq(text, ", ") {
		var first, last, step float64
		number, err := fmt.Sscanf(part, "%g to %g by %g", &first, &last, &step)
		switch number {
		case 0:
			return nil, fmt.Errorf("found %q, expected numbers: %w", text, err)
		case 1:
			last, step = first, 1
		case 2:
			step = 1
		}
		for v := first; v <= last; v += step {
			all = append(all, v)
		}
	}
	return all, nil
}

// setAxis gives an axis the look that words with "; " between them say: "log"; "share", from 0 to
// 100 %; an end, "from 0", "to 1", or "above 1e-9" where it would be below; "ticks 1, 2, 4"; and
// "%" or "whole", for the labels of what is said behind it.
func setAxis(a *plot.Axis, text string) error {
	label := quantity.Number
	if text == "" {
		return nil
	}
	for words := range strings.SplitSeq(text, "; ") {
		verb, list, found := strings.Cut(words, " ")
		values := []float64{0}
		if found {
			var err error
			if values, err = numbers(list); err != nil {
				return err
			}
		}
		switch verb {
		case "sparse":
		case "%":
			label = quantity.Percent
		case "whole":
			label = func(v float64) string { return quantity.Count(int64(v)) }
		case "log":
			chart.Logarithmic(label, a)
		case "share":
			a.Min, a.Max = 0, 1
			a.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Number(100 * v) },
				0, 0.2, 0.4, 0.6, 0.8, 1)
		case "from":
			a.Min = values[0]
		case "to":
			a.Max = values[0]
		case "above":
			a.Min = max(a.Min, values[0])
		case "ticks":
			a.Tick.Marker = chart.Ticks(label, values...)
		default:
			return fmt.Errorf("found %q, expected the look of an axis", words)
		}
	}
	return nil
}

// says tells whether the look of an axis has a word.
func (r row) says(axis, word string) bool {
	return slices.Contains(strings.Split(r[axis], "; "), word)
}

// drawFigure draws the curves of a figure. Their points are claims of which nothing is published.
func drawFigure(run *trials.Run, curves []curve, others []Point) (claims []Claim, _ []Figure) {
	name := curves[0].row["figure"]
	picture, _ := curves[0].picture() // its error was found before, and those of axes
	var points []Point
	for _, curves := range pivot.Groups(curves, func(c curve) string { return c.row["panel"] }) {
		r := curves[0].row
		drawn := chart.New(r["label"], r["x"], r["y"])
		picture.Panels = append(picture.Panels, drawn)
		number := len(picture.Panels)
		alone := !slices.ContainsFunc(curves, curve.simulated)
		for i, c := range curves {
			label := c.expand(run, c.row["curve"])
			for _, found := range c.draw(run, drawn, i, label, alone) {
				claims = append(claims, found)
				points = append(points, Point{Figure: name, Panel: number, Curve: label,
					X: c.place(found.Parameters), Interval: found.Interval,
					Theory: found.Theory, Trials: found.Trials})
			}
		}
		points = append(points, addOthers(drawn, len(curves), others, name, number)...)
		_ = setAxis(&drawn.X, r["x axis"])
		_ = setAxis(&drawn.Y, r["y axis"])
	}
	return claims, []Figure{{Name: name, Picture: picture, Points: points}}
}

// simulated says whether the curve has trials, and not a formula only.
func (c curve) simulated() bool { return c.row["measured"] == byTrials }

// along returns the evaluation at a value along the axis.
func (c curve) along(v float64) evaluation {
	e := c.evaluation
	e.point = maps.Clone(e.point)
	e.point[c.row["by"]] = v
	if whole := int(v); float64(whole) == v {
		e.point[c.row["by"]] = whole
	}
	return e
}

// place is where a point stands on the horizontal axis.
func (c curve) place(point Parameters) float64 {
	if name, formula, found := strings.Cut(c.row["place"], ": "); found {
		return evaluation{c.quantities, name, point}.formula(formula)
	}
	return point.Float(c.row["by"])
}

// draw draws the curve of a number, alone if no other one of its panel is simulated, and returns
// its points.
func (c curve) draw(
	run *trials.Run,
	drawn *chart.Panel,
	number int,
	label string,
	alone bool,
) (claims []Claim) {
	// What is not known to be more than 0 has no place on a logarithmic axis.
	log := c.says("y axis", "log")
	shown := func(low float64) bool { return !log || low > 0 }
	theory, places := c.row["theory"], c.values
	if !c.simulated() {
		theory = c.row["measured"]
	}
	if !c.says("x axis", "sparse") {
		places = steps(places)
	}
	from := math.Inf(-1)
	var marks, line plotter.XYs
	known := map[float64]float64{} // of the theory
	for _, v := range c.values {
		e := c.along(v)
		point := Claim{Item: c.row["figure"], Where: c.row["where"], Parameters: e.point,
			Quantity: e.quantity, Unit: c.quantities.unit(e.quantity), Point: true,
			Reading: cmp.Or(c.row["reading"], Literal)}
		e.measure(run, &point, c.row["measured"], c.row["theory"])
		if point.Measured == nil { // it is not run
			continue
		}
		claims = append(claims, point)
		if point.Expected != nil {
			known[v] = *point.Expected
		}
		if c.simulated() && shown(*point.Low) {
			marks = append(marks, plotter.XY{X: c.place(e.point), Y: *point.Measured})
			if math.IsInf(from, -1) {
				from = v
			}
		}
	}
	for _, v := range places {
		e := c.along(v)
		value, found := known[v]
		if !found {
			value = e.formula(theory)
		}
		if v >= from && !math.IsNaN(value) && shown(value) {
			line = append(line, plotter.XY{X: c.place(e.point), Y: value})
		}
	}
	switch {
	case c.simulated() && theory == "":
		drawn.Add(label, marks, chart.Marked(number))
	case c.simulated():
		drawn.Add(label, line, chart.Expected(number))
		drawn.Add(label, marks, chart.Marks(number))
	case alone:
		drawn.Add(label, line, chart.Curve(number))
	default:
		drawn.Add(label, line, chart.Limit)
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
