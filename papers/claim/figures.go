package claim

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

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
//   - panel is its number, 1 for the first, label its title, and x and y name its axes: [setAxis]
//     has their look.
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
	panels := map[string]int{} // of each figure
	err = scan(figuresFile, table, figureColumns, func(r row) error {
		values, found := p.Lists[r["at"]]
		var valuesErr error
		if !found || len(values) == 0 {
			values, valuesErr = numbers(r["at"])
		}
		panel, panelErr := whole(r["panel"], 1, panels[r["figure"]]+1)
		panels[r["figure"]] = max(panel, panels[r["figure"]])
		points, err := parseParameters(r["parameters"])
		err = inside("parameters", err)
		for _, point := range points {
			e := evaluation{quantities, r["quantity"], point}
			all = append(all, curve{r, e, values})
			err = cmp.Or(err, inside("curve", e.names(r["curve"])))
		}
		_, layoutErr := r.picture()
		return cmp.Or(inside("at", valuesErr), inside("panel", panelErr),
			inside("layout", layoutErr), inside("x axis", setAxis(&plot.Axis{}, r["x axis"])),
			inside("y axis", setAxis(&plot.Axis{}, r["y axis"])), r.drawn(quantities), err)
	})
	for _, curves := range pivot.Groups(all, func(c curve) string { return c.row["figure"] }) {
		parts = append(parts, func(run *trials.Run) ([]Claim, []Figure, error) {
			return drawFigure(run, curves)
		})
	}
	return parts, err
}

// drawn returns the error of a row that does not say what is drawn, or along which parameter.
func (r row) drawn(quantities Quantities) error {
	place, formula, found := strings.Cut(r["place"], ": ")
	switch {
	case r["by"] == "":
		return inside("by", errors.New("found nothing, expected the parameter along the axis"))
	case r["measured"] == "":
		return inside("measured", errors.New("found nothing, expected trials or a formula"))
	case r["place"] != "" && !found:
		return inside("place", fmt.Errorf(`found %q, expected "quantity: formula"`, r["place"]))
	}
	if found {
		if err := quantities.check(place, formula); err != nil {
			return inside("place", err)
		}
	}
	return r.known(quantities)
}

// picture returns that of a figure, without panels.
func (r row) picture() (*chart.Picture, error) {
	columns, size, _ := strings.Cut(r["layout"], " of ")
	width, height, _ := strings.Cut(size, " x ")
	number, err := whole(columns, 1, 10)
	w, widthErr := bounded(width, 50, 5000)
	h, heightErr := bounded(height, 50, 5000)
	if err = cmp.Or(err, widthErr, heightErr); err != nil {
		return nil, fmt.Errorf(`found %q, expected one as "2 of 340 x 260": %w`, r["layout"], err)
	}
	return &chart.Picture{Title: r["title"], Columns: number, Width: vg.Length(w),
		Height: vg.Length(h)}, nil
}

// most is the largest number of tables of figures and of files of points: up to it, all whole
// numbers are exact.
const most = 1e15

// bounded reads a text that is a number from low to high, and nothing else.
func bounded(text string, low, high float64) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(low <= v && v <= high) {
		return 0, fmt.Errorf("found %q, expected a number from %g to %g", text, low, high)
	}
	return v, nil
}

// whole is bounded of a whole number.
func whole(text string, low, high int) (int, error) {
	n, _ := strconv.Atoi(text)
	if strconv.Itoa(n) != text || n < low || n > high {
		return 0, fmt.Errorf("found %q, expected a whole number from %d to %d", text, low, high)
	}
	return n, nil
}

// numbers reads a list of numbers, which all rise, or all fall: "1, 2 to 8, 9 to 10 by 0.25".
func numbers(text string) (all []float64, err error) {
	const longest = 10_000
	for part := range strings.SplitSeq(text, ", ") {
		span, pace, stepped := strings.Cut(part, " by ")
		from, to, ranged := strings.Cut(span, " to ")
		first, err := bounded(from, -most, most)
		last, step := first, 1.0
		if ranged && err == nil {
			last, err = bounded(to, first, most)
		}
		if stepped && err == nil {
			step, err = bounded(pace, math.SmallestNonzeroFloat64, most)
		}
		count := math.Floor((last-first)/step+1e-9) + 1
		switch {
		case err != nil:
		case stepped && !ranged:
			err = errors.New(`found no " to "`)
		case float64(len(all))+count > longest:
			err = fmt.Errorf("found more than %d numbers", longest)
		}
		if err != nil {
			return nil, fmt.Errorf(`found %q, expected numbers as "1, 2 to 8, 9 to 10 by 0.25": %w`,
				text, err)
		}
		for i := range int(count) {
			all = append(all, first+float64(i)*step)
		}
	}
	for i := 1; i < len(all); i++ {
		if way := cmp.Compare(all[i], all[i-1]); way == 0 || way != cmp.Compare(all[1], all[0]) {
			return nil, fmt.Errorf("found %q, expected numbers that all rise, or all fall", text)
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
	low, high := math.Inf(-1), math.Inf(1)
	log := slices.Contains(strings.Split(text, "; "), "log")
	for words := range strings.SplitSeq(text, "; ") {
		verb, list, found := strings.Cut(words, " ")
		var values []float64
		if found {
			var err error
			if values, err = numbers(list); err != nil {
				return err
			}
		}
		single := verb == "from" || verb == "to" || verb == "above"
		switch {
		case found != (single || verb == "ticks") || single && len(values) != 1:
			return fmt.Errorf("found %q, expected the look of an axis", words)
		case log && (verb == "share" || found && values[0] <= 0):
			return fmt.Errorf("found %q, expected more than 0 on a logarithmic axis", words)
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
			low, high = 0, 1
			a.Tick.Marker = chart.Ticks(func(v float64) string { return quantity.Number(100 * v) },
				0, 0.2, 0.4, 0.6, 0.8, 1)
		case "from":
			a.Min, low = values[0], values[0]
		case "to":
			a.Max, high = values[0], values[0]
		case "above":
			a.Min, low = max(a.Min, values[0]), max(low, values[0])
		case "ticks":
			a.Tick.Marker = chart.Ticks(label, values...)
		default:
			return fmt.Errorf("found %q, expected the look of an axis", words)
		}
	}
	if low >= high {
		return fmt.Errorf("found an axis from %g to %g, expected one that rises", low, high)
	}
	return nil
}

// says tells whether the look of an axis has a word.
func (r row) says(axis, word string) bool {
	return slices.Contains(strings.Split(r[axis], "; "), word)
}

// drawFigure draws the curves of a figure. Their points are claims of which nothing is published.
func drawFigure(
	run *trials.Run,
	curves []curve,
) (claims []Claim, _ []Figure, _ error) {
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
			err := guard(func() error {
				label := c.expand(run, c.row["curve"])
				for _, found := range c.draw(run, drawn, i, label, alone) {
					x := c.place(found.Parameters)
					if math.IsNaN(x) || x <= 0 && c.says("x axis", "log") {
						return fmt.Errorf("at: found a point at x = %g, which the axis lacks", x)
					}
					claims = append(claims, found)
					points = append(points, Point{Figure: name, Panel: number, Curve: label,
						X: x, Interval: found.Interval, Theory: found.Theory,
						Trials: found.Trials})
				}
				return nil
			})
			if err != nil {
				return nil, nil, c.fault(err)
			}
		}
		_ = setAxis(&drawn.X, r["x axis"])
		_ = setAxis(&drawn.Y, r["y axis"])
	}
	return claims, []Figure{{Name: name, Picture: picture, Points: points}}, nil
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
		if v != math.Trunc(v) || last-first > 150 || last < first {
			return places
		}
	}
	for v := first; v <= last; v++ {
		all = append(all, v)
	}
	return all
}
