package chart

import (
	"slices"

	"gonum.org/v1/plot/plotter"
)

// Lines are the series of a picture by their names: each has one look in all panels.
type Lines struct {
	Look  func(k int) Look // of the k-th name
	Names []string         // so far, in the order of the looks
}

// Draw adds some records to a panel: of each its series, and its points in that. One without a name
// is left out. It returns the places of the points on the horizontal axis, ascending.
func Draw[R any](
	l *Lines,
	p *Panel,
	records []R,
	point func(R) (name string, points plotter.XYs),
) (places []float64) {
	series := map[string]plotter.XYs{}
	for _, r := range records {
		name, points := point(r)
		if name == "" {
			continue
		}
		if !slices.Contains(l.Names, name) {
			l.Names = append(l.Names, name)
		}
		series[name] = append(series[name], points...)
		for _, xy := range points {
			places = append(places, xy.X)
		}
	}
	for k, name := range l.Names {
		p.Add(name, series[name], l.Look(k))
	}
	slices.Sort(places)
	return slices.Compact(places)
}
