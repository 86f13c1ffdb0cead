package claim

import (
	"bufio"
	"cmp"
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

	// Origin is the cells behind y of a point that was read: an interval, and the seed and the
	// commit that measured it. Nil is a point of this run.
	Origin []string
}

// columns are those of a file of points. The first ones are enough to add some to a figure.
var columns = []string{"figure", "panel", "curve", "x", "y", "low", "high", "theory", "trials",
	"seed", "commit"}

// needed is how many columns a file has at least.
const needed = 5

// ErrPoints is the error of a file of points that cannot be read.
var ErrPoints = errors.New("bad points")

// WritePoints writes the points of a figure as CSV, each with the seed and the commit that it is
// of: points that were read keep their own, or none.
func WritePoints(w io.Writer, points []Point, seed uint64, commit string) error {
	out := csv.NewWriter(w)
	rows := [][]string{columns}
	for _, p := range points {
		origin := p.Origin
		if origin == nil {
			origin = []string{digits(p.Low), digits(p.High), digits(p.Expected),
				strconv.Itoa(p.Trials), strconv.FormatUint(seed, 10), commit}
		}
		rows = append(rows, append([]string{p.Figure, strconv.Itoa(p.Panel), p.Curve,
			digits(&p.X), digits(p.Measured)}, origin...))
	}
	return out.WriteAll(rows)
}

func digits(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// ReadPoints reads points that were measured elsewhere, for panels of some papers, of a file with
// the columns of [WritePoints], of which the last ones after y may lack.
func ReadPoints(r io.Reader, papers ...*Paper) (points []Point, err error) {
	text := bufio.NewReader(r)
	// A spreadsheet may write a mark of the order of bytes before the first name.
	if mark, _ := text.Peek(len("\ufeff")); string(mark) == "\ufeff" {
		_, _ = text.Discard(len(mark))
	}
	rows, err := csv.NewReader(text).ReadAll()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrPoints, err)
	case len(rows) == 0 || len(rows[0]) < needed || len(rows[0]) > len(columns) ||
		!slices.Equal(rows[0], columns[:len(rows[0])]):
		return nil, fmt.Errorf("%w: found other columns, expected %q, and then any of %q in order",
			ErrPoints, columns[:needed], columns[needed:])
	case len(rows) == 1:
		return nil, fmt.Errorf("%w: found none behind the columns' names", ErrPoints)
	}
	for i, cells := range rows[1:] {
		p, err := readPoint(cells)
		if err = cmp.Or(err, p.place(papers)); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrPoints, i+2, err)
		}
		points = append(points, p)
	}
	return points, nil
}

// readPoint reads a line of a file of points.
func readPoint(cells []string) (Point, error) {
	p := Point{Figure: cells[0], Curve: cells[2], Origin: make([]string, len(columns)-needed)}
	panel, err := whole(cells[1], 1, math.MaxInt32)
	x, xErr := bounded(cells[3], -most, most)
	y, yErr := bounded(cells[4], -most, most)
	err = cmp.Or(inside("panel", err), inside("x", xErr), inside("y", yErr))
	p.Panel, p.X, p.Interval = panel, x, Exact(y)
	for i := copy(p.Origin, cells[needed:]); i > 0; i-- {
		var other error
		switch cell, name := p.Origin[i-1], columns[needed+i-1]; {
		case cell == "" || name == "commit":
		case name == "trials" || name == "seed":
			_, other = strconv.ParseUint(cell, 10, 64)
		default:
			_, other = bounded(cell, -most, most)
		}
		err = cmp.Or(err, inside(columns[needed+i-1], other))
	}
	return p, err
}

// place returns the error of a point for which no paper has a panel, or which the panel's axes
// cannot show.
func (p *Point) place(papers []*Paper) error {
	found, hidden := false, false
	for _, paper := range papers {
		table := text(paper.Files, figuresFile)
		if table == "" {
			continue
		}
		err := scan(figuresFile, table, figureColumns, func(r row) error {
			own := r["figure"] == p.Figure && r["panel"] == strconv.Itoa(p.Panel)
			found = found || own
			hidden = hidden || own && (p.X <= 0 && r.says("x axis", "log") ||
				*p.Measured <= 0 && r.says("y axis", "log"))
			return nil
		})
		if err != nil {
			return inside(paper.Name, err)
		}
	}
	switch {
	case hidden:
		return fmt.Errorf("found %g, %g, expected more than 0 on a logarithmic axis", p.X,
			*p.Measured)
	case !found:
		return fmt.Errorf("found panel %d of figure %q, which no paper of the run has", p.Panel,
			p.Figure)
	}
	return nil
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
