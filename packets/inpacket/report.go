package inpacket

import (
	"fmt"
	"strings"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Tally is what became of the packets of one kind of way under one policy.
type Tally struct {
	Policy  string `json:"policy"`
	Sent    int    `json:"sent"`    // packets
	Refused int    `json:"refused"` // packets without a clean candidate, which were not sent

	// links of trees and controls of their nodes; services of chains
	Elements int `json:"elements"`
	// in the headers as sent: fewer where virtual links stand for links
	Identifiers int `json:"identifiers"`
	// of the elements, those that a packet came by and matched
	Delivered int `json:"delivered"`
	Lost      int `json:"lost"` // and those that it did not
	// matches of others, and of elements for a second time
	False int `json:"false_deliveries"`
	Wrong int `json:"wrong_packets"` // packets with any of the two

	// Of routes.
	Duplicates int `json:"duplicates"` // copies that came to a node that the packet had been at
	Loops      int `json:"loops"`      // of these, those that had been there themselves
	Stopped    int `json:"stopped"`    // copies that went round in circles until they were stopped

	Done int `json:"controls_done"` // of Delivered: controls
	// of False: controls that the header did not ask for, or a second time
	FalseDone int `json:"controls_false"`

	// packets at an engine: a link has one, and one for each virtual link over it
	Hops     int `json:"hops"`
	Deleted  int `json:"deleted"`  // hops that cleared bits
	Retained int `json:"retained"` // hops that matched and cleared none
	Overfull int `json:"overfull"` // hops that found the header over the fill limit
	Damaged  int `json:"damaged"`  // hops after which the packet differs outside the field

	FillSum  int `json:"fill_sum"` // bits set in the headers as sent
	FillMost int `json:"fill_most"`

	// Of the headers as sent: how many identifiers that are no elements the control plane asked,
	// how many of these match, and how many the formula expects under AnyTable, as a mean over hash
	// keys: the same identifiers meet again and again.
	Asked    int     `json:"asked"`
	Matches  int     `json:"false_matches"`
	Expected float64 `json:"expected_false_matches"`
}

// Report is what a run found out.
type Report struct {
	Input   string `json:"input"`
	Damage  string `json:"damage,omitempty"` // the error that ended the capture before its end
	Packets int    `json:"packets"`
	Framing int    `json:"without_frame"` // packets that could not be sent over Ethernet

	BlockBits int `json:"block_bits"` // of a header
	Offset    int `json:"offset"`
	Tables    int `json:"tables"`
	FillLimit int `json:"fill_limit"`

	Nodes     int     `json:"nodes"`
	Links     int     `json:"links"`
	Receivers int     `json:"receivers"`
	Controls  int     `json:"controls"`         // of a packet's tree
	Routes    []Tally `json:"routes"`           // by Policy
	Undeleted []Tally `json:"routes_undeleted"` // the same, in which nothing is deleted

	Virtual *VirtualReport `json:"virtual,omitempty"`

	Services int     `json:"services"`
	Path     int     `json:"path"`
	Chain    int     `json:"chain"`
	Chains   []Tally `json:"chains"` // by Policy

	Hops int        `json:"hops"`
	RTL  *RTLReport `json:"rtl,omitempty"`
}

// VirtualReport is about the same routes with virtual links in the place of links.
type VirtualReport struct {
	VirtualLinks int `json:"virtual_links"`
	MostLinks    int `json:"most_links"` // of one of them

	// What they cost: entries at the ports of the links, beside one a link.
	Entries     int `json:"entries"`
	MostEntries int `json:"entries_most_per_node"`
	// positions in every table, and whether to query or to delete
	EntryBits int `json:"entry_bits"`

	Routes []Tally `json:"routes"` // by Policy
}

// RTLReport is about the in-line engine's RTL, which all hops ran through as well.
type RTLReport struct {
	DataBytes   int    `json:"data_bytes"` // of a beat
	Differences int    `json:"differences"`
	Difference  string `json:"difference,omitempty"` // the first one
	Cycles      int    `json:"cycles"`
}

// Failure says what went wrong that must not, or is nil: under the strict policy every element
// is delivered and nothing else is, no packet is damaged, and the RTL does what Go does.
func (r *Report) Failure() error {
	if r.RTL != nil && r.RTL.Differences > 0 {
		return fmt.Errorf("the RTL differs from Go in %s hops, first %s",
			quantity.Count(r.RTL.Differences), r.RTL.Difference)
	}
	all := [][]Tally{r.Routes, r.Undeleted, r.Chains}
	if r.Virtual != nil {
		all = append(all, r.Virtual.Routes)
	}
	for _, tallies := range all {
		for policy, t := range tallies {
			switch {
			case t.Damaged > 0:
				return fmt.Errorf("a packet changed outside the header, as %s hops show",
					quantity.Count(t.Damaged))
			case Policy(policy) == Strict && t.Wrong > 0:
				return fmt.Errorf("%s packets with a clean header were delivered wrongly",
					quantity.Count(t.Wrong))
			}
		}
	}
	return nil
}

// String returns the report for people.
func (r *Report) String() string {
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	line("input %s", legible.Escape(r.Input))
	line("  %s, each with a header of %d bits at byte %d, from one of %d tables; fill limit %d",
		quantity.CountOf(r.Packets-r.Framing, "packet"), r.BlockBits, r.Offset, r.Tables,
		r.FillLimit)
	if r.Framing > 0 {
		line("  %s without an IP or Ethernet header, not sent",
			quantity.CountOf(r.Framing, "packet"))
	}
	if r.Damage != "" {
		line("  DAMAGED: this is the report of what could be read")
	}
	elements := "links"
	line("\nroutes: a tree to %d of %d nodes, over some of %d links", r.Receivers, r.Nodes, r.Links)
	if r.Controls > 0 {
		elements = "links and controls"
		line("  controls: %d of the tree's nodes are asked to do something", r.Controls)
	}
	r.table(&text, elements, r.Routes)
	line("\nthe same routes, where nothing is deleted")
	r.table(&text, elements, r.Undeleted)
	if v := r.Virtual; v != nil {
		line("\nthe same routes, with %d virtual links, of %d links at most",
			v.VirtualLinks, v.MostLinks)
		line("  state: %s entries of %d bits beside %d of links; %.1f per node, %d at most",
			quantity.Count(v.Entries), v.EntryBits, r.Links, float64(v.Entries)/float64(r.Nodes),
			v.MostEntries)
		r.table(&text, elements, v.Routes)
	}
	line("\nchains: %d of %d services on the way, of %d", r.Chain, r.Path, r.Services)
	r.table(&text, "services", r.Chains)
	if rtl := r.RTL; rtl != nil {
		line("\nrtl        %s of %s hops differ from Go, in status or in any byte of the packet",
			quantity.Count(rtl.Differences), quantity.Count(r.Hops))
		line("cycles     %s, %.3g per packet, in beats of %d bytes",
			quantity.Count(rtl.Cycles), float64(rtl.Cycles)/float64(max(1, r.Hops)), rtl.DataBytes)
	}
	return text.String()
}

// row is a number of a tally, and when it has a row in the report.
type row struct {
	name  string
	count func(t *Tally) int
	has   bool
}

// table writes the tallies of a way, a column a policy.
func (r *Report) table(text *strings.Builder, elements string, tallies []Tally) {
	route := elements != "services"
	controls := route && r.Controls > 0
	line := func(name string, cell func(t *Tally) string) []string {
		cells := []string{fmt.Sprintf("%-30s", name)}
		for i := range tallies {
			cells = append(cells, cell(&tallies[i]))
		}
		return cells
	}
	t := pivot.Rows("", pivot.Where([]row{
		{"packets sent", func(t *Tally) int { return t.Sent }, true},
		{"not sent: no clean candidate", func(t *Tally) int { return t.Refused }, true},
		{"hops", func(t *Tally) int { return t.Hops }, true},
		{elements, func(t *Tally) int { return t.Elements }, true},
		{"identifiers in the headers", func(t *Tally) int { return t.Identifiers }, route},
		{"lost " + elements, func(t *Tally) int { return t.Lost }, true},
		{"false deliveries", func(t *Tally) int { return t.False }, true},
		{"packets with either", func(t *Tally) int { return t.Wrong }, true},
		{"controls done", func(t *Tally) int { return t.Done }, controls},
		{"controls done falsely", func(t *Tally) int { return t.FalseDone }, controls},
		{"copies to a node again", func(t *Tally) int { return t.Duplicates }, route},
		{"of these, back in a loop", func(t *Tally) int { return t.Loops }, route},
		{"copies stopped in a circle", func(t *Tally) int { return t.Stopped }, route},
		{"hops over the fill limit", func(t *Tally) int { return t.Overfull }, true},
		{"deleted", func(t *Tally) int { return t.Deleted }, true},
		{"retained", func(t *Tally) int { return t.Retained }, true},
		{"false matches when sent", func(t *Tally) int { return t.Matches }, true},
	}, func(r row) bool { return r.has }), func(r row) []string {
		return line(r.name, func(t *Tally) string { return quantity.Count(r.count(t)) })
	})
	t.Columns = line("", func(t *Tally) string { return t.Policy })
	t.Rows = append(t.Rows, line("fill, mean and most, %", func(t *Tally) string {
		percent := 100 / float64(r.BlockBits)
		return fmt.Sprintf("%.1f %.1f", percent*float64(t.FillSum)/float64(max(1, t.Sent)),
			percent*float64(t.FillMost))
	}))
	t.Right(text, 2)
	fmt.Fprintf(text, "  (of %s identifiers asked; the formula expects %.0f false matches in any "+
		"table)\n",
		quantity.Count(tallies[0].Asked), tallies[0].Expected)
}
