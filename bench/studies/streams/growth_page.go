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

const growthTitle = "From few members to many, and back"

// Page writes the page of a recording.
func (r *grown) Page(w io.Writer) error {
	var b bytes.Buffer
	c := &r.Config
	fmt.Fprintf(&b, `# Filters that grow

The members grow from %s to %s, and shrink again: the oldest go first. All filters are for a rate of
false positives of %s, and get the same keys, which are hashes.

%s
- *insert*, *delete*: ns per key, on the way from the size before, with all growth and rebuilds.
  Calls have %d keys.
- *longest*: the longest of these calls. Each call has the least time of its rounds, because other
  work on the machine makes other calls long in each round.
- *query*: ns per key, in batches of %d. Half of the keys are members.
- *filter*, *lists*, *keys*: bytes per member of the filter that queries read, of the lists beside
  it, and of the keys that its owner keeps.
- *most*: the most memory of all of these on the way.
- *rate*: the share of random non-members that are found, in %%. A single rate has a 95 %% interval
  within a tenth of it. Otherwise there are the ends of the interval.

A single time is the least of %d rounds (for queries three per round), and their median is within a
tenth of it. Otherwise there are two times, the least and the median. A step of more than %g s has
one round. Members that were not found, of up to %s at each size: %d.

![%s](%s)
`,
		quantity.Count(c.Least), quantity.Count(c.Most), quantity.Percent(c.Rate),
		r.Where("growth", growthFile), perCall, perQuery, c.Rounds, c.Patience,
		quantity.Count(c.NonMembers), r.missed(),
		growthTitle, growthPicture)
	for _, shrinks := range []bool{false, true} {
		title, update := "Growing", "insert"
		if shrinks {
			title, update = "Shrinking", "delete"
		}
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		pivot.Rows("filter|members|"+update+", ns|longest|query, ns|filter|lists|keys|sum|most|"+
			"rate, %", pivot.Where(r.Steps, func(s step) bool { return s.Shrinks == shrinks }),
			step.cells).Markdown(&b)
	}
	fmt.Fprint(&b, "\n## How they are used\n\n")
	t := pivot.Rows("filter|use", r.subjects(),
		func(s step) []string { return []string{s.Subject, s.Note} })
	t.Words = 1
	t.Markdown(&b)
	r.WriteLibraries(&b)
	_, err := b.WriteTo(w)
	return err
}

// missed is the members that were not found, in all steps.
func (r *grown) missed() (sum int) {
	for _, s := range r.Steps {
		sum += s.Missed
	}
	return sum
}

// subjects returns the first step of each filter.
func (r *grown) subjects() []step { return pivot.First(r.Steps, step.subject) }

// find returns a filter at a number of members, nil where it was not there.
func (r *grown) find(subject string, members int, shrinks bool) *step {
	return pivot.Find(r.Steps, func(s step) bool {
		return s.Subject == subject && s.Members == members && s.Shrinks == shrinks
	})
}

func (s step) subject() string { return s.Subject }

func (s step) cells() []string {
	cells := []string{s.Subject, quantity.Count(s.Members), s.Update.text(),
		quantity.SI(float64(s.Longest)/1e9, "s"), s.Query.text()}
	for _, bytes := range []int{s.Memory.Filter, s.Memory.Lists, s.Memory.Keys, s.Memory.sum()} {
		cells = append(cells, s.perMember(bytes))
	}
	return append(cells, quantity.Bytes(s.Most), s.Rate.percent())
}

func (s step) perMember(bytes int) string {
	if bytes == 0 {
		return ""
	}
	return quantity.Digits(float64(bytes) / float64(s.Members))
}

// picture draws memory and times by the members.
func (r *grown) picture() *chart.Picture {
	p := &chart.Picture{Title: growthTitle, Columns: 2, Width: 400, Height: 260}
	names := pivot.Names(r.Steps, step.subject)
	panel := func(title, y string) *chart.Panel {
		p.Panels = append(p.Panels, chart.New(title, "members", y))
		return p.Panels[len(p.Panels)-1]
	}
	for _, shrinks := range []bool{false, true} {
		way := map[bool]string{false: "growing", true: "shrinking"}[shrinks]
		chart.Draw(&chart.Lines{Look: chart.Curve, Names: names},
			panel(way, "bytes per member, all of it"), r.Curves,
			func(p point) (name string, points plotter.XYs) {
				if p.Shrinks != shrinks {
					return "", nil
				}
				return p.Subject, plotter.XYs{{X: float64(p.Members),
					Y: float64(p.Bytes) / float64(p.Members)}}
			})
	}
	for _, figure := range []struct {
		title, y string
		shrinks  bool
		value    func(s *step) float64
	}{
		{"inserts, growing", "ns per key", false, func(s *step) float64 { return s.Update.Least }},
		{"deletes, shrinking", "ns per key", true, func(s *step) float64 { return s.Update.Least }},
		{"queries, growing", "ns per key", false, func(s *step) float64 { return s.Query.Least }},
		{"the longest call, growing", "ms", false,
			func(s *step) float64 { return float64(s.Longest) / 1e6 }},
	} {
		chart.Draw(&chart.Lines{Look: chart.Marked, Names: names}, panel(figure.title, figure.y),
			r.Steps,
			func(s step) (name string, points plotter.XYs) {
				if s.Shrinks != figure.shrinks {
					return "", nil
				}
				return s.Subject, plotter.XYs{{X: float64(s.Members), Y: figure.value(&s)}}
			})
	}
	for _, panel := range p.Panels {
		chart.Logarithmic(quantity.Number, &panel.X)
		chart.Logarithmic(quantity.Number, &panel.Y)
	}
	return p
}
