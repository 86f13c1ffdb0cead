package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
)

// subject is what a table is about.
type subject struct {
	operation, asked, form, against, unit string
	lane                                  int
}

func subjectOf(g result.Group) subject {
	return subject{g.Operation, g.Asked, g.Form, g.Against, g.Unit, g.Lane}
}

func (s subject) String() string {
	words := []string{s.operation}
	if s.asked != "" {
		words[0] += " (" + s.asked + ")"
	}
	switch s.form {
	case result.FormBatch, result.FormCores:
		words = append(words, "batches")
	case result.FormSingle:
		words = append(words, "one key at a time")
	default:
		words = append(words, s.form)
	}
	if s.lane > 0 {
		words = append(words, fmt.Sprintf("blocks of %d bits", 8*s.lane))
	}
	return strings.Join(words, ", ")
}

// kernelTables returns a table for each operation with a line for each floor and implementation and a
// column for each size, of what ran on one core and without peers.
func kernelTables(contests []result.Contest) (all []table) {
	type line struct {
		pages, name string
		kind        result.Kind
	}
	type cells = map[column]result.Timing
	var subjects ordered[subject, *ordered[line, cells]]
	for _, c := range contests {
		if c.Against != "" || c.Form == result.FormCores || c.Form == result.FormCalls {
			continue
		}
		s := subjectOf(c.Group)
		lines := subjects.at(s)
		if lines == nil {
			lines = new(ordered[line, cells])
			subjects.put(s, lines)
		}
		for _, t := range c.Timings {
			l := line{t.Pages, t.Name, t.Kind}
			if t.Distance != nil && t.Kind == result.Floor && !strings.Contains(t.Name, "distance") {
				l.name += fmt.Sprintf(", distance %d", *t.Distance)
			}
			row := lines.at(l)
			if row == nil {
				row = cells{}
				lines.put(l, row)
			}
			row[column{t.Bytes, t.Masks}] = t
		}
	}
	for _, s := range subjects.keys {
		lines := subjects.of[s]
		var columns []column
		for _, cells := range lines.of {
			for c := range cells {
				if !slices.Contains(columns, c) {
					columns = append(columns, c)
				}
			}
		}
		slices.SortFunc(columns, column.compare)
		// Lines by pages, floors first, else as the run has them.
		keys := slices.Clone(lines.keys)
		slices.SortStableFunc(keys, func(a, b line) int {
			return pagesOrder(a.pages)*2 + kernelsLast(a.kind) - pagesOrder(b.pages)*2 - kernelsLast(b.kind)
		})
		t := table{
			title: s.String(), labels: 2, columns: []string{"pages", ""},
			about:   fmt.Sprintf("times in ns a %s", s.unit),
			picture: sizePictureName(s.operation, s.lane),
		}
		if s.operation != "copy" && s.operation != "match" {
			t.about += ", in brackets as multiples of the fastest floor of the same memory"
		}
		if s.unit == "block" {
			t.about += fmt.Sprintf("; a block of %d B in 1 ns is %d GB/s", s.lane, s.lane)
		}
		for _, c := range columns {
			t.columns = append(t.columns, c.String())
		}
		for _, l := range keys {
			name := l.name
			if l.kind == result.Floor {
				name = "floor: " + name
			}
			row := []string{l.pages, name}
			for _, c := range columns {
				timing, ok := lines.of[l][c]
				row = append(row, timeAndRatio(timing, ok))
			}
			t.rows = append(t.rows, row)
		}
		all = append(all, t)
	}
	return all
}

func timeAndRatio(t result.Timing, ok bool) string {
	switch {
	case !ok:
		return "–"
	case t.Ratio == nil || t.Kind == result.Floor:
		return nanoseconds(t.Least)
	}
	return fmt.Sprintf("%s (%s)", nanoseconds(t.Least), times(*t.Ratio))
}

// pagesOrder puts the kinds of pages in an order of their own, so that tables look alike.
func pagesOrder(pages string) int {
	return slices.Index([]string{"huge", "4KiB", "heap", "default"}, pages)
}

func kernelsLast(kind result.Kind) int {
	if kind == result.Floor {
		return 0
	}
	return 1
}

// scalingTables returns a table for each operation that also ran on several cores: a line for each
// implementation and size, a column for each number of cores.
func scalingTables(contests []result.Contest) (all []table) {
	type line struct {
		pages, name string
		kind        result.Kind
		column
	}
	type cells = map[int]result.Timing
	var subjects ordered[subject, *ordered[line, cells]]
	wide := map[subject]map[line]bool{} // what ran on several cores
	for _, c := range contests {
		if c.Form != result.FormCores {
			continue
		}
		s := subjectOf(c.Group)
		lines := subjects.at(s)
		if lines == nil {
			lines = new(ordered[line, cells])
			subjects.put(s, lines)
			wide[s] = map[line]bool{}
		}
		for _, t := range c.Timings {
			l := line{t.Pages, t.Name, t.Kind, column{t.Bytes, t.Masks}}
			row := lines.at(l)
			if row == nil {
				row = cells{}
				lines.put(l, row)
			}
			row[max(t.Cores, 1)] = t
			if t.Parallel() {
				wide[s][l] = true
			}
		}
	}
	for _, s := range subjects.keys {
		if len(wide[s]) == 0 {
			continue
		}
		lines := subjects.of[s]
		var cores []int
		for l := range wide[s] {
			for n := range lines.of[l] {
				if !slices.Contains(cores, n) {
					cores = append(cores, n)
				}
			}
		}
		slices.Sort(cores)
		t := table{
			title:   s.String(),
			about:   fmt.Sprintf("millions of %ss a second of all cores together, in brackets times one core", s.unit),
			labels:  3,
			columns: []string{"table", "pages", ""},
		}
		for _, n := range cores {
			t.columns = append(t.columns, plural(n, "core"))
		}
		for _, l := range lines.keys {
			if !wide[s][l] {
				continue
			}
			name := l.name
			if l.kind == result.Floor {
				name = "floor: " + name
			}
			row := []string{l.column.String(), l.pages, name}
			for _, n := range cores {
				timing, ok := lines.of[l][n]
				if !ok || timing.Median <= 0 {
					row = append(row, "–")
					continue
				}
				text := count(int64(throughput(timing)))
				if one, ok := lines.of[l][1]; ok && n > 1 && one.Median > 0 {
					text += fmt.Sprintf(" (%s)", times(throughput(timing)/throughput(one)))
				}
				row = append(row, text)
			}
			t.rows = append(t.rows, row)
		}
		all = append(all, t)
	}
	return all
}

// throughput is the millions of units a second of all cores together. Medians, not leasts: the cores'
// least times need not be of the same moment.
func throughput(t result.Timing) float64 { return 1e3 * float64(max(t.Cores, 1)) / t.Median }
