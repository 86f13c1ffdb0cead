package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The pictures of a report.
const (
	batchesPicture  = "batches.svg"
	bitsPicture     = "peers-equal-bits.svg"
	ratePicture     = "peers-equal-rate.svg"
	accuracyPicture = "accuracy.svg"
	// Of keys of bytes:
	bytesPicture     = "bytes.svg"
	bytesBitsPicture = "bytes-equal-bits.svg"
	bytesRatePicture = "bytes-equal-rate.svg"
)

// Pictures returns the pictures of a run by the names of their files, nil where it lacks the data.
func Pictures(run *result.Run) map[string]*chart.Picture {
	all := cells(Recording{Run: run})
	pictures := map[string]*chart.Picture{batchesPicture: batches(run, all),
		accuracyPicture: accuracy(run), bytesPicture: keysOfBytes(run, all)}
	for i, name := range []string{bitsPicture, bytesBitsPicture, ratePicture, bytesRatePicture} {
		pictures[name] = peers(sides[i].duels(all), sides[i].String())
	}
	return pictures
}

// pictured are the operations in pictures.
var pictured = []string{"query (mixed)", "delete", "insert"}

// newLines returns the series of times: the floor has a look of its own.
func newLines() *chart.Lines {
	return &chart.Lines{Look: chart.Marked,
		Looks: map[string]chart.Look{fastestFloor: chart.Limit}}
}

// panel draws the times of an operation, in ns per key, by the size of the table; it returns nil
// where no line has two points.
func panel(l *chart.Lines, title string, all []cell) *chart.Panel {
	p := chart.New(title, "size of the table", "")
	sizes := chart.Draw(l, p, all, func(c cell) (string, plotter.XYs) {
		return c.Name, above(float64(c.Bytes), c.Least)
	})
	if len(sizes) < 2 {
		return nil
	}
	chart.Logarithmic(quantity.Number, &p.X)
	// on two lines: a size may be twice its neighbour
	p.X.Tick.Marker = chart.Ticks(func(bytes float64) string {
		return strings.Replace(quantity.Bytes(int64(bytes)), " ", "\n", 1)
	}, sizes...)
	return p
}

// above is a point, unless its value has no place on a logarithmic axis.
func above(x, y float64) plotter.XYs {
	if y <= 0 {
		return nil
	}
	return plotter.XYs{{X: x, Y: y}}
}

// picture puts panels together, nil where there are none.
func picture(title string, columns int, panels []*chart.Panel) *chart.Picture {
	panels = slices.DeleteFunc(panels, func(p *chart.Panel) bool { return p == nil })
	if len(panels) == 0 {
		return nil
	}
	return &chart.Picture{Title: title, Columns: min(columns, len(panels)), Width: 250, Height: 260,
		Panels: panels}
}

func axes(panels []*chart.Panel) (y []*plot.Axis) {
	for _, p := range panels {
		if p != nil {
			y = append(y, &p.Y)
		}
	}
	return y
}

// batches is of the time of batches by the size of the table, a row for each width.
func batches(run *result.Run, all []cell) *chart.Picture {
	l := newLines()
	all = pivot.Where(in(result.FormBatch, alone(all)), cell.onBestPages)
	var panels []*chart.Panel
	for _, width := range []int{512, 256} {
		for _, operation := range pictured {
			title := fmt.Sprintf("%s, blocks of %d bits", operation, width)
			panels = append(panels, panel(l, title, pivot.Where(all, func(c cell) bool {
				return c.BlockBits == width && c.what() == operation
			})))
		}
	}
	chart.Logarithmic(quantity.Number, axes(panels)...)
	pages := pagesName(bestPages(run.Groups))
	return picture("ns per key of batches, on "+pages, len(pictured), panels)
}

// peers is of the time of ours and of peers.
func peers(all []cell, equal string) *chart.Picture {
	l := newLines()
	var panels []*chart.Panel
	for _, operation := range pictured {
		panels = append(panels, panel(l, operation,
			pivot.Where(all, func(c cell) bool { return c.what() == operation })))
	}
	chart.Logarithmic(quantity.Number, axes(panels)...)
	return picture("ns per key of filters "+equal, len(pictured), panels)
}

// keysOfBytes is of hashes alone by the length of the keys, and of what a query of a batch is made
// of.
func keysOfBytes(run *result.Run, all []cell) *chart.Picture {
	return picture("ns per key of bytes: hashes, and queries of batches", 2,
		[]*chart.Panel{hashPanel(ofHashing(all)), stackPanel(run.Groups)})
}

// drawnLengths are those of the hashes in the picture, which has no room for all.
var drawnLengths = []string{"4", "8", "16", "20", "24", "32", "40", "64", "128", "256", "8-64"}

func hashPanel(all []cell) *chart.Panel {
	all = pivot.Where(in(result.FormBatch, all),
		func(c cell) bool { return slices.Contains(drawnLengths, c.KeyBytes) })
	if len(all) == 0 {
		return nil
	}
	p, lengths := chart.New("hash alone", "bytes of a key", ""), pivot.Names(all, cell.keyBytes)
	chart.Draw(newLines(), p, all, func(c cell) (string, plotter.XYs) {
		return c.Name, above(float64(slices.Index(lengths, c.KeyBytes)), c.Least)
	})
	chart.Logarithmic(quantity.Number, &p.Y)
	categories(p, lengths)
	return p
}

// categories are the labels of the places 0, 1, 2, … of a panel.
func categories(p *chart.Panel, names []string) {
	var places []float64
	for at := range names {
		places = append(places, float64(at))
	}
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.X.Tick.Marker = chart.Ticks(func(at float64) string { return names[int(at)] }, places...)
}

// stackPanel has for each length a bar of ready hashes, and one of keys, which is a stack.
func stackPanel(groups []result.Group) *chart.Panel {
	all := stacks(groups)
	if len(all) == 0 {
		return nil
	}
	p := chart.New("query, table of "+quantity.Bytes(all[0].Bytes), "bytes of a key", "")
	const bar = 12 // points across, which the legend has room for
	add := func(name string, look, at int, from, to float64) {
		style := chart.Marked(look).Line
		style.Width = bar
		p.Add(name, plotter.XYs{{X: float64(at), Y: from}, {X: float64(at), Y: to}},
			chart.Look{Line: style})
	}
	var names []string
	for i, c := range all {
		add("query: ready hashes", 4, 2*i, 0, c.ready)
		add("keys: hash", 0, 2*i+1, 0, c.hash)
		add("keys: index", 1, 2*i+1, c.hash, c.hash+c.index)
		add("keys: memory", 2, 2*i+1, c.hash+c.index, c.keys)
		names = append(names, "hashes", c.KeyBytes)
	}
	p.Y.Min = 0
	categories(p, names)
	return p
}

// accuracy is of the false positives and of the share of members that can be deleted, by the
// memory, as measured (marks) and predicted (lines).
func accuracy(run *result.Run) *chart.Picture {
	const memory = "bits per key that the filter takes"
	rates := []*chart.Panel{
		chart.New("rate of filters that delete", memory, ""),
		chart.New("rate of filters that do not, and of ours", memory, ""),
	}
	deletable := chart.New("members that a delete makes invisible", memory, "")
	i, any := -1, false
	for name, rows := range pivot.Groups(run.Accuracy,
		func(a result.Accuracy) string { return a.Name }) {
		i++
		add := func(p *chart.Panel, measured, predicted func(a *result.Accuracy) *float64) {
			series := func(value func(a *result.Accuracy) *float64) (points plotter.XYs) {
				for _, a := range rows {
					// A rate of 0 has no place on a logarithmic axis, and a share of 0 none that
					// one would miss.
					if v := value(&a); v != nil {
						points = append(points, above(a.Bits, *v)...)
					}
				}
				return points
			}
			marks := series(measured)
			p.Add(name, marks, chart.Marks(i))
			any = any || len(marks) > 0
			if expected := series(predicted); len(expected) > 1 {
				p.Add(name, expected, chart.Expected(i))
			}
		}
		for n, p := range rates {
			if rows[0].Kind == result.Implementation || (rows[0].Deletable != nil) == (n == 0) {
				add(p, func(a *result.Accuracy) *float64 { return &a.Rate },
					func(a *result.Accuracy) *float64 { return a.Predicted })
			}
		}
		add(deletable, func(a *result.Accuracy) *float64 { return a.Deletable },
			func(a *result.Accuracy) *float64 { return a.PredictedDeletable })
	}
	if !any {
		return nil
	}
	chart.Logarithmic(quantity.Percent, axes(rates)...)
	deletable.Y.Min, deletable.Y.Max = 0, 1.05
	deletable.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0, 0.2, 0.4, 0.6, 0.8, 1)
	return picture("Rates of false positives, and deletable members: measured (marks) and "+
		"predicted (dashed)", 3, append(rates, deletable))
}
