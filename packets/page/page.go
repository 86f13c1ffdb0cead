package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/bloomlane/bloomlane/packets/agreement"
	"github.com/bloomlane/bloomlane/packets/deny"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/report/kernels"
	"github.com/bloomlane/bloomlane/report/quantity"
)

//go:embed page.html
var source string

// page is written so that it is XML too, by which tests read it.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"count":   quantity.Count[int],
	"bytes":   quantity.Bytes[int],
	"percent": quantity.Percent,
	"base":    filepath.Base,
	"three":   func(x float64) string { return fmt.Sprintf("%.3g", x) },
	"times":   func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"width":   width,
	"minus":   func(a, b int) int { return a - b },
	"plus":    func(a, b int) int { return a + b },
	"of":      func(part, all int) float64 { return float64(part) / float64(max(1, all)) },

	"verdicts":  verdicts,
	"denied":    denyVerdicts,
	"whole":     whole,
	"slowest":   slowest,
	"agreement": agreementPanel,
	"part":      func(x, all float64) float64 { return x / max(all, 1e-9) },
}).Parse(source))

// width returns a part as the width of a bar.
func width(part float64) string { return fmt.Sprintf("%.3f%%", 100*min(1, max(0, part))) }

// content is what the page is made of.
type content struct {
	Reports   []*Report
	Agreement []*Report
	Guard     []*Report
	Deny      []*Report
	Kernels   []*Report
	Origins   []string // programs and machines
	Made      string   // of the latest

	Packets, Rejected int
	Synthetic         int // of the packets
	Audited           int // packets, with an audit
	Differences       int
	Arrived, Denied   int // packets at interfaces
}

// Write writes the page.
func Write(w io.Writer, reports []*Report) error {
	c := content{Reports: reports}
	latest := slices.MaxFunc(reports, func(a, b *Report) int { return a.Made.Compare(b.Made) })
	c.Made = latest.Made.UTC().Format("2006-01-02 15:04 UTC")
	for _, r := range reports {
		if origin := r.Program + ", on " + r.Machine; !slices.Contains(c.Origins, origin) {
			c.Origins = append(c.Origins, origin)
		}
		switch {
		case r.Agreement != nil:
			c.Agreement = append(c.Agreement, r)
		case r.Guard != nil:
			c.Guard = append(c.Guard, r)
			c.Packets += r.Guard.Packets
			c.Rejected += r.Guard.Verdicts.Rejected
			if r.Guard.Synthetic {
				c.Synthetic += r.Guard.Packets
			}
			if a := r.Guard.Audit; a != nil {
				c.Audited += r.Guard.Packets
				c.Differences += a.VerdictDifferences + a.AnswerDifferences
			}
		case r.Deny != nil:
			c.Deny = append(c.Deny, r)
			for _, v := range denyVerdicts(r.Deny) {
				c.Arrived += v.Packets
			}
			if !r.Deny.ReportsOnly() {
				c.Denied += whole(r.Deny.Counts.Denied.Packets)
			}
		case r.Kernels != nil:
			c.Kernels = append(c.Kernels, r)
		}
	}
	// Captures come before what was generated.
	slices.SortStableFunc(c.Guard, func(a, b *Report) int {
		return last(a.Guard.Synthetic) - last(b.Guard.Synthetic)
	})
	var text bytes.Buffer
	if err := page.Execute(&text, &c); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := w.Write(text.Bytes())
	return err
}

// last is the rank of a report that comes after the others, or does not.
func last(generated bool) int {
	if generated {
		return 1
	}
	return 0
}

// verdict is a number of packets, and the class of its colour.
type verdict struct {
	Name, Class string
	Packets     int
}

func verdicts(v guard.Verdicts) []verdict {
	return []verdict{
		{"accepted", "accepted", v.Accepted},
		{"accepted, with a strike", "strike", v.Strike},
		{"third strike: its source turned bad", "third", v.ThirdStrike},
		{"rejected: its source was bad before", "rejected", v.Rejected},
		{"no IP header", "noip", v.NoIP},
	}
}

// denyVerdicts returns what became of the packets at an interface.
func denyVerdicts(r *deny.Report) (all []verdict) {
	classes := []string{"accepted", "rejected", "strike", "third", "malformed", "noip"}
	for i, v := range r.Verdicts() {
		all = append(all, verdict{v.Name, classes[i], whole(v.Packets)})
	}
	return all
}

// whole returns a counter as a number of the page.
func whole(n uint64) int { return int(min(n, math.MaxInt)) }

// slowest returns the longest time of a table, for the lengths of bars.
func slowest(s kernels.Speed) (most float64) {
	for _, t := range s.Times {
		for _, by := range t.By {
			most = max(most, by.Nanoseconds)
		}
	}
	return most
}

// inline returns a picture without the XML declaration, which is for files. The text in it is
// escaped.
func inline(svg []byte) template.HTML {
	_, rest, _ := bytes.Cut(svg, []byte("<svg"))
	return template.HTML("<svg" + string(rest))
}

// agreementPanel draws which machines agree.
func agreementPanel(r *Report) (template.HTML, error) {
	var svg bytes.Buffer
	err := agreement.Draw(&svg, &r.Record, r.Agreement)
	return inline(svg.Bytes()), err
}
