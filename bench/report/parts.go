package report

import (
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// This file is for studies that have a report of their own: tables and pictures in the style of this
// package's.

// Table is a table for people. The first so many columns name a row, the others hold figures; about says
// what the cells are.
type Table struct{ table }

// NewTable returns a table.
func NewTable(title, about string, labels int, columns []string, rows [][]string) Table {
	return Table{table{title: title, about: about, labels: labels, columns: columns, rows: rows}}
}

// Text writes the table for a terminal.
func (t Table) Text(w io.Writer) { t.text(w) }

// Markdown writes the table under a heading of the given level.
func (t Table) Markdown(w io.Writer, level int) { t.table.markdown(w, level) }

// Percent writes a share with two digits that count.
func Percent(share float64) string { return percent(share) }

// Times writes a factor: 1.25x.
func Times(factor float64) string { return times(factor) }

// Nanoseconds writes a time without its unit.
func Nanoseconds(ns float64) string { return nanoseconds(ns) }

// Lines is a picture of lines over turnovers, whose axis has equal room for each doubling of 1 plus
// the turnovers. All panels share the vertical axis's range.
type Lines struct {
	Name    string // of the file
	Title   string
	Y       string   // what the vertical axis is
	Lines   []string // their names, in the order of the legend
	Dashed  string   // the one of them that is a reference, "" for none
	Columns int      // of panels
	Panels  []Panel
	Scale   Scale
}

// Panel is a panel of Lines.
type Panel struct {
	Title string
	Lines map[string]map[float64]float64 // by name, the values by turnovers
}

// Scale is a kind of vertical axis.
type Scale int

const (
	LogPercent Scale = iota // of shares above 0; others are left out
	LinearPercent
	LogNumber
	LinearNumber
)

// Plot returns the picture. It panics where there is no value at all.
func (l Lines) Plot() Plot {
	var y extent
	var at []float64
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			for turnovers, value := range line {
				y.add(value)
				if !slices.Contains(at, turnovers) {
					at = append(at, turnovers)
				}
			}
		}
	}
	slices.Sort(at)
	x := func(turnovers float64) float64 { return math.Log2(1 + turnovers) }
	var ticks plot.ConstantTicks
	for _, turnovers := range at {
		ticks = append(ticks, plot.Tick{Value: x(turnovers), Label: number(turnovers)})
	}
	pic := &picture{name: l.Name, title: l.Title, columns: l.Columns, panel: vg.Point{X: 230, Y: 230}, y: l.Y}
	keys := map[string][]plot.Thumbnailer{}
	for _, p := range l.Panels {
		panel := newPanel(p.Title, "turnovers of all members")
		panel.X.Min, panel.X.Max = x(at[0])-0.1, x(at[len(at)-1])+0.1
		panel.X.Tick.Marker = ticks
		switch l.Scale {
		case LogPercent:
			logarithmic(&panel.Y, y.low, y.high, percentTick)
		case LogNumber:
			logarithmic(&panel.Y, y.low, y.high, number)
		case LinearPercent:
			panel.Y.Min, panel.Y.Max = -0.01, 1.01
			var tenths plot.ConstantTicks
			for tenth := 0.0; tenth <= 10; tenth += 2 {
				tenths = append(tenths, plot.Tick{Value: tenth / 10, Label: percentTick(tenth / 10)})
			}
			panel.Y.Tick.Marker = tenths
		case LinearNumber:
			panel.Y.Min, panel.Y.Max = 0, 1.05*y.high
		}
		grid(panel)
		for n, name := range l.Lines {
			var points plotter.XYs
			for _, turnovers := range at {
				if value, ok := p.Lines[name][turnovers]; ok && (value > 0 || l.Scale == LinearPercent) {
					points = append(points, plotter.XY{X: x(turnovers), Y: value})
				}
			}
			if len(points) == 0 {
				continue
			}
			look := seriesOf(n)
			if name == l.Dashed {
				look = floorSeries
			}
			keys[name] = addLine(panel, points, look)
		}
		pic.panels = append(pic.panels, panel)
	}
	for _, name := range l.Lines {
		if icons, ok := keys[name]; ok {
			pic.keys = append(pic.keys, legendKey{name, icons})
		}
	}
	return Plot{pic.name, pic.title, pic}
}
