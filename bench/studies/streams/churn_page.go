package streams

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Page writes the page of a recording, as Markdown.
func (r *turned) Page(w io.Writer) error {
	var b bytes.Buffer
	c := &r.Config
	fmt.Fprintf(&b, `# Filters that delete, at equal memory

There are %s at a time, which come and go (lifetime: %s). A turnover is as many inserts as there are
members. In each section a filter has the largest of its sizes within the bits per member of the
heading. If its smallest size is larger, it is left out. All filters get the same members.

%s
- *rate*: the share of random non-members that are found, in %%, when all members are in and after
  some turnovers. A filter that is rebuilt is measured just before a rebuild, when its rate is
  highest.
- *deleted*: the share of the deletes from one turnover to another, in %%, after which the key was
  no longer found.
- *again*: members inserted again, per insert after the first members are in.
- *refused*: inserts that the filter did not take. *lost*: members that it took and that were not
  found at the end.
- *ns*: the time per key, in batches where the library has them. The filters have %s in the cache,
  and %s in memory. Half of the keys of a query are members. An insert puts back what was deleted.
  The number after a plus is the time to insert one member again, which happens about once per
  insert.

A single rate or share has a 95 %% interval within a tenth of it. A single time is the least of %d
rounds (%d in memory), a quarter of which are within a tenth of it. Otherwise there are two numbers:
the ends of the interval, or the least time and the lower quartile.
`,
		quantity.Of(c.Members, "member"), c.Lifetime, r.Where("churn", churnFile),
		quantity.Bytes(c.Cache), quantity.Bytes(c.Memory), c.Rounds, c.Rounds/2)

	fmt.Fprintf(&b, "\n## The steady state\n\n![%s](%s)\n", steadyTitle, pictureFile)
	for _, bits := range c.Bits {
		fmt.Fprintf(&b, "\n## %d bits per key\n\n", bits)
		t := pivot.Rows(c.heads(), pivot.Where(r.Rows,
			func(r row) bool { return r.Budget == bits }), c.cells)
		t.Empty = ""
		t.Markdown(&b)
	}
	b.WriteString("\n## What owners keep\n\n")
	t := pivot.Rows("filter|keeps", pivot.First(r.Rows, row.subject),
		func(r row) []string { return []string{r.Subject, r.Keeps} })
	t.Words = 1
	t.Markdown(&b)
	r.WriteLibraries(&b)
	_, err := b.WriteTo(w)
	return err
}

func (r row) subject() string { return r.Subject }

// heads are those of a table of filters.
func (c *config) heads() string {
	heads, about := "filter|bits", "rate, %, "
	for _, t := range c.Turnovers {
		heads += fmt.Sprintf("|%safter %d", about, t)
		about = ""
	}
	for _, t := range spans(c.Turnovers) {
		heads += fmt.Sprintf("|deleted, %%, %d to %d", c.Turnovers[t-1], c.Turnovers[t])
	}
	return heads + "|again|refused|lost|cache: query, ns|delete|insert|memory: query, ns|delete|" +
		"insert"
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

// cells are those of a row.
func (c *config) cells(r row) []string {
	cells := []string{r.Subject, bitsOf(r.Bits)}
	for _, rate := range r.Rates {
		cells = append(cells, rate.percent())
	}
	for _, i := range spans(c.Turnovers) {
		cells = append(cells, r.Deletes[i].percent())
	}
	again := float64(r.Again) / float64(max(1, r.Inserts-c.Members))
	return append(append(cells, fmt.Sprintf("%.2g", again), quantity.Count(r.Refused),
		quantity.Count(r.Lost)), r.times()...)
}

// times are the times of a row, in the cache and in memory.
func (r row) times() (cells []string) {
	for _, t := range []*times{r.Cache, r.Memory} {
		query, remove, insert, _ := t.texts()
		cells = append(cells, query, remove, insert)
	}
	return cells
}

const steadyTitle = "False positives while members come and go, at equal memory"

// picture draws the rates over the turnovers, a panel for each memory.
func (r *turned) picture() *chart.Picture {
	p := &chart.Picture{Title: steadyTitle, Columns: max(1, len(r.Config.SteadyBits)),
		Width: 330, Height: 300}
	for _, bits := range r.Config.SteadyBits {
		panel := chart.New(fmt.Sprintf("%d bits per key", bits), "turnovers of all members", "rate")
		rows := pivot.Where(r.Steady, func(r row) bool { return r.Budget == bits })
		for k, row := range rows {
			var points plotter.XYs
			for turnovers, rate := range row.Rates {
				if rate.Count > 0 { // 0 has no place on a logarithmic axis
					points = append(points, plotter.XY{X: float64(turnovers), Y: rate.value()})
				}
			}
			panel.Add(row.Subject, points, chart.Curve(k))
		}
		chart.Logarithmic(quantity.Percent, &panel.Y)
		p.Panels = append(p.Panels, panel)
	}
	return p
}
