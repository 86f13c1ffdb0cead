package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Beside is what a table of peers says of a filter that no run of the benchmark found.
type Beside struct {
	Deletes bool
	Left    string // what deletes leave: the rate of false positives after turnovers
	Limits  string // what the filter cannot do
	Table   string // the kind of filter whose table it has, if it is not its own
}

// The sizes of our tables that stand for a cache and, where filters were not compared, for memory.
const (
	cacheBytes  = 512 << 10
	memoryBytes = 512 << 20
)

// inMemory is the size of our tables that stands for memory in a recording: the largest on which
// filters of keys of bytes were compared.
func (r Recording) inMemory() int64 {
	most := int64(0)
	for _, c := range compare(cells(r), result.AtEqualBits, true) {
		most = max(most, c.Bytes)
	}
	if most <= cacheBytes {
		return memoryBytes
	}
	return most
}

// ourFilter is the filter of keys of bytes that stands for ours.
const ourFilter = "deletable"

// ourNames are our filters of keys of bytes, as readers who do not know the project read them.
var ourNames = map[string]string{
	ourFilter: "Bloomlane, batches", "deletable-single": "Bloomlane, one key at a time",
	"blocked": "Bloomlane blocked, batches", "blocked-single": "Bloomlane blocked, one key",
	"plain": "Bloomlane plain, one key", "counting": "Bloomlane counting, one key",
	"cuckoo": "Bloomlane cuckoo, one key", "elastic": "Bloomlane elastic, one key",
}

// besideRow is a filter in the table and the picture of peers.
type besideRow struct {
	name  string
	ours  bool
	times map[besideColumn]float64 // 0 where there is none
	rate  float64                  // the time of a query in a cache at an equal rate, or 0
	bits  float64                  // per key, of the filter in memory
	Beside
}

// besideColumn is an operation on filters in a cache or in memory.
type besideColumn struct {
	operation string
	memory    bool
}

// The times by which filters are ordered, and those that are in the picture.
var (
	queryInCache  = besideColumn{pictured[0], false}
	queryInMemory = besideColumn{pictured[0], true}
)

// besideRows returns the filters that a run has timed on keys of bytes at both sizes: ours, then
// those that delete, then the others, each by the time of a query in memory. Filters that about
// does not have, unless it is nil, are no more.
func besideRows(r Recording, about map[string]Beside) (rows []besideRow) {
	memory := r.inMemory()
	all := pivot.Where(compare(cells(r), result.AtEqualBits, true), func(c cell) bool {
		_, known := about[c.Name]
		return c.isPictured() && (c.Bytes == cacheBytes || c.Bytes == memory) &&
			(known || about == nil)
	})
	atRate := compare(cells(r), result.AtEqualRate, true)
	for _, filter := range pivot.First(all, cell.name) {
		row := besideRow{name: filter.Name, ours: filter.Kind == result.Implementation,
			times: map[besideColumn]float64{}, Beside: about[filter.Name]}
		for _, c := range all {
			if at := (besideColumn{c.what(), c.Bytes == memory}); c.Name == filter.Name {
				row.times[at] = c.Least
				if at == queryInMemory {
					row.bits = 8 * c.BytesPerKey
				}
			}
		}
		for _, c := range atRate {
			if c.Name == filter.Name && c.Bytes == cacheBytes && c.what() == pictured[0] {
				row.rate = c.Least
			}
		}
		if row.times[queryInCache] > 0 && row.times[queryInMemory] > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b besideRow) int {
		return cmp.Or(a.group()-b.group(),
			cmp.Compare(a.times[queryInMemory], b.times[queryInMemory]))
	})
	return rows
}

// both has the times of an operation in a cache and in memory.
func (r besideRow) both(operation string) string {
	cache := r.times[besideColumn{operation, false}]
	memory := r.times[besideColumn{operation, true}]
	if min(cache, memory) <= 0 {
		return ""
	}
	return quantity.Digits(cache) + " / " + quantity.Digits(memory)
}

// besideGroups are the groups of rows, in their order.
var besideGroups = []string{"Bloomlane", "other filters that delete", "filters that cannot delete"}

func (r besideRow) group() int {
	switch {
	case r.ours:
		return 0
	case r.Deletes:
		return 1
	}
	return 2
}

// table is the name of the filter whose table the filter has.
func (r besideRow) table() string { return cmp.Or(r.Table, r.name) }

func (r besideRow) title() string { return cmp.Or(ourNames[r.name], r.name) }

// BesideTable returns a table of a row per filter of a run, empty where it has none, as Markdown,
// for readers who have not seen the project; about has what is said of a filter by its name, and
// turnovers is what the column of what deletes leave has.
func BesideTable(r Recording, about map[string]Beside, turnovers string) string {
	rows := besideRows(r, about)
	if len(rows) == 0 {
		return ""
	}
	const bitsRate = 0.01
	need := result.EqualRate(r.Accuracy, bitsRate)
	t := pivot.Rows("filter|query|insert|delete|query, equal rate|bits per key|rate, %|"+
		"bits at 1 %|after turnovers|limits", rows,
		func(row besideRow) []string {
			if row.Deletes && row.Left == "" {
				row.Left = "–"
			}
			atRate := ""
			if row.rate > 0 {
				atRate = quantity.Digits(row.rate)
			}
			return []string{row.title(), row.both(pictured[0]), row.both("insert"),
				row.both("delete"), atRate, bits(row.bits), rateAt(r.Accuracy, row),
				bitsFor(r.Accuracy, need, row.table()), cmp.Or(row.Left, "cannot delete"),
				row.Limits}
		})
	t.Words = 2
	var b strings.Builder
	fmt.Fprintf(&b, "\nNs per key in a cache / in memory (tables of %s / %s), from keys of 16 "+
		"bytes to answers, under\n%s, on %s, at commit %.7s ([all figures](%s)):\n\n",
		quantity.Bytes(cacheBytes), quantity.Bytes(r.inMemory()), r.HashFunction(),
		pivot.Escape(strings.ReplaceAll(r.CPU, "(R)", "")), r.Revision, r.Link)
	t.Markdown(&b)
	fmt.Fprintf(&b, "\n*After turnovers*: %s\n\n", turnovers)
	if !r.PlainLoops {
		fmt.Fprintf(&b, "%s\n\n", result.SlowLoops)
	}
	return b.String()
}

// rateAt is the rate of false positives at the size at which a filter was timed, in percent, empty
// where none was measured at about this size.
func rateAt(points []result.Accuracy, row besideRow) string {
	const about = 0.06 // of its bits: a table of a power of two has no others
	apart, rate := about*row.bits, ""
	for _, a := range points {
		if d := math.Abs(a.Bits - row.bits); a.Name == row.table() && d < apart {
			apart, rate = d, fmt.Sprintf("%.2g", 100*a.Rate)
		}
	}
	return rate
}

// bitsFor is the memory of a filter at a rate, or the bound that the measured points give.
func bitsFor(points []result.Accuracy, need map[string]result.Memory, name string) string {
	if m, ok := need[name]; ok {
		return fmt.Sprintf("%.1f", m.Bits)
	}
	most := 0.0
	for _, a := range points {
		if a.Name == name {
			most = max(most, a.Bits)
		}
	}
	if most == 0 {
		return ""
	}
	return "> " + bits(most)
}

// BesidePicture draws the times of queries of the filters in that table, nil where there are none.
func BesidePicture(r Recording, about map[string]Beside) *chart.Picture {
	rows := besideRows(r, about)
	if len(rows) == 0 {
		return nil
	}
	const bar = 11 // points across
	p := &chart.Picture{Title: "A query from keys of 16 bytes, in ns per key: shorter is better",
		Columns: 2, Width: 240, Height: vg.Length(20*len(rows) + 50), Below: true}
	looks := []chart.Look{chart.Marked(0), chart.Marked(1), chart.Reference}
	for i, column := range []besideColumn{queryInCache, queryInMemory} {
		panel := chart.New([]string{"in a cache", "in memory"}[i]+": tables of "+
			quantity.Bytes(map[bool]int64{false: cacheBytes, true: r.inMemory()}[column.memory]),
			"ns per key", "")
		var names []string
		var places []float64
		values := plotter.XYLabels{}
		for i, row := range rows {
			ns, place := row.times[column], float64(len(rows)-i)
			line := looks[row.group()].Line
			line.Width, line.Dashes = bar, nil
			panel.Add(besideGroups[row.group()],
				plotter.XYs{{X: 0, Y: place}, {X: ns, Y: place}}, chart.Look{Line: line})
			names, places = append(names, row.title()), append(places, place)
			values.XYs = append(values.XYs, plotter.XY{X: ns, Y: place})
			values.Labels = append(values.Labels, quantity.Digits(ns))
		}
		labels, err := plotter.NewLabels(values)
		if err != nil { // of numbers that are none
			return nil
		}
		for i := range labels.TextStyle {
			labels.TextStyle[i] = panel.X.Tick.Label
			labels.TextStyle[i].XAlign, labels.TextStyle[i].YAlign = draw.XLeft, draw.YCenter
		}
		labels.Offset = vg.Point{X: 3, Y: 1}
		panel.Plot.Add(labels)
		panel.X.Min, panel.X.Max = 0, 1.2*panel.X.Max // with room for the values
		panel.Y.Min, panel.Y.Max = 0.4, float64(len(rows))+0.6
		panel.Grid.Horizontal.Width = 0
		panel.Y.Tick.Length, panel.Y.LineStyle.Width = 0, 0
		panel.Y.Tick.Marker = chart.Ticks(func(place float64) string {
			if i > 0 {
				return ""
			}
			return names[len(names)-int(place)]
		}, places...)
		p.Panels = append(p.Panels, panel)
	}
	return p
}
