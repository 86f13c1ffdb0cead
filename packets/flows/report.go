package flows

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/packets/sets"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Report is what a run found out. Seconds are of the packets' time.
type Report struct {
	Input string `json:"input"`
	// the error that ended the input before its end
	Damage      string  `json:"damage,omitempty"`
	IdleSeconds float64 `json:"idle_seconds"`
	BitsPerKey  float64 `json:"bits_per_key"`
	Rate        float64 `json:"rate"` // to keep
	NonMembers  int     `json:"non_members"`
	// the traffic was never captured: it is made of the input's flows
	Synthesised *Synthesis `json:"synthesised,omitempty"`
	Real        *Traffic   `json:"real"`
	Traffic     *Traffic   `json:"traffic"` // that ran through the filters
	Plan        *plan      `json:"plan"`
	Samples     []Sample   `json:"samples"`
	Totals      []Totals   `json:"filters"`
	// or nil, where the times of the packets are no basis for it
	Advice *Advice `json:"advice,omitempty"`
}

// RateError says that no filter keeps a rate.
type RateError struct {
	Rate    float64
	Nearest string // filter of those of the same memory
	Worst   float64
}

func (e *RateError) Error() string {
	return fmt.Sprintf("no filter keeps %s: %s comes nearest, with %s at worst",
		quantity.Percent(e.Rate), e.Nearest, quantity.Percent(e.Worst))
}

// Failure says what went wrong, or is nil: every filter finds the live flows that it took, which
// must not go wrong, and one of them keeps the rate, or it is a *[RateError].
func (r *Report) Failure() error {
	lost := 0
	for _, t := range r.Totals {
		lost += t.FalseNegatives
	}
	if lost > 0 {
		return fmt.Errorf("live flows were not found by filters that took them, %d times", lost)
	}
	for _, t := range r.Totals {
		if t.Shadow == nil {
			continue
		}
		if err := t.Shadow.Alarm(); err != nil {
			return fmt.Errorf("%s: %w", t.Filter, err)
		}
	}
	if a := r.Advice; a != nil && !a.Keeps {
		return &RateError{r.Rate, a.Use, r.Totals[slices.Index(Names, a.Use)].Worst.Rate}
	}
	return nil
}

// String returns the report for people.
func (r *Report) String() string {
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }

	line("input %s", legible.Escape(r.Input))
	if r.Damage != "" {
		line("  DAMAGED: this is the report of what could be read")
	}
	r.Real.write(line)
	if s := r.Synthesised; s != nil {
		line("SYNTHESISED traffic, never captured: %s flows like those, begun %s (seed %d)",
			quantity.Count(s.Flows), s.often(), s.Seed)
		line("  flows that the end of the capture cut are taken for complete, and bursts are " +
			"smoothed")
		r.Traffic.write(line)
	}
	line("filters of %s bytes each (rebuild: twice that while it is built), but elastic: %.3g "+
		"bits per member, for %s members",
		quantity.Count(r.Plan.Bytes), float64(8*r.Plan.Bytes)/float64(r.Plan.Members),
		quantity.Count(r.Plan.Members))
	for _, t := range r.Totals {
		if g := t.Growth; g != nil {
			line("%s, made for %s: %s in the mean; %s at the peak; it grew %s and shrank %s",
				t.Filter, quantity.Of(g.Made, "member"), g.Mean.text(), g.Peak.text(),
				times(g.Grew), times(g.Shrank))
		}
	}

	line("\nbytes of elastic, and false positives in %% of %s non-members (~ computed from the "+
		"bits, because fewer than %d were found; for elastic from its members)",
		quantity.Count(r.NonMembers), leastFound)
	r.samples(&text)
	line("\nover all")
	r.Filters().Text(&text, 3)
	line("")
	var shadows []sets.Found
	for _, t := range r.Totals {
		shadows = append(shadows, sets.Found{Filter: t.Filter, Stats: t.Shadow})
	}
	if t := sets.Shadows(shadows); len(t.Rows) > 0 {
		t.Explained(&text, 3)
		line("")
	}
	if r.Advice == nil {
		line("NO ADVICE: the times of too many packets are far off those around them")
	} else {
		for _, sentence := range r.Advice.Text {
			line("%s", sentence)
		}
	}
	return text.String()
}

// write writes the traffic, a line each.
func (t *Traffic) write(line func(format string, args ...any)) {
	line("  %s packets in %.4g s, %s flows (%s from their SYN)", quantity.Count(t.Packets.All),
		t.Seconds, quantity.Count(t.Flows), quantity.Count(t.WithSYN))
	ended := func(why end) string { return quantity.Count(t.Endings[why]) }
	line("  ended: %s by a RST, %s by both FINs, %s idle for %v, %s cut by the end of the "+
		"packets, %s evicted",
		ended(reset), ended(closed), ended(idle), t.timeout, ended(cut), ended(evicted))
	line("  live at a time: %.1f in the mean, %s at the peak; they live for %.3g s in the mean",
		t.Mean, quantity.Count(t.Peak), t.MeanSeconds)
	if p := &t.Packets; p.NoIP+p.Fragment+p.Cut+p.Late+p.Backward+p.Astray > 0 {
		line("  packets of no flow: %s without IP, %s later fragments, %s cut in a header, %s "+
			"after the end of their connection; %s with times that go back, %s with times far off",
			quantity.Count(p.NoIP), quantity.Count(p.Fragment), quantity.Count(p.Cut),
			quantity.Count(p.Late), quantity.Count(p.Backward), quantity.Count(p.Astray))
	}
}

// rows is the number of samples that the tables show.
const rows = 12

// shown returns the samples of the tables: evenly spaced, with the last one.
func (r *Report) shown() []*Sample {
	n := len(r.Samples)
	var shown []*Sample
	for i := range min(rows, n) {
		shown = append(shown, &r.Samples[(i+1)*n/min(rows, n)-1])
	}
	return shown
}

// samples writes the rates at samples.
func (r *Report) samples(w io.Writer) {
	pivot.Rows("seconds|live|turnovers|bytes|"+strings.Join(Names, "|"), r.shown(),
		func(s *Sample) []string {
			cells := []string{fmt.Sprintf("%.4g", s.Seconds), quantity.Count(s.Members),
				fmt.Sprintf("%.1f", s.Turnovers),
				quantity.Count(s.Answers[len(s.Answers)-1].Bytes)}
			for i := range s.Answers {
				text := "%.3g"
				rate, measured := s.Answers[i].rate(r.NonMembers)
				if !measured {
					text = "~%.2g"
				}
				cells = append(cells, fmt.Sprintf(text, 100*rate))
			}
			return cells
		}).Right(w, 3)
}

// Filters has a line for each filter, over all.
func (r *Report) Filters() *pivot.Table {
	count := quantity.Count[int]
	t := pivot.Rows("filter|bytes|lines per query|worst rate, %|keeps "+quantity.Percent(r.Rate)+
		"|new flows taken for live|found after deletion|live, not found|refused|built again",
		r.Totals, func(t Totals) []string {
			return []string{t.Filter, count(t.Bytes), fmt.Sprint(t.Lines),
				fmt.Sprintf("%.3g", 100*t.Worst.Rate),
				map[bool]string{true: "yes", false: "no"}[t.Worst.Keeps], count(t.Known),
				count(t.Kept), count(t.FalseNegatives), count(t.Refused), count(t.Builds)}
		})
	const lost = 7 // the column
	t.Class = func(row, column int) string {
		switch total := &r.Totals[row]; {
		case column == lost && total.FalseNegatives > 0:
			return "bad"
		case r.Advice != nil && r.Advice.Use == total.Filter:
			return "use"
		}
		return ""
	}
	return t
}
