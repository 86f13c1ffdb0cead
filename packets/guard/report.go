package guard

import (
	"fmt"
	"net/netip"
	"strings"

	sample "github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/packets/sets"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// maxNamed is the number of bad sources that a report names.
const maxNamed = 8

// Report is what a run found out. Sizes are in bytes; rates of filters are false-positive rates.
type Report struct {
	Input string `json:"input"`
	// the packets were generated, not captured
	Synthetic bool `json:"synthetic"`
	// the error that ended the input before its end
	Damage  string            `json:"damage,omitempty"`
	Packets int               `json:"packets"`
	Payload int               `json:"words"` // of all packets
	Counts                    // what the engine has done
	Seconds float64           `json:"seconds"` // in the engine: not that of reading the input
	Sources SourceReport      `json:"sources"`
	Filters []FilterReport    `json:"filters"`
	Never   *NeverBlockReport `json:"never_block,omitempty"`
	History HistoryReport     `json:"history"`
	Bytes   int               `json:"filter_bytes"`
	// measured, of Go maps of as many keys as are planned
	Exact int    `json:"exact_bytes"`
	Audit *Audit `json:"audit,omitempty"`
}

// SourceReport is about the final answers.
type SourceReport struct {
	Listed   int `json:"listed"`           // different sources, of the input and of the blocklist
	Unlisted int `json:"unlisted_packets"` // packets of sources beyond MaxListed
	Good     int `json:"good"`
	Bad      int `json:"bad"`
	Unknown  int `json:"unknown"`
	// The first sources that turned bad: they are not in the blocklist.
	Blacklisted []netip.Addr `json:"blacklisted"`
	Turned      int          `json:"turned_bad"` // all of them
}

// FilterReport is about a filter, and how it fares against its plan since it was rebuilt.
type FilterReport struct {
	Name    string `json:"name"`
	Members int    `json:"members"`
	Planned int    `json:"planned_members"`
	Bytes   int    `json:"bytes"`
	// the part of the data bits that are set
	Fill float64 `json:"fill"`
	// at the end of the planned turnovers, or forever with the re-inserts
	PlannedRate      float64 `json:"planned_rate"`
	Rate             float64 `json:"rate"` // expected with the bits that are set now
	Turnovers        float64 `json:"turnovers"`
	PlannedTurnovers float64 `json:"planned_turnovers"`
	PlannedReinserts float64 `json:"planned_reinserts,omitempty"` // per insert, forever
	// by the rate now, without re-inserts
	TurnoversLeft  float64 `json:"turnovers_left"`
	Deletability   float64 `json:"deletability"` // expected part of the members
	Collided       float64 `json:"collided"`     // part of the regions
	Rebuilds       int     `json:"rebuilds"`     // so far, or rounds of refreshes
	Due            bool    `json:"rebuild_due"`
	NonMembers     int     `json:"non_members,omitempty"` // asked, with an audit
	FalsePositives int     `json:"false_positives"`       // of these, present

	Retouched bool `json:"retouched,omitempty"` // it takes no inserts, so it has no health

	Shadow *sample.Stats `json:"shadow,omitempty"`
}

// HistoryReport is about the exact states.
type HistoryReport struct {
	Limit int `json:"limit"`
	Held  int `json:"held"`
	Bytes int `json:"bytes"` // measured, of those held
}

// Report takes stock of the run, whose input is given by its name and origin.
func (r *Run) Report(input string, synthetic bool) *Report {
	held := r.engine.Held()
	report := &Report{
		Input: input, Synthetic: synthetic, Payload: r.words,
		Counts: r.engine.Counts(), Seconds: r.elapsed.Seconds(), Sources: r.sourceReport(),
		History: HistoryReport{r.config.History, held, stateBytes(held)},
	}
	report.Packets = report.Verdicts.Packets()
	if r.damage != nil {
		report.Damage = r.damage.Error()
	}
	r.reportFilters(report)
	if r.audit != nil {
		r.audit.compare(r.engine, r.Sources())
		report.Audit = &r.audit.Audit
	}
	return report
}

func (r *Run) sourceReport() SourceReport {
	sources := r.Sources()
	s := SourceReport{Listed: len(sources), Unlisted: r.unlisted, Blacklisted: []netip.Addr{}}
	blocked := setOfAddresses(r.config.Blocklist)
	for _, source := range sources {
		switch r.engine.Answer(source) {
		case Good:
			s.Good++
		case Unknown:
			s.Unknown++
		case Bad:
			s.Bad++
			if blocked[source] {
				continue
			}
			if s.Turned++; s.Turned <= maxNamed {
				s.Blacklisted = append(s.Blacklisted, source)
			}
		}
	}
	return s
}

// reportFilters reports the filters and their memory.
func (r *Run) reportFilters(report *Report) {
	// of keys; those of IPv6 are longer
	const sourceBytes, sequenceBytes = 4, maxSequence * wordBytes
	for i, f := range []struct {
		name     string
		filter   *deletable.Filter
		length   int
		rebuilds int
	}{
		{"good", r.filters.Good.Filter, sourceBytes, r.filters.Good.Builds},
		{"bad", r.filters.Bad, sourceBytes, 0},
		{"sequences", r.filters.Sequences, sequenceBytes, 0},
	} {
		h := f.filter.Health()
		row := FilterReport{
			Name: f.name, Members: h.Members, Planned: h.Planned, Bytes: h.Bytes,
			Fill: h.Fill, PlannedRate: h.PlannedRate, Rate: h.Rate,
			Turnovers: h.Turnovers, PlannedTurnovers: h.PlannedTurnovers,
			PlannedReinserts: h.PlannedReinserts, TurnoversLeft: h.TurnoversLeft,
			Deletability: h.Deletability, Collided: float64(h.Collided) / float64(h.Regions),
			Rebuilds: f.rebuilds, Due: h.Due != nil,
		}
		if r.audit != nil {
			row.NonMembers, row.FalsePositives = r.limits.nonMembers,
				falsePositives(f.filter, r.limits.nonMembers)
		}
		if r.shadows != nil {
			r.shadows[i].Check(r.limits.nonMembers / 10)
			stats := r.shadows[i].Stats()
			row.Shadow = &stats
		}
		report.Filters = append(report.Filters, row)
		report.Bytes += h.Bytes
		report.Exact += exactBytes(h.Planned, f.length)
	}
	if r.never == nil {
		return
	}
	state := r.never.listed.State()
	row := FilterReport{
		Name: "blocklist", Members: int(state.Members), Planned: max(1, len(r.config.Blocklist)),
		Bytes: state.Bytes, Fill: state.Fill,
		PlannedRate: r.config.Sizing.BadRate / 2, Rate: state.Rate, Retouched: true,
	}
	if r.audit != nil {
		row.NonMembers = r.limits.nonMembers
		row.FalsePositives = falsePositives(r.never.listed, row.NonMembers)
	}
	report.Filters = append(report.Filters, row)
	report.Bytes += row.Bytes
	report.Exact += exactBytes(row.Planned, sourceBytes)
	report.Never = &r.never.report
	report.Never.Exact = exactBytes(report.Never.Listed, sourceBytes)
}

// Failure says which filter has lost a member, or that a source was blocked that must never be, or
// is nil.
func (r *Report) Failure() error {
	if r.Never != nil && r.Never.Blocked > 0 {
		return fmt.Errorf("%d packets and answers block a source that must never be blocked",
			r.Never.Blocked)
	}
	for _, f := range r.Filters {
		if f.Shadow == nil {
			continue
		}
		if err := f.Shadow.Alarm(); err != nil {
			return fmt.Errorf("%s filter: %w", f.Name, err)
		}
	}
	return nil
}

// String returns the report for people.
func (r *Report) String() string { return pivot.Text(r.Tables()...) }

// Tables are the report for people, without what is zero: the input; what became of its packets and
// sources; the filters' size and rates, their health, and what audits found; and the costs.
func (r *Report) Tables() []*pivot.Table {
	var shadows []sets.Found
	for _, f := range r.Filters {
		shadows = append(shadows, sets.Found{Filter: f.Name, Stats: f.Shadow})
	}
	return []*pivot.Table{r.input(), r.verdicts(), r.answers(), r.filters(), r.health(),
		sets.Shadows(shadows), r.neverBlock(), r.costs()}
}

func (r *Report) input() *pivot.Table {
	name := legible.Escape(r.Input)
	if r.Synthetic {
		name = "SYNTHETIC, generated and not captured: " + name
	}
	rows := [][]string{{"input", name}, {"packets", quantity.Count(r.Packets) + ", with " +
		quantity.Count(r.Payload) + " words of payload"}}
	if r.Damage != "" {
		rows = append(rows, []string{"DAMAGED", "this is the report of what could be read: " +
			legible.Escape(r.Damage)})
	}
	return pivot.Lines(rows)
}

func part(name string, count int, more string) pivot.Part[int] {
	return pivot.Part[int]{Name: name, Count: count, More: more}
}

func (r *Report) verdicts() *pivot.Table {
	v := &r.Verdicts
	return pivot.Shares("verdicts|packets|share", part(".  accepted", v.Accepted, ""),
		part("s  accepted, with a strike", v.Strike, ""),
		part("m  third strike: its source turned bad", v.ThirdStrike, ""),
		part("r  rejected: its source was bad before", v.Rejected, ""),
		part("-  no IP header", v.NoIP, ""))
}

func (r *Report) answers() *pivot.Table {
	s := &r.Sources
	t := pivot.Parts("answers at the end|sources|", part("good", s.Good, ""),
		part("bad, in the blocklist", s.Bad-s.Turned, ""),
		part("bad, blacklisted by a third strike", s.Turned, names(s)),
		part("unknown", s.Unknown, ""))
	if s.Unlisted > 0 {
		t.About = fmt.Sprintf("The sources of %s packets were not asked for: they are beyond %s.",
			quantity.Count(s.Unlisted), quantity.Count(MaxListed))
	}
	return t
}

// filters has those that have members.
func (r *Report) filters() *pivot.Table {
	return pivot.Rows("filters|members|planned|size|fill|rate planned|now|measured",
		pivot.Where(r.Filters, func(f FilterReport) bool { return f.Members > 0 }),
		func(f FilterReport) []string {
			measured := "not measured (--audit)"
			if f.NonMembers > 0 {
				rate := fmt.Sprintf("%.2g", float64(f.FalsePositives)/float64(f.NonMembers))
				if f.FalsePositives == 0 {
					answers := sample.Answers{NonMembers: f.NonMembers}
					rate = fmt.Sprintf("below %.2g", answers.Rate().High)
				}
				measured = fmt.Sprintf("%s (%s of %s non-members)", rate,
					quantity.Count(f.FalsePositives), quantity.Count(f.NonMembers))
			}
			return []string{f.Name, quantity.Count(f.Members), quantity.Count(f.Planned),
				quantity.Bytes(f.Bytes), quantity.Percent(f.Fill),
				fmt.Sprintf("%.2g", f.PlannedRate), fmt.Sprintf("%.2g", f.Rate), measured}
		})
}

// health has the filters in which members have come or gone.
func (r *Report) health() *pivot.Table {
	number := func(x float64) string { return fmt.Sprintf("%.3g", x) }
	changed := pivot.Where(r.Filters, func(f FilterReport) bool {
		return !f.Retouched && (f.Turnovers > 0 || f.Rebuilds > 0 || f.Due)
	})
	t := pivot.Rows("health|turnovers|planned|left|deletability|collided|rebuilt|rebuild",
		changed, func(f FilterReport) []string {
			due := map[bool]string{true: "due: more inserts than planned", false: "not due"}[f.Due]
			planned := number(f.PlannedTurnovers)
			if f.PlannedReinserts > 0 {
				planned = quantity.Part(f.PlannedReinserts, "re-insert") + " per insert"
			}
			return []string{f.Name, number(f.Turnovers), planned, number(f.TurnoversLeft),
				quantity.Percent(f.Deletability), quantity.Percent(f.Collided),
				quantity.Count(f.Rebuilds), due}
		})
	t.About = `A turnover replaces as many keys as there are. Deletability is the share of the keys
that a delete hides, and collided that of the bit positions where no delete clears a bit.`
	t.Class = func(row, column int) string {
		return map[bool]string{true: "bad"}[changed[row].Due && column == len(t.Columns)-1]
	}
	return t
}

// neverBlock has what was done so that no source of the list is blocked, and the price.
func (r *Report) neverBlock() *pivot.Table {
	n := r.Never
	if n == nil {
		return pivot.Empty("")
	}
	const blocked = "packets and answers that BLOCK one of the list"
	t := pivot.Parts("never blocked|number|", part("sources of the list", n.Listed, ""),
		part("of these, in the blocklist, and taken off it", n.InBlocklist, ""),
		part("others that the blocklist's filter hit by accident", n.Hit,
			quantity.Of(n.ClearedBits, "bit")+" cleared"),
		part("blocked sources that pass for that", n.Passing, ""),
		part("packets of blocked sources that pass", n.PassingPackets, ""),
		part("sources of the list that had a third strike", n.ListedSpared, "spared"),
		part("others that had one, with whom one of the list would be blocked", n.OthersSpared,
			"spared"),
		part(blocked, n.Blocked, "by exact sets"))
	t.About = fmt.Sprintf("Only third strikes need the list: %s of hashes; a Go map of it takes %s "+
		"(measured).", quantity.Bytes(n.Bytes), quantity.Bytes(n.Exact))
	t.Class = func(row, _ int) string {
		return map[bool]string{true: "bad"}[t.Rows[row][0] == blocked]
	}
	return t
}

// costs has what a run took, and the differences that its audit found.
func (r *Report) costs() *pivot.Table {
	per := func(n int) string { return quantity.SI(float64(n) / max(r.Seconds, 1e-9)) }
	rows := [][]string{
		{"deletions", fmt.Sprintf("from the good filter: %s cleared bits, %s retained (all bits "+
			"shared: still visible there)", quantity.Count(r.Cleared), quantity.Count(r.Retained))},
		{"history", fmt.Sprintf("exact state of %s in %s (limit %s), %s evicted",
			quantity.CountOf(r.History.Held, "source"), quantity.Bytes(r.History.Bytes),
			quantity.Count(r.History.Limit), quantity.Count(r.Evicted))},
		{"speed", fmt.Sprintf("%s packets/s, %s words/s, %s look-ups/s (%.3g s in the engine, "+
			"reading not included)", per(r.Packets), per(r.Words), per(r.Lookups), r.Seconds)},
		{"memory", fmt.Sprintf("filters %s; exact sets of as many keys as planned %s (Go maps, "+
			"measured)", quantity.Bytes(r.Bytes), quantity.Bytes(r.Exact))},
	}
	t, a := pivot.Lines(nil), r.Audit
	if a != nil {
		found := a.VerdictDifferences + a.AnswerDifferences
		first := len(rows)
		t.Class = func(row, _ int) string {
			return map[bool]string{true: "bad"}[found > 0 && row >= first]
		}
		rows = append(rows, []string{"audit", fmt.Sprintf("%s differences from exact sets in %s "+
			"verdicts, %s in %s answers", quantity.Count(a.VerdictDifferences),
			quantity.Count(r.Packets), quantity.Count(a.AnswerDifferences),
			quantity.Count(r.Sources.Listed))})
		for _, difference := range a.Differences {
			rows = append(rows, []string{"", difference})
		}
		if more := found - len(a.Differences); more > 0 {
			rows = append(rows, []string{"", "and " + quantity.Count(more) + " more"})
		}
	}
	t.Rows = rows
	return t
}

// names returns the sources that turned bad, the first of them.
func names(s *SourceReport) string {
	var text []string
	for _, source := range s.Blacklisted {
		text = append(text, source.String())
	}
	if s.Turned > len(text) {
		text = append(text, "…")
	}
	return strings.Join(text, ", ")
}
