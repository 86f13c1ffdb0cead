package deny

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
	"github.com/bloomlane/bloomlane/xdp"
)

// Report is what a gate did. Sizes are in bytes.
type Report struct {
	Interface string `json:"interface"`
	Mode      string `json:"mode"`
	Side      string `json:"side"`
	Pin       string `json:"pin,omitempty"`
	// what was pinned there before went on in this gate
	Took    bool    `json:"took_over,omitempty"`
	Damage  string  `json:"damage,omitempty"` // the error that ended it
	Seconds float64 `json:"seconds"`          // in force
	Lengths Lengths `json:"lengths"`

	Lists  []ListReport `json:"lists"`
	Counts xdp.Counts   `json:"counts"`
}

// Lengths are those of the prefixes that were looked up.
type Lengths struct {
	IPv4 []int `json:"ipv4"`
	IPv6 []int `json:"ipv6"`
}

// ListReport is about a list at the end.
type ListReport struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
	Planned int    `json:"planned"`
	Added   int    `json:"added"` // since the start
	Deleted int    `json:"deleted"`
	Rebuilt int    `json:"rebuilt"`
	Bytes   uint64 `json:"bytes"` // of kernel memory
	// of false positives, for each length that is looked up: planned, and expected now
	PlannedRate float64 `json:"planned_rate"`
	Rate        float64 `json:"rate"`
}

// Report takes stock. Damage is the error that ended the gate, or nil.
func (g *Gate) Report(damage error) (*Report, error) {
	options := g.program.Options()
	r := &Report{
		Interface: g.config.Target.Interface, Pin: g.config.Target.Pin, Took: g.took,
		Mode: options.Mode.String(), Side: options.Side.String(),
		Lengths: Lengths{options.Lengths.IPv4, options.Lengths.IPv6}, Lists: []ListReport{},
	}
	if damage != nil {
		r.Damage = damage.Error()
	}
	if !g.since.IsZero() {
		r.Seconds = time.Since(g.since).Seconds()
	}
	for _, which := range []xdp.List{xdp.Deny, xdp.NeverDeny} {
		l := g.lists[which]
		if l == nil {
			continue
		}
		bytes, err := l.table.Memory()
		if err != nil {
			return nil, err
		}
		r.Lists = append(r.Lists, ListReport{
			Name: which.String(), Entries: len(l.members), Planned: l.planned, Added: l.added,
			Deleted: l.deleted, Rebuilt: l.rebuilt, Bytes: bytes,
			PlannedRate: g.config.Rate, Rate: l.table.Filter().State().Rate,
		})
	}
	var err error
	r.Counts, err = g.program.Counts()
	return r, err
}

// Innocent returns the expected share of the addresses of a version that are found without being in
// the list: each length is another chance.
func (l *ListReport) Innocent(lengths int) float64 {
	return -math.Expm1(float64(lengths) * math.Log1p(-l.Rate))
}

// ReportsOnly reports whether no packet was dropped by the list.
func (r *Report) ReportsOnly() bool { return r.Mode == xdp.ReportOnly.String() }

// Verdict is a part of the packets.
type Verdict struct {
	Name    string
	Packets uint64
}

// Verdicts returns what became of the packets, whose sum is all of them.
func (r *Report) Verdicts() []Verdict {
	c, denied := &r.Counts, "denied"
	if r.ReportsOnly() {
		denied = "would be denied, and passed"
	}
	return []Verdict{
		{"passed", c.Passed.Packets},
		{denied, c.Denied.Packets},
		{"passed by the never-deny list", c.Spared.Packets},
		{"fragments", c.Fragments.Packets},
		{"malformed", c.Malformed.Packets},
		{"no IP", c.Other.Packets},
	}
}

// CountsLine returns the counters as a line.
func CountsLine(c *xdp.Counts) string {
	count := func(n uint64) string { return quantity.Count(int64(n)) }
	share := float64(c.Denied.Packets) / max(1, float64(c.Packets()))
	const text = "%s packets: %s denied (%s), %s spared, %s fragments, %s malformed, %s no IP"
	return fmt.Sprintf(text,
		count(c.Packets()), count(c.Denied.Packets), quantity.Percent(share),
		count(c.Spared.Packets), count(c.Fragments.Packets), count(c.Malformed.Packets),
		count(c.Other.Packets))
}

// String returns the report for people.
func (r *Report) String() string {
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	line("interface %s, mode %s, by the %s of a packet, for %.3g s",
		legible.Escape(r.Interface), r.Mode, r.Side, r.Seconds)
	if r.Took {
		line("  took over what was pinned at %s", legible.Escape(r.Pin))
	}
	line("\npackets")
	for _, v := range r.Verdicts() {
		line("  %-32s %15s", v.Name, quantity.Count(int64(v.Packets)))
	}
	if cleared := r.Counts.Cleared; cleared > 0 || r.Mode == xdp.Exact.String() {
		line("  %-32s %15s", "cleared by the exact set", quantity.Count(int64(cleared)))
	}
	line("")
	r.Table().Text(&text, 3)
	for i := range r.Lists {
		l := &r.Lists[i]
		line("%s finds %.2g of the other IPv4 addresses (lengths %s), and %.2g of IPv6 (%s)",
			l.Name, l.Innocent(len(r.Lengths.IPv4)), numbers(r.Lengths.IPv4),
			l.Innocent(len(r.Lengths.IPv6)), numbers(r.Lengths.IPv6))
	}
	return text.String()
}

// Table has a line for each list; what was added and deleted is since the start.
func (r *Report) Table() *pivot.Table {
	return pivot.Rows("list|entries|planned|size|added|deleted|built again|rate planned|now",
		r.Lists, func(l ListReport) []string {
			return []string{l.Name, quantity.Count(l.Entries), quantity.Count(l.Planned),
				quantity.Bytes(int64(l.Bytes)), quantity.Count(l.Added),
				quantity.Count(l.Deleted), quantity.Count(l.Rebuilt),
				fmt.Sprintf("%.2g", l.PlannedRate), fmt.Sprintf("%.2g", l.Rate)}
		})
}

// numbers returns lengths as people write them.
func numbers(lengths []int) string {
	var texts []string
	for _, bits := range slices.Sorted(slices.Values(lengths)) {
		texts = append(texts, fmt.Sprintf("/%d", bits))
	}
	return strings.Join(texts, " ")
}
