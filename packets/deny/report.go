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

// Lengths are those that filters were asked for.
type Lengths struct {
	IPv4 []int `json:"ipv4"`
	IPv6 []int `json:"ipv6"`
}

// ListReport is about a list at the end.
type ListReport struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
	Ranges  int    `json:"ranges"`  // of the entries, those in ranges, which are exact
	Filter  int    `json:"filter"`  // those in a filter
	Trie    int    `json:"trie"`    // those in a trie, which is exact
	Planned int    `json:"planned"` // entries of the filter
	Added   int    `json:"added"`   // since the start
	Deleted int    `json:"deleted"`
	Rebuilt int    `json:"rebuilt"`
	Bytes   uint64 `json:"bytes"` // of kernel memory
	// of the filter's false positives, for each length that it is asked for: planned, and expected
	// now
	PlannedRate float64 `json:"planned_rate"`
	Rate        float64 `json:"rate"`
}

// Report takes stock. Damage is the error that ended the gate, or nil.
func (g *Gate) Report(damage error) (*Report, error) {
	options := g.program.Options()
	r := &Report{
		Interface: g.config.Target.Interface, Pin: g.config.Target.Pin, Took: g.took,
		Mode: options.Mode.String(), Side: options.Side.String(),
		Lengths: Lengths{[]int{}, options.Lengths.IPv6}, Lists: []ListReport{},
	}
	if options.FilterIPv4 {
		r.Lengths.IPv4 = options.Lengths.IPv4
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
		of := g.count(l.members)
		r.Lists = append(r.Lists, ListReport{
			Name: which.String(), Entries: len(l.members), Ranges: of[xdp.InRanges],
			Filter: of[xdp.InFilter], Trie: of[xdp.InTrie], Planned: l.planned, Added: l.added,
			Deleted: l.deleted, Rebuilt: l.rebuilt, Bytes: bytes,
			PlannedRate: g.config.Rate, Rate: l.table.Filter().State().Rate,
		})
	}
	var err error
	r.Counts, err = g.program.Counts()
	return r, err
}

// Innocent returns the expected share of the addresses of a version that a filter finds without
// their being in the list: each length that it is asked for is another chance.
func (l *ListReport) Innocent(lengths int) float64 {
	return -math.Expm1(float64(lengths) * math.Log1p(-l.Rate))
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
func (r *Report) String() string { return pivot.Text(r.Tables()...) }

// Tables are the report for people: where the gate was, what became of the packets, of which none
// is zero, and the lists. What was added and deleted is since the start.
func (r *Report) Tables() []*pivot.Table {
	rows := [][]string{{"interface", legible.Escape(r.Interface)},
		{"mode", fmt.Sprintf("%s, by the %s of a packet, for %.3g s", r.Mode, r.Side, r.Seconds)}}
	if r.Took {
		rows = append(rows, []string{"took over", "what was pinned at " + legible.Escape(r.Pin)})
	}
	if r.Damage != "" {
		rows = append(rows, []string{"ended", legible.Escape(r.Damage)})
	}
	return []*pivot.Table{pivot.Lines(rows), r.packets(), r.Plan()}
}

// Plan is the table of the lists: where their entries are, what they take, and how many innocent
// addresses they find.
func (r *Report) Plan() *pivot.Table {
	lists := pivot.Rows("list|entries|ranges|filter|trie|planned|size|added|deleted|built again|"+
		"rate planned|now|innocent, IPv4|IPv6", r.Lists, func(l ListReport) []string {
		ipv4, ipv6 := r.innocent(&l)
		return []string{l.Name, quantity.Count(l.Entries), quantity.Count(l.Ranges),
			quantity.Count(l.Filter), quantity.Count(l.Trie), quantity.Count(l.Planned),
			quantity.Bytes(int64(l.Bytes)), quantity.Count(l.Added),
			quantity.Count(l.Deleted), quantity.Count(l.Rebuilt), rate(l.PlannedRate),
			rate(l.Rate), ipv4, ipv6}
	})
	lists.About = "Ranges and tries are exact. Innocent is the expected share of other addresses " +
		"that a filter finds,\nwhich is asked for prefixes of IPv4 of the lengths " +
		numbers(r.Lengths.IPv4) + " and of IPv6 of " + numbers(r.Lengths.IPv6) + "."
	return lists
}

// PlanLine returns a list of the report as a line.
func (r *Report) PlanLine(list int) string {
	l := &r.Lists[list]
	ipv4, ipv6 := r.innocent(l)
	const text = "%s list: %s in ranges, %s in a filter, %s in a trie: %s; innocent addresses " +
		"found: %s of IPv4, %s of IPv6"
	return fmt.Sprintf(text, l.Name, quantity.Count(l.Ranges), quantity.Count(l.Filter),
		quantity.Count(l.Trie), quantity.Bytes(int64(l.Bytes)), ipv4, ipv6)
}

// innocent returns the shares of [ListReport.Innocent] for both versions of IP. An exact set corrects
// what a filter finds.
func (r *Report) innocent(l *ListReport) (ipv4, ipv6 string) {
	found := r.Lengths
	if r.Mode == xdp.Exact.String() {
		found = Lengths{}
	}
	return rate(l.Innocent(len(found.IPv4))), rate(l.Innocent(len(found.IPv6)))
}

func rate(r float64) string { return fmt.Sprintf("%.2g", r) }

// packets has what became of the packets.
func (r *Report) packets() *pivot.Table {
	c, denied := &r.Counts, "denied"
	if r.Mode == xdp.ReportOnly.String() {
		denied = "would be denied, and passed"
	}
	part := func(name string, c xdp.Count) pivot.Part[int64] {
		return pivot.Part[int64]{Name: name, Count: int64(c.Packets)}
	}
	t := pivot.Shares("packets|number|share", part("passed", c.Passed), part(denied, c.Denied),
		part("passed by the never-deny list", c.Spared), part("fragments", c.Fragments),
		part("malformed", c.Malformed), part("no IP", c.Other))
	if c.Cleared > 0 {
		t.About = "The exact set cleared " + quantity.Count(int64(c.Cleared)) +
			" packets that the filter alone would have denied."
	}
	return t
}

// numbers returns lengths as people write them.
func numbers(lengths []int) string {
	if len(lengths) == 0 {
		return "none"
	}
	var texts []string
	for _, bits := range slices.Sorted(slices.Values(lengths)) {
		texts = append(texts, fmt.Sprintf("/%d", bits))
	}
	return strings.Join(texts, " ")
}
