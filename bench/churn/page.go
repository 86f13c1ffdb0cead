package churn

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/chart"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
)

// near is how far from a figure the ends of its interval may be for the figure to stand alone.
const near = 0.1

// page writes the page of a recording: Markdown whose tables are aligned, for a terminal too.
func (r *recording) page(w io.Writer) error {
	var b bytes.Buffer
	c := &r.Config
	fmt.Fprintf(&b, `# Filters that delete, at equal memory

There are %s at a time, who come and go (lifetime: %s). A turnover is as many inserts as there are
members. In each section a filter has the largest of its sizes within that many bits per member. If its smallest
size is larger, it is left out. All filters get the same members.

One run of "go run ./bench churn" took %.0f s on %s
(%s, %s, %s)%s, begun %s.
The recording is [%s](%s).

- *rate*: the share of random non-members that are found, in %%, when all members are in and after some turnovers.
  A filter that is rebuilt is measured just before a rebuild, when its rate is highest.
- *deleted*: the share of the deletes from one turnover to another, in %%, after which the key was not found
  any more.
- *again*: members inserted again, per insert after the first members are in.
- *refused*: inserts that the filter did not take. *lost*: members that it took and that were not found at the
  end.
- *ns*: the time per key, in batches where the library has them. The filters have %s in the cache, and
  %s in memory. Half of the keys of a query are members. An insert puts back what was deleted. The
  number after a plus is the time to insert one member again, which happens about once per insert.

A single rate or share has a 95 %% interval within a tenth of it. A single time is the least of %d rounds
(%d in memory), a quarter of which are within a tenth of it. Otherwise there are two numbers: the ends of the
interval, or the least time and the lower quartile.
`,
		quantity.Of(c.Members, "member"), c.Lifetime, r.Seconds,
		r.CPU, r.Platform, quantity.Of(r.Cores, "core"), r.Go,
		revision(r.Revision), r.Date, recordingFile, recordingFile,
		quantity.Bytes(c.Cache), quantity.Bytes(c.Memory), c.Rounds, c.Rounds/2)

	fmt.Fprintf(&b, "\n## The steady state\n\n![%s](%s)\n", steadyTitle, pictureFile)
	for _, bits := range c.Bits {
		t := table{r.columns()}
		for _, row := range r.Rows {
			if row.Budget == bits {
				t = append(t, row.cells(c))
			}
		}
		fmt.Fprintf(&b, "\n## %d bits per key\n\n", bits)
		t.write(&b)
	}
	b.WriteString("\n## What owners keep\n\n")
	t := table{{"filter", "keeps"}}
	for _, row := range r.Rows {
		if !slices.ContainsFunc(t, func(line []string) bool { return line[0] == row.Subject }) {
			t = append(t, []string{row.Subject, row.Keeps})
		}
	}
	t.write(&b)
	b.WriteString("\n## The libraries\n\n")
	t = table{{"filter", "module", "version", "what it is, and which calls are made"}}
	for _, l := range r.Libraries {
		t = append(t, []string{l.Name, l.Module, l.Version, l.Use})
	}
	t.write(&b)
	_, err := b.WriteTo(w)
	return err
}

func revision(of string) string {
	if of == "" {
		return ""
	}
	return ", at revision " + of
}

// columns are the names of the columns of a table of filters.
func (r *recording) columns() []string {
	columns := []string{"filter", "bits"}
	turnovers := r.Config.Turnovers
	for i, t := range turnovers {
		name := fmt.Sprintf("after %d", t)
		if i == 0 {
			name = fmt.Sprintf("rate, %%, after %d", t)
		}
		columns = append(columns, name)
	}
	for _, t := range spans(turnovers) {
		columns = append(columns, fmt.Sprintf("deleted, %%, %d to %d", turnovers[t-1], turnovers[t]))
	}
	return append(columns, "again", "refused", "lost",
		"cache: query, ns", "delete", "insert", "memory: query, ns", "delete", "insert")
}

// spans are the turnovers of which deletes are shown: the first and the last.
func spans(turnovers []int) []int {
	switch n := len(turnovers); n {
	case 1:
		return nil
	case 2:
		return []int{1}
	default:
		return []int{1, n - 1}
	}
}

// cells are the cells of a row.
func (r *row) cells(c *config) []string {
	cells := []string{r.Subject, fmt.Sprintf("%.1f", r.Bits)}
	for _, rate := range r.Rates {
		cells = append(cells, rate.percent())
	}
	for _, i := range spans(c.Turnovers) {
		cells = append(cells, r.Deletes[i].percent())
	}
	again := float64(r.Again) / float64(max(1, r.Inserts-c.Members))
	cells = append(cells, fmt.Sprintf("%.2g", again), count(r.Refused), count(r.Lost))
	for _, t := range []*times{r.Cache, r.Memory} {
		if t == nil {
			cells = append(cells, "", "", "")
			continue
		}
		insert := t.Insert.text()
		if t.Again.Least > 0 {
			insert += " + " + t.Again.text()
		}
		cells = append(cells, t.Query.text(), t.Delete.text(), insert)
	}
	return cells
}

func count(n int) string {
	if n == 0 {
		return "0"
	}
	return quantity.Count(n)
}

// percent is the share in percent, or its interval where that is wide.
func (s share) percent() string {
	low, high := s.interval()
	switch v := s.value(); {
	case s.Of == 0:
		return ""
	case s.Count == 0:
		return fmt.Sprintf("below %.2g", 100*high)
	case v-low > near*v || high-v > near*v:
		return fmt.Sprintf("%.2g–%.2g", 100*low, 100*high)
	default:
		return fmt.Sprintf("%.3g", 100*v)
	}
}

func (s spread) text() string {
	if s.Quartile > (1+near)*s.Least {
		return quantity.Digits(s.Least) + "–" + quantity.Digits(s.Quartile)
	}
	return quantity.Digits(s.Least)
}

// table is rows of cells, the first with the names of the columns. The first column is of words, and so are
// the others of a table of few columns.
type table [][]string

func (t table) figures() bool { return len(t[0]) > 4 }

func (t table) write(w io.Writer) {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell), 4)
		}
	}
	line := func(row []string) {
		for c, cell := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if c == 0 || !t.figures() {
				cell, pad = cell+pad, ""
			}
			fmt.Fprintf(w, "| %s%s ", pad, cell)
		}
		fmt.Fprintln(w, "|")
	}
	line(t[0])
	for c := range t[0] {
		rule := strings.Repeat("-", widths[c])
		if c > 0 && t.figures() {
			rule = rule[1:] + ":"
		}
		fmt.Fprintf(w, "| %s ", rule)
	}
	fmt.Fprintln(w, "|")
	for _, row := range t[1:] {
		line(row)
	}
}

const steadyTitle = "False positives while members come and go, at equal memory"

// picture draws the rates over the turnovers, a panel for each memory.
func (r *recording) picture() *chart.Picture {
	p := &chart.Picture{Title: steadyTitle, Columns: max(1, len(r.Config.SteadyBits)), Width: 330, Height: 300}
	for _, bits := range r.Config.SteadyBits {
		panel := chart.New(fmt.Sprintf("%d bits per key", bits), "turnovers of all members", "rate")
		drawn := 0
		for _, row := range r.Steady {
			if row.Budget != bits {
				continue
			}
			var points plotter.XYs
			for turnovers, rate := range row.Rates {
				if rate.Count > 0 { // 0 has no place on a logarithmic axis
					points = append(points, plotter.XY{X: float64(turnovers), Y: rate.value()})
				}
			}
			panel.Add(row.Subject, points, chart.Curve(drawn))
			drawn++
		}
		chart.Logarithmic(quantity.Percent, &panel.Y)
		p.Panels = append(p.Panels, panel)
	}
	return p
}
