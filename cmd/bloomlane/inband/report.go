package inband

import (
	"fmt"
	"io"
	"strings"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/inpacket"
)

// Tally is what became of the packets of one kind of way under one policy.
type Tally struct {
	Policy  string `json:"policy"`
	Sent    int    `json:"sent"`    // packets
	Refused int    `json:"refused"` // packets without a clean candidate, which were not sent

	Elements  int `json:"elements"`         // in the headers as sent: links of trees, services of chains
	Delivered int `json:"delivered"`        // of these, those that a packet came by and matched
	Lost      int `json:"lost"`             // and those that it did not
	False     int `json:"false_deliveries"` // matches of others, and of elements for a second time
	Wrong     int `json:"wrong_packets"`    // packets with any of the two
	Stopped   int `json:"stopped"`          // copies that went round in circles

	Hops     int `json:"hops"`     // packets at an engine
	Deleted  int `json:"deleted"`  // hops that cleared bits
	Retained int `json:"retained"` // hops that matched and could clear none
	Overfull int `json:"overfull"` // hops that found the header over the fill limit
	Damaged  int `json:"damaged"`  // packets that changed outside the field

	FillSum  int `json:"fill_sum"` // bits set in the headers as sent
	FillMost int `json:"fill_most"`

	// Of the headers as sent: how many identifiers that are no elements the control plane asked, how
	// many of these match, and how many the formula expects under AnyTable: as a mean over hash keys,
	// because the same identifiers meet again and again.
	Asked    int     `json:"asked"`
	Matches  int     `json:"false_matches"`
	Expected float64 `json:"expected_false_matches"`
}

// note counts a header that is sent.
func (t *Tally) note(fill, matches, strangers, elements int, rate float64) {
	t.Sent++
	t.Elements += elements
	t.FillSum += fill
	t.FillMost = max(t.FillMost, fill)
	t.Asked += strangers
	t.Matches += matches
	t.Expected += rate * float64(strangers)
}

// Report is what a run found out.
type Report struct {
	Input   string `json:"input"`
	Damage  string `json:"damage,omitempty"` // the error that ended the capture before its end
	Packets int    `json:"packets"`
	Framing int    `json:"without_frame"` // packets that could not be sent over Ethernet

	Bits      int `json:"bits"` // of a header
	Offset    int `json:"offset"`
	Tables    int `json:"tables"`
	FillLimit int `json:"fill_limit"`

	Nodes     int     `json:"nodes"`
	Links     int     `json:"links"`
	Receivers int     `json:"receivers"`
	Routes    []Tally `json:"routes"`

	Services int     `json:"services"`
	Path     int     `json:"path"`
	Chain    int     `json:"chain"`
	Chains   []Tally `json:"chains"`

	Hops          int     `json:"hops"`
	EngineSeconds float64 `json:"engine_seconds"`

	RTL *RTLReport `json:"rtl,omitempty"`
}

// RTLReport is about the in-line engine's RTL, which all hops ran through as well.
type RTLReport struct {
	DataBytes   int     `json:"data_bytes"` // of a beat
	Differences int     `json:"differences"`
	Difference  string  `json:"difference,omitempty"` // the first one
	Cycles      int     `json:"cycles"`
	ClockMHz    float64 `json:"clock_mhz"`
	ClockFrom   string  `json:"clock_from"`

	PacketsPerSecond float64 `json:"packets_per_second"` // hops, at that clock
	GigabitPerSecond float64 `json:"gigabit_per_second"` // width times clock
}

// Report takes stock of the run, whose capture is given by name.
func (r *Run[B]) Report(input string) *Report {
	report := &Report{
		Input: input, Packets: r.packets, Framing: r.framing,
		Bits: 8 * inpacket.FieldBytes[B](), Offset: FieldStart,
		Tables: r.routes.plane.Tables(), FillLimit: r.routes.plane.FillLimit(),
		Nodes: r.config.Nodes, Links: len(r.network.links), Receivers: r.config.Receivers,
		Services: r.config.Services, Path: r.config.Path, Chain: r.config.Chain,
		EngineSeconds: r.elapsed.Seconds(),
	}
	if r.damage != nil {
		report.Damage = r.damage.Error()
	}
	for policy := range policies {
		for _, w := range []*way[B]{r.routes, r.chains} {
			w.tallies[policy].Policy = policy.String()
			report.Hops += w.tallies[policy].Hops
		}
	}
	report.Routes, report.Chains = r.routes.tallies[:], r.chains.tallies[:]
	return report
}

// The clock of the in-line engine with headers of 256 bits at FieldStart on an iCE40 HX8K, as
// hdl/synth/README.md reports it.
const (
	ReportedDataBytes = 8
	ReportedMHz       = 110.0
	ReportedFrom      = "an iCE40 HX8K by nextpnr, the median of five seeds"
)

// AddRTL adds the RTL's side, with a clock of 0 for the one that was reported.
func (r *Report) AddRTL(dataBytes, cycles int, clock float64, differences int, difference string) {
	from := "given"
	if clock == 0 && dataBytes == ReportedDataBytes && r.Bits == 256 {
		clock, from = ReportedMHz, ReportedFrom
	} else if clock == 0 {
		from = "no clock is given, and none reported for this width"
	}
	r.RTL = &RTLReport{
		DataBytes: dataBytes, Differences: differences, Difference: difference,
		Cycles: cycles, ClockMHz: clock, ClockFrom: from,
		PacketsPerSecond: clock * 1e6 * float64(r.Hops) / float64(max(1, cycles)),
		GigabitPerSecond: clock * 1e6 * float64(8*dataBytes) / 1e9,
	}
}

// Failure says what went wrong that must not, or returns "": under the strict policy every element
// is delivered and nothing else is, no packet is damaged, and the RTL does what Go does.
func (r *Report) Failure() string {
	if r.RTL != nil && r.RTL.Differences > 0 {
		return fmt.Sprintf("the RTL differs from Go in %s hops, first %s", quantity.Count(r.RTL.Differences), r.RTL.Difference)
	}
	for _, tallies := range [][]Tally{r.Routes, r.Chains} {
		for policy, t := range tallies {
			switch {
			case t.Damaged > 0:
				return fmt.Sprintf("%s packets changed outside the header", quantity.Count(t.Damaged))
			case Policy(policy) == Strict && t.Wrong > 0:
				return fmt.Sprintf("%s packets with a clean header were delivered wrongly", quantity.Count(t.Wrong))
			}
		}
	}
	return ""
}

// Write writes the report for people.
func (r *Report) Write(w io.Writer) error {
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }

	line("input %s", r.Input)
	line("  %s packets, each with a header of %d bits at byte %d, from one of %d tables; fill limit %d",
		quantity.Count(r.Packets-r.Framing), r.Bits, r.Offset, r.Tables, r.FillLimit)
	if r.Framing > 0 {
		line("  %s packets have no IP or Ethernet header, and were not sent", quantity.Count(r.Framing))
	}
	if r.Damage != "" {
		line("  DAMAGED: this is the report of what could be read")
	}
	r.table(line, fmt.Sprintf("routes: a tree to %d of %d nodes, over some of %d links", r.Receivers, r.Nodes, r.Links), "links", r.Routes)
	r.table(line, fmt.Sprintf("chains: %d of %d services on the way, of %d", r.Chain, r.Path, r.Services), "services", r.Chains)

	line("")
	if rtl := r.RTL; rtl != nil {
		line("rtl        %s of %s hops differ from Go: in status, or in any byte of the packet", quantity.Count(rtl.Differences), quantity.Count(r.Hops))
		line("cycles     %s, %.3g a packet", quantity.Count(rtl.Cycles), float64(rtl.Cycles)/float64(max(1, r.Hops)))
		if rtl.ClockMHz > 0 {
			line("speed      %s packets/s and %.3g Gb/s = %d bits x clock, at %.4g MHz (%s)",
				quantity.SI(rtl.PacketsPerSecond, ""), rtl.GigabitPerSecond, 8*rtl.DataBytes, rtl.ClockMHz, rtl.ClockFrom)
		} else {
			line("speed      unknown: %s", rtl.ClockFrom)
		}
		line("simulated  %s packets/s, both engines", quantity.SI(float64(r.Hops)/max(r.EngineSeconds, 1e-9), ""))
	} else {
		line("engine     Go, %s hops, %s packets/s", quantity.Count(r.Hops), quantity.SI(float64(r.Hops)/max(r.EngineSeconds, 1e-9), ""))
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("inband: write the report: %w", err)
	}
	return nil
}

// table writes the tallies of a kind of way, a column a policy.
func (r *Report) table(line func(string, ...any), title, elements string, tallies []Tally) {
	line("\n%s", title)
	row := func(name string, value func(t *Tally) string) {
		text := fmt.Sprintf("  %-34s", name)
		for i := range tallies {
			text += fmt.Sprintf(" %13s", value(&tallies[i]))
		}
		line("%s", text)
	}
	number := func(name string, value func(t *Tally) int) {
		row(name, func(t *Tally) string { return quantity.Count(value(t)) })
	}
	row("", func(t *Tally) string { return t.Policy })
	number("packets sent", func(t *Tally) int { return t.Sent })
	number("not sent: no clean candidate", func(t *Tally) int { return t.Refused })
	number("hops", func(t *Tally) int { return t.Hops })
	number(elements+" in the headers", func(t *Tally) int { return t.Elements })
	number("lost "+elements, func(t *Tally) int { return t.Lost })
	number("false deliveries", func(t *Tally) int { return t.False })
	number("packets with either", func(t *Tally) int { return t.Wrong })
	number("deleted", func(t *Tally) int { return t.Deleted })
	number("retained", func(t *Tally) int { return t.Retained })
	row("fill, mean and most, %", func(t *Tally) string {
		percent := func(ones float64) float64 { return 100 * ones / float64(r.Bits) }
		return fmt.Sprintf("%.1f %.1f", percent(float64(t.FillSum)/float64(max(1, t.Sent))), percent(float64(t.FillMost)))
	})
	number("false matches when sent", func(t *Tally) int { return t.Matches })
	first := &tallies[0]
	line("  (of %s asked; the formula expects %.0f in any table, as a mean over hash keys)", quantity.Count(first.Asked), first.Expected)
	for _, t := range tallies {
		if t.Stopped+t.Overfull > 0 {
			line("  %s: %s copies stopped that went round in circles, %s hops over the fill limit", t.Policy, quantity.Count(t.Stopped), quantity.Count(t.Overfull))
		}
	}
}
