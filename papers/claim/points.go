package claim

import (
	"encoding/csv"
	"io"
	"strconv"
)

// Point is a point of a figure.
type Point struct {
	Figure string // its name
	Panel  int    // its number, from 1
	Curve  string
	X      float64
	Interval
	Formula *float64
}

// columns are those of a file of points.
var columns = []string{"figure", "panel", "curve", "x", "y", "low", "high", "formula", "trials",
	"seed", "commit"}

// WritePoints writes the points of a figure as CSV, each with the seed and the commit that it is of.
func WritePoints(w io.Writer, points []Point, seed uint64, commit string) error {
	out := csv.NewWriter(w)
	rows := [][]string{columns}
	for _, p := range points {
		rows = append(rows, []string{p.Figure, strconv.Itoa(p.Panel), p.Curve, digits(&p.X),
			digits(p.Measured), digits(p.Low), digits(p.High), digits(p.Formula),
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
