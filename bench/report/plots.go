package report

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot is a picture of a run.
type Plot struct {
	Name  string // of the file: query-512.svg
	Title string
	*picture
}

// WriteSVG writes the picture, on a white background.
func (p Plot) WriteSVG(w io.Writer) error { return p.svg(w) }

// Plots returns the pictures of a run, those for which it has the data.
func Plots(run *result.Run) (all []Plot) {
	contests := run.Contests()
	var pictures []*picture
	pictures = append(pictures, sizePictures(run, contests)...)
	pictures = append(pictures, peerPictures(contests)...)
	pictures = append(pictures, accuracyPictures(run)...)
	pictures = append(pictures, latencyPictures(run)...)
	for _, p := range pictures {
		all = append(all, Plot{p.name, p.title, p})
	}
	return all
}

// pagesName is what the kind of pages is called in a title.
func pagesName(pages string) string {
	switch pages {
	case "huge":
		return "huge pages"
	case "4KiB":
		return "pages of 4 KiB"
	case "heap":
		return "the Go heap"
	case "":
		return "one kind of pages"
	}
	return pages + " pages"
}

// The names of pictures, which tables refer to.

func sizePictureName(operation string, lane int) string {
	return fmt.Sprintf("%s-%d.svg", part(operation), 8*lane)
}

func peerPictureName(g result.Group, ours string) string {
	name := fmt.Sprintf("peers-%s-%s-%s", g.Operation, g.Against, strings.TrimPrefix(ours, "bloomlane "))
	if !strings.HasSuffix(name, fmt.Sprint(8*g.Lane)) {
		name += fmt.Sprintf("-in-%d", 8*g.Lane)
	}
	if g.Pages != "heap" {
		name += "-" + g.Pages
	}
	return part(name) + ".svg"
}

// pictured chooses what is in pictures: of queries those of which half hit, where contests have them,
// and else the first that they have.
func pictured(contests []result.Contest) func(c result.Contest) bool {
	chosen := map[string]string{}
	for _, c := range contests {
		if _, ok := chosen[c.Operation]; !ok || c.Asked == "mixed" {
			chosen[c.Operation] = c.Asked
		}
	}
	return func(c result.Contest) bool { return chosen[c.Operation] == c.Asked }
}

// where returns those that are chosen.
func where(contests []result.Contest, chosen func(c result.Contest) bool) []result.Contest {
	return slices.DeleteFunc(slices.Clone(contests), func(c result.Contest) bool { return !chosen(c) })
}

func latencyPictureName(operation string, lane int) string {
	return fmt.Sprintf("latency-%s-%d.svg", part(operation), 8*lane)
}

const (
	falsePositivesPicture = "false-positives.svg"
	deletablePicture      = "deletable.svg"
)

// sizePictures are of the time of batches by the size of the table: a picture for each operation and
// width, a panel for each kind of pages, a line for each implementation and one for the fastest floor.
func sizePictures(run *result.Run, contests []result.Contest) (all []*picture) {
	type view struct {
		operation, unit string
		lane            int
	}
	var views ordered[view, map[string][]result.Contest] // by pages
	contests = where(contests, func(c result.Contest) bool {
		return c.Against == "" && c.Form == result.FormBatch && c.Bytes > 0
	})
	for _, c := range where(contests, pictured(contests)) {
		v := view{c.Operation, c.Unit, c.Lane}
		if views.at(v) == nil {
			views.put(v, map[string][]result.Contest{})
		}
		views.of[v][c.Pages] = append(views.of[v][c.Pages], c)
	}
	for _, v := range views.keys {
		var sizes []int64
		var y extent
		var names []string // of implementations, as the run lists them
		var pages []string
		for kind, contests := range views.of[v] {
			pages = append(pages, kind)
			for _, c := range contests {
				if len(c.Of(result.Kernel)) == 0 {
					continue
				}
				if !slices.Contains(sizes, c.Bytes) {
					sizes = append(sizes, c.Bytes)
				}
				for _, t := range c.Timings {
					y.add(t.Least)
					if t.Kind == result.Kernel && !slices.Contains(names, t.Name) {
						names = append(names, t.Name)
					}
				}
			}
		}
		slices.Sort(sizes)
		slices.SortFunc(pages, func(a, b string) int { return cmp.Or(pagesOrder(a)-pagesOrder(b), cmp.Compare(a, b)) })
		rank := func(name string) int {
			if i := slices.Index(run.Features, name); i >= 0 {
				return i
			}
			return len(run.Features)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
		if len(sizes) < 2 || len(names) == 0 || y.low == 0 {
			continue
		}
		pic := &picture{
			name: sizePictureName(v.operation, v.lane), columns: len(pages), panel: vg.Point{X: 330, Y: 320}, y: "ns a " + v.unit,
			title: fmt.Sprintf("%s in batches, blocks of %d bits: time a %s by size of the table", sentence(v.operation), 8*v.lane, v.unit),
		}
		keys := map[string][]plot.Thumbnailer{}
		const floor = "fastest floor"
		for _, kind := range pages {
			panel := newPanel(pagesName(kind), "size of the table")
			panel.X.Scale = plot.LogScale{}
			panel.X.Min, panel.X.Max = float64(sizes[0]), float64(sizes[len(sizes)-1])
			panel.X.Tick.Marker = sizeTicks(sizes)
			logarithmic(&panel.Y, y.low, y.high, number)
			grid(panel)
			contests := views.of[v][kind]
			slices.SortFunc(contests, func(a, b result.Contest) int { return cmp.Compare(a.Bytes, b.Bytes) })
			line := func(of func(c result.Contest) (result.Timing, bool)) (points plotter.XYs) {
				for _, c := range contests {
					if t, ok := of(c); ok && t.Least > 0 {
						points = append(points, plotter.XY{X: float64(c.Bytes), Y: t.Least})
					}
				}
				return points
			}
			for n, name := range names {
				points := line(func(c result.Contest) (result.Timing, bool) {
					i := slices.IndexFunc(c.Timings, func(t result.Timing) bool { return t.Kind == result.Kernel && t.Name == name })
					if i < 0 {
						return result.Timing{}, false
					}
					return c.Timings[i], true
				})
				if len(points) > 0 {
					keys[name] = addLine(panel, points, seriesOf(n))
				}
			}
			if points := line(func(c result.Contest) (result.Timing, bool) { return c.Fastest(result.Floor) }); len(points) > 0 {
				keys[floor] = addLine(panel, points, floorSeries)
			}
			pic.panels = append(pic.panels, panel)
		}
		for _, name := range append(names, floor) {
			if icons, ok := keys[name]; ok {
				pic.keys = append(pic.keys, legendKey{name, icons})
			}
		}
		all = append(all, pic)
	}
	return all
}

// peerPictures are of how many times as long as ours a peer takes: a picture for each operation, filter
// of ours and way of comparison, a panel for each size, a bar a peer.
func peerPictures(contests []result.Contest) (all []*picture) {
	type view struct {
		result.Group // less its size
		ours         string
	}
	var views ordered[view, []bout]
	contests = where(contests, func(c result.Contest) bool { return c.Against != "" })
	for _, b := range boutsOf(where(contests, pictured(contests))) {
		v := view{b.Group, b.ours.Name}
		v.Bytes, v.Members = 0, 0
		views.put(v, append(views.at(v), b))
	}
	for _, v := range views.keys {
		var sizes []int64
		var peers []string
		var x extent
		x.add(1)
		for _, b := range views.of[v] {
			if !slices.Contains(sizes, b.Bytes) {
				sizes = append(sizes, b.Bytes)
			}
			if !slices.Contains(peers, b.peer.Name) {
				peers = append(peers, b.peer.Name)
			}
			x.add(b.factor())
		}
		slices.Sort(sizes)
		way := "with as many bits a key"
		if v.Against == result.AtEqualRate {
			way = "at the same rate of false positives"
		}
		operation := subjectOf(v.Group).name()
		pic := &picture{
			name: peerPictureName(v.Group, v.ours), columns: len(sizes), rows: slices.Clone(peers),
			title: fmt.Sprintf("%s: time of peers as a multiple of that of %s, %s", sentence(operation), v.ours, way),
			panel: vg.Point{X: 140, Y: vg.Length(70 + 20*len(peers))}, below: true,
		}
		slices.Reverse(peers) // bars go upwards
		for _, bytes := range sizes {
			panel := newPanel(size(bytes), "times ours")
			b := bars{ratios: make([]float64, len(peers)), colors: make([]color.Color, len(peers)), labels: make([]string, len(peers))}
			for n := range peers {
				b.labels[n] = "–"
			}
			for _, bout := range views.of[v] {
				if n := slices.Index(peers, bout.peer.Name); bout.Bytes == bytes && bout.factor() > 0 {
					b.ratios[n], b.labels[n] = bout.factor(), times(bout.factor())
					switch bout.verdict.Outcome {
					case result.Faster:
						b.colors[n] = palette[0]
					case result.Slower:
						b.colors[n] = palette[1]
					default:
						b.colors[n] = gray
						b.labels[n] += " ?"
					}
				}
			}
			logarithmic(&panel.X, x.low, x.high, number)
			if x.high/x.low > 8 { // a panel is narrow
				panel.X.Tick.Marker = decades{}
			}
			// Room for the label of the longest bar.
			panel.X.Max *= math.Pow(panel.X.Max/panel.X.Min, 0.45)
			panel.Y.Min, panel.Y.Max = -0.6, float64(len(peers))-0.4
			panel.HideY()
			panel.Add(&plotter.Grid{Vertical: draw.LineStyle{Color: pale, Width: 0.5}})
			panel.Add(b)
			pic.panels = append(pic.panels, panel)
		}
		pic.keys = []legendKey{
			{"ours is faster", []plot.Thumbnailer{swatch{palette[0]}}},
			{"the peer is faster", []plot.Thumbnailer{swatch{palette[1]}}},
			{"?  undecided", []plot.Thumbnailer{swatch{gray}}},
		}
		all = append(all, pic)
	}
	return all
}

// decades has ticks at the powers of ten alone.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []plot.Tick {
	return slices.DeleteFunc(logTicks{number}.Ticks(low, high), func(tick plot.Tick) bool {
		e := math.Log10(tick.Value)
		return math.Abs(e-math.Round(e)) > 1e-9
	})
}

// accuracyPictures are of the false positives and of the share of members that can be deleted by bits
// a key, as measured (marks) and predicted (lines).
func accuracyPictures(run *result.Run) (all []*picture) {
	filters := filters(run)
	if len(filters) == 0 {
		return nil
	}
	var x, y extent
	for _, f := range filters {
		for _, a := range f.points {
			x.add(a.Bits)
			y.add(a.Rate)
			if a.Predicted != nil {
				y.add(*a.Predicted)
			}
		}
	}
	draws := func(panel *plot.Plot, f filter, n int, figure func(a result.Accuracy) (measured, predicted *float64), least float64) []plot.Thumbnailer {
		var marks, line plotter.XYs
		for _, a := range f.points {
			measured, predicted := figure(a)
			if measured != nil && *measured >= least {
				marks = append(marks, plotter.XY{X: a.Bits, Y: *measured})
			}
			if predicted != nil && *predicted >= least {
				line = append(line, plotter.XY{X: a.Bits, Y: *predicted})
			}
		}
		s := seriesOf(n)
		s.line.Width, s.line.Dashes = 1, []vg.Length{4, 3}
		var icons []plot.Thumbnailer
		if len(line) > 1 {
			l := &plotter.Line{XYs: line, LineStyle: s.line}
			panel.Add(l)
			icons = append(icons, l)
		}
		if len(marks) > 0 {
			m := &plotter.Scatter{XYs: marks, GlyphStyle: s.glyph}
			panel.Add(m)
			icons = append(icons, m)
		}
		return icons
	}
	panel := func(title string) *plot.Plot {
		p := newPanel(title, "bits a key that the filter takes")
		p.X.Min, p.X.Max = math.Floor(x.low-1), math.Ceil(x.high+1)
		var ticks plot.ConstantTicks
		step := max(1, math.Ceil(x.high/40)) * 4
		for b := step * math.Ceil(p.X.Min/step); b <= p.X.Max; b += step {
			ticks = append(ticks, plot.Tick{Value: b, Label: number(b)})
		}
		p.X.Tick.Marker = ticks
		return p
	}
	if y.low > 0 {
		pic := &picture{
			name: falsePositivesPicture, columns: 2, panel: vg.Point{X: 330, Y: 340}, y: "rate of false positives",
			title: "False positives by memory: measured (marks) and predicted by each filter's theory (dashed)",
		}
		keys := make([][]plot.Thumbnailer, len(filters))
		for i, deletes := range []bool{true, false} {
			p := panel([]string{"filters that can delete", "ours, and filters that cannot delete"}[i])
			logarithmic(&p.Y, y.low, y.high, percentTick)
			grid(p)
			for n, f := range filters {
				if f.kind == result.Kernel || f.deletes == deletes {
					keys[n] = draws(p, f, n, func(a result.Accuracy) (_, _ *float64) { return &a.Rate, a.Predicted }, math.SmallestNonzeroFloat64)
				}
			}
			pic.panels = append(pic.panels, p)
		}
		for n, f := range filters {
			pic.keys = append(pic.keys, legendKey{f.name, keys[n]})
		}
		all = append(all, pic)
	}
	if slices.ContainsFunc(filters, func(f filter) bool { return f.deletes }) {
		pic := &picture{
			name: deletablePicture, columns: 1, panel: vg.Point{X: 440, Y: 340}, y: "share of members",
			title: "Members that a delete makes invisible: measured (marks) and predicted (dashed)",
		}
		p := panel("")
		p.Y.Min, p.Y.Max = 0, 1
		var ticks plot.ConstantTicks
		for tenths := 0; tenths <= 10; tenths += 2 {
			ticks = append(ticks, plot.Tick{Value: float64(tenths) / 10, Label: fmt.Sprintf("%d %%", 10*tenths)})
		}
		p.Y.Tick.Marker = ticks
		grid(p)
		for n, f := range filters {
			if f.deletes {
				pic.keys = append(pic.keys, legendKey{f.name,
					draws(p, f, n, func(a result.Accuracy) (_, _ *float64) { return a.Deletable, a.PredictedDeletable }, 0)})
			}
		}
		pic.panels = append(pic.panels, p)
		all = append(all, pic)
	}
	return all
}

// latencyPictures are of the percentiles of a call by the keys of a batch: a picture for each operation
// and width, a panel for each implementation, size of the table and load.
func latencyPictures(run *result.Run) (all []*picture) {
	type view struct {
		operation string
		lane      int
	}
	var views ordered[view, []scene]
	scenes := scenesOf(run)
	for _, s := range scenes.keys {
		v := view{s.operation, s.lane}
		views.put(v, append(views.at(v), s))
	}
	percentiles := []struct {
		name string
		of   func(l result.Latency) float64
	}{
		{"p99.9", func(l result.Latency) float64 { return l.P999 }},
		{"p99", func(l result.Latency) float64 { return l.P99 }},
		{"p50", func(l result.Latency) float64 { return l.P50 }},
	}
	for _, v := range views.keys {
		pic := &picture{
			name: latencyPictureName(v.operation, v.lane), panel: vg.Point{X: 240, Y: 240}, y: "time of a call",
			title: fmt.Sprintf("%s, blocks of %d bits: time of a call by its keys", sentence(v.operation), 8*v.lane),
		}
		var x, y extent
		var batches []int
		var names []string
		for _, s := range views.of[v] {
			for _, l := range scenes.of[s] {
				x.add(float64(l.Batch))
				y.add(l.P50)
				y.add(l.P999)
				if !slices.Contains(batches, l.Batch) {
					batches = append(batches, l.Batch)
				}
				if l.Form != result.FormSingle && !slices.Contains(names, l.Name) {
					names = append(names, l.Name)
				}
			}
		}
		if len(batches) < 2 || y.low == 0 {
			continue
		}
		slices.Sort(batches)
		var ticks plot.ConstantTicks
		for _, n := range batches {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
		}
		pic.columns = len(names)
		keys := map[string][]plot.Thumbnailer{}
		const singles, line = "calls of one key: p50, p99, p99.9", "as many calls of one key, p50"
		for _, s := range views.of[v] {
			for _, name := range names {
				title := name + ", " + size(s.bytes)
				if s.loaded {
					title += ", GC load"
				}
				panel := newPanel(title, "keys a call")
				panel.X.Scale, panel.X.Min, panel.X.Max = plot.LogScale{}, x.low, x.high
				panel.X.Tick.Marker = ticks
				logarithmic(&panel.Y, y.low, y.high, durationTick)
				grid(panel)
				single, found := singleFor(scenes.of[s], name)
				if found && single.P50 > 0 {
					var points plotter.XYs
					for _, n := range batches {
						if at := float64(n) * single.P50; at <= panel.Y.Max {
							points = append(points, plotter.XY{X: float64(n), Y: at})
						}
					}
					l := &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: gray, Width: 1.5, Dashes: []vg.Length{2, 2}}}
					panel.Add(l)
					keys[line] = []plot.Thumbnailer{l}
				}
				for n, percentile := range percentiles {
					var points plotter.XYs
					for _, l := range scenes.of[s] {
						if at := percentile.of(l); l.Name == name && l.Form != result.FormSingle && at > 0 {
							points = append(points, plotter.XY{X: float64(l.Batch), Y: at})
						}
					}
					slices.SortFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
					if len(points) > 0 {
						keys[percentile.name] = addLine(panel, points, seriesOf(n))
					}
					if at := percentile.of(single); found && at > 0 {
						marks := &plotter.Scatter{
							XYs:        plotter.XYs{{X: 1, Y: at}},
							GlyphStyle: draw.GlyphStyle{Color: color.Black, Radius: 4, Shape: draw.SquareGlyph{}},
						}
						panel.Add(marks)
						keys[singles] = []plot.Thumbnailer{marks}
					}
				}
				pic.panels = append(pic.panels, panel)
			}
		}
		for _, name := range []string{"p99.9", "p99", "p50", singles, line} {
			if icons, ok := keys[name]; ok {
				pic.keys = append(pic.keys, legendKey{name, icons})
			}
		}
		all = append(all, pic)
	}
	return all
}

// singleFor returns the latency of calls of one key of an implementation, or of the fastest where it
// has none of its own.
func singleFor(latencies []result.Latency, name string) (single result.Latency, found bool) {
	for _, l := range latencies {
		if l.Form != result.FormSingle {
			continue
		}
		if l.Name == name {
			return l, true
		}
		if !found || l.P50 < single.P50 {
			single, found = l, true
		}
	}
	return single, found
}
