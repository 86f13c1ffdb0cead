package claim

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/report/chart"
)

// Point is a point of a figure.
type Point struct {
	Figure string // its name
	Panel  int    // its number, from 1
	Curve  string
	X      float64
	Interval
	Theory
	Trials int
}

// columns are those of a file of points. The first five are enough to add some to a figure.
var columns = []string{"figure", "panel", "curve", "x", "y", "low", "high", "theory", "trials",
	"seed", "commit"}

// ErrPoints is the error of a file of points that cannot be read.
var ErrPoints = errors.New("bad points")

// WritePoints writes the points of a figure as CSV, each with the seed and the commit that it is
// of.
func WritePoints(w io.Writer, points []Point, seed uint64, commit string) error {
	out := csv.NewWriter(w)
	rows := [][]string{columns}
	for _, p := range points {
		rows = append(rows, []string{p.Figure, strconv.Itoa(p.Panel), p.Curve, digits(&p.X),
			digits(p.Measured), digits(p.Low), digits(p.High), digits(p.Expected),
			strconv.Itoa(p.Trials), strconv.FormatUint(seed, 10), commit})
	}
	return out.WriteAll(rows)
}

func digits(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// ReadPoints reads points that were measured elsewhere, of a file with the columns of
// [WritePoints], of which all after y may lack.
func ReadPoints(r io.Reader) (points []Point, err error) {
	in := csv.NewReader(r)
	rows, err := in.ReadAll()
	const needed = 5
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrPoints, err)
	case len(rows) == 0 || len(rows[0]) < needed || !slices.Equal(rows[0][:needed],
		columns[:needed]):
		return nil, fmt.Errorf("%w: found other columns, expected %q", ErrPoints, columns[:needed])
	}
	for i, row := range rows[1:] {
		p := Point{Figure: row[0], Curve: row[2]}
		var y float64
		var errs [3]error
		p.Panel, errs[0] = strconv.Atoi(row[1])
		p.X, errs[1] = strconv.ParseFloat(row[3], 64)
		y, errs[2] = strconv.ParseFloat(row[4], 64)
		err := errors.Join(errs[:]...)
		if err == nil && (math.IsNaN(p.X-p.X) || math.IsNaN(y-y)) {
			err = fmt.Errorf("found %s and %s, expected finite numbers", row[3], row[4])
		}
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrPoints, i+2, err)
		}
		p.Interval = Exact(y)
		points = append(points, p)
	}
	return points, nil
}

// addOthers draws the points that are a panel's, behind its own curves, and returns them.
func addOthers(
	drawn *chart.Panel,
	curves int,
	others []Point,
	figure string,
	panel int,
) (own []Point) {
	lines := map[string]plotter.XYs{}
	var names []string
	for _, p := range others {
		if p.Figure != figure || p.Panel != panel {
			continue
		}
		if lines[p.Curve] == nil {
			names = append(names, p.Curve)
		}
		lines[p.Curve] = append(lines[p.Curve], plotter.XY{X: p.X, Y: *p.Measured})
		own = append(own, p)
	}
	for i, name := range names {
		drawn.Add(name, lines[name], chart.Marked(curves+i))
	}
	return own
}
