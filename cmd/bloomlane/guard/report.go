package guard

import (
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// maxNamed is the number of bad sources that a report names.
const maxNamed = 8

// Report is what a run found out. Sizes are in bytes; rates of filters are false-positive rates.
type Report struct {
	Input     string         `json:"input"`
	Synthetic bool           `json:"synthetic"`        // the packets were generated, not captured
	Damage    string         `json:"damage,omitempty"` // the error that ended the input before its end
	Packets   int            `json:"packets"`
	Words     int            `json:"words"`
	Looked    int            `json:"words_looked_at"` // not those of rejected packets, nor behind a third strike
	Strikes   int            `json:"strikes"`
	Verdicts  VerdictCounts  `json:"verdicts"`
	Sources   SourceReport   `json:"sources"`
	Filters   []FilterReport `json:"filters"`
	Deletions Deletions      `json:"deletions"`
	History   HistoryReport  `json:"history"`
	Speed     Speed          `json:"speed"`
	Memory    Memory         `json:"memory"`
	Audit     *AuditReport   `json:"audit,omitempty"`
}

// VerdictCounts are numbers of packets.
type VerdictCounts struct {
	Accepted    int `json:"accepted"`
	Strike      int `json:"strike"`
	ThirdStrike int `json:"third_strike"`
	Rejected    int `json:"rejected"`
	NoIP        int `json:"no_ip"`
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

// FilterReport is about a filter.
type FilterReport struct {
	Name        string  `json:"name"`
	Members     int     `json:"members"`
	Planned     int     `json:"planned_members"`
	Bytes       int     `json:"bytes"`
	PlannedRate float64 `json:"planned_rate"` // at the end of the planned turnovers
	Rate        float64 `json:"rate"`         // expected with the bits that are set now
	Health      Health  `json:"health"`
	// Only with an audit: how many of the strangers were present.
	Strangers      int `json:"strangers,omitempty"`
	FalsePositives int `json:"false_positives"`
}

// Health is how a filter fares against its plan, since it was built anew.
type Health struct {
	Turnovers        float64 `json:"turnovers"`
	PlannedTurnovers float64 `json:"planned_turnovers"`
	TurnoversLeft    float64 `json:"turnovers_left"` // by the rate now
	Deletable        float64 `json:"deletable"`      // expected part of the members
	Collided         float64 `json:"collided"`       // part of the regions
	Rebuilds         int     `json:"rebuilds"`       // so far
	Due              bool    `json:"rebuild_due"`
}

// Deletions are deletions from the good filter: of third strikes and of evictions.
type Deletions struct {
	Cleared  int `json:"cleared"`  // cleared bits
	Retained int `json:"retained"` // all bits collided: the source stays visible in the good filter
}

// HistoryReport is about the exact states.
type HistoryReport struct {
	Limit   int `json:"limit"`
	Held    int `json:"held"`
	Evicted int `json:"evicted"`
	Bytes   int `json:"bytes"` // measured, of those held
}

// Speed is about the time in the engine: not that of reading the input.
type Speed struct {
	Seconds          float64 `json:"seconds"`
	PacketsPerSecond float64 `json:"packets_per_second"`
	WordsPerSecond   float64 `json:"words_per_second"`
	Lookups          int     `json:"lookups"`
	LookupsPerSecond float64 `json:"lookups_per_second"`
}

// Memory holds the three filters against exact sets, Go maps, which were measured.
type Memory struct {
	Filters      int `json:"filters"`
	ExactPlanned int `json:"exact_planned"` // of as many keys as the filters are planned for
	ExactNow     int `json:"exact_now"`     // of as many keys as are members now
}

// AuditReport says where filters and exact sets differ.
type AuditReport struct {
	VerdictDifferences int      `json:"verdict_differences"`
	AnswerDifferences  int      `json:"answer_differences"`
	Differences        []string `json:"differences"` // the first ones

	// How fast each implementation answers the run's look-ups of bad sequences.
	Kernels []KernelSpeed `json:"kernels"`
}

// Report takes stock of the run, whose input is given by its name and origin.
func (r *Run) Report(input string, synthetic bool) *Report {
	counts := r.engine.Counts()
	report := &Report{
		Input:     input,
		Synthetic: synthetic,
		Packets:   counts.Packets(),
		Words:     r.words,
		Looked:    counts.Words,
		Strikes:   counts.Strikes,
		Verdicts:  VerdictCounts{counts.Accepted, counts.Struck, counts.Blacklisted, counts.Rejected, counts.NoIP},
		Sources:   r.sourceReport(),
		Deletions: Deletions{counts.Cleared, counts.Retained},
		History:   HistoryReport{r.config.History, r.engine.Held(), counts.Evicted, stateBytes(r.engine.Held())},
		Speed:     Speed{Seconds: r.elapsed.Seconds(), Lookups: counts.Lookups},
	}
	if r.damage != nil {
		report.Damage = r.damage.Error()
	}
	if seconds := report.Speed.Seconds; seconds > 0 {
		report.Speed.PacketsPerSecond = float64(report.Packets) / seconds
		report.Speed.WordsPerSecond = float64(report.Looked) / seconds
		report.Speed.LookupsPerSecond = float64(counts.Lookups) / seconds
	}
	r.reportFilters(report)
	if r.audit != nil {
		r.audit.compare(r.engine, r.Sources())
		report.Audit = &AuditReport{r.audit.inVerdicts, r.audit.inAnswers, r.audit.differences, r.audit.lookups.speeds()}
	}
	return report
}

func (r *Run) sourceReport() SourceReport {
	blocked := make(map[netip.Addr]bool, len(r.config.Blocklist))
	for _, source := range r.config.Blocklist {
		blocked[source] = true
	}
	sources := r.Sources()
	s := SourceReport{Listed: len(sources), Unlisted: r.roster.unlisted, Blacklisted: []netip.Addr{}}
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
	const sourceBytes, sequenceBytes = 4, maxSequence * wordBytes // of keys; those of IPv6 are longer
	for _, f := range []struct {
		name     string
		filter   *deletable.Filter
		length   int
		rebuilds int
	}{
		{"good", r.filters.Good, sourceBytes, r.filters.Rebuilds},
		{"bad", r.filters.Bad, sourceBytes, 0},
		{"sequences", r.filters.Sequences, sequenceBytes, 0},
	} {
		health := f.filter.Health()
		row := FilterReport{
			Name:        f.name,
			Members:     health.Members,
			Planned:     health.Planned,
			Bytes:       health.Bytes,
			PlannedRate: health.PlannedRate,
			Rate:        health.Rate,
			Health: Health{
				Turnovers:        health.Turnovers,
				PlannedTurnovers: health.PlannedTurnovers,
				TurnoversLeft:    health.TurnoversLeft,
				Deletable:        health.Deletable,
				Collided:         float64(health.Collided) / float64(health.Regions),
				Rebuilds:         f.rebuilds,
				Due:              health.Due != nil,
			},
		}
		if r.audit != nil {
			row.Strangers, row.FalsePositives = r.limits.strangers, falsePositives(setOf(f.filter), r.limits.strangers)
		}
		report.Filters = append(report.Filters, row)
		report.Memory.Filters += health.Bytes
		report.Memory.ExactPlanned += exactBytes(health.Planned, f.length)
		report.Memory.ExactNow += exactBytes(health.Members, f.length)
	}
}

// Write writes the report for people.
func (r *Report) Write(w io.Writer) error {
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }

	if r.Synthetic {
		line("SYNTHETIC input, generated and not captured: %s", r.Input)
	} else {
		line("input %s", r.Input)
	}
	line("  %s packets with %s words of payload", quantity.Count(r.Packets), quantity.Count(r.Words))
	if r.Damage != "" {
		line("  DAMAGED: this is the report of what could be read")
	}

	const row = "  %-42s %12s"
	line("\nverdicts")
	for _, v := range []struct {
		verdict Verdict
		meaning string
		count   int
	}{
		{Accepted, "accepted", r.Verdicts.Accepted},
		{Strike, "accepted, with a strike", r.Verdicts.Strike},
		{ThirdStrike, "third strike: its source turned bad", r.Verdicts.ThirdStrike},
		{Rejected, "rejected: its source was bad before", r.Verdicts.Rejected},
		{NoIP, "no IP header", r.Verdicts.NoIP},
	} {
		line(row+" packets", string(v.verdict)+"  "+v.meaning, quantity.Count(v.count))
	}

	line("\nanswers at the end")
	line(row+" sources", "good", quantity.Count(r.Sources.Good))
	line(row+" sources", "bad, in the blocklist", quantity.Count(r.Sources.Bad-r.Sources.Turned))
	line(row+" sources%s", "bad, blacklisted by a third strike", quantity.Count(r.Sources.Turned), names(r.Sources))
	line(row+" sources", "unknown", quantity.Count(r.Sources.Unknown))
	if r.Sources.Unlisted > 0 {
		line(row+" packets", fmt.Sprintf("not asked: sources beyond %s", quantity.Count(MaxListed)), quantity.Count(r.Sources.Unlisted))
	}

	line("\n%-11s %10s %10s %11s   false positives: planned, expected now, measured", "filters", "members", "planned", "size")
	for _, f := range r.Filters {
		measured := "not measured (--audit)"
		if f.Strangers > 0 {
			measured = fmt.Sprintf("%.2g (%s of %s strangers)",
				float64(f.FalsePositives)/float64(f.Strangers), quantity.Count(f.FalsePositives), quantity.Count(f.Strangers))
		}
		line("  %-9s %10s %10s %11s   %.2g, %.2g, %s", f.Name, quantity.Count(f.Members), quantity.Count(f.Planned), quantity.Bytes(f.Bytes),
			f.PlannedRate, f.Rate, measured)
	}

	line("\n%-11s %10s %10s %10s %11s %11s %10s", "health", "turnovers", "planned", "left", "deletable", "collided", "rebuilt")
	for _, f := range r.Filters {
		due := ""
		if f.Health.Due {
			due = "   due: more inserts than planned"
		}
		line("  %-9s %10.3g %10.3g %10.3g %9.3g %% %9.3g %% %10s%s", f.Name, f.Health.Turnovers, f.Health.PlannedTurnovers, f.Health.TurnoversLeft,
			100*f.Health.Deletable, 100*f.Health.Collided, quantity.Count(f.Health.Rebuilds), due)
	}

	text.WriteString("\n" + r.summary())
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("guard: write the report: %w", err)
	}
	return nil
}

// summary returns the lines below the tables.
func (r *Report) summary() string {
	var text strings.Builder
	line := func(topic, format string, args ...any) {
		fmt.Fprintf(&text, "%-10s %s\n", topic, fmt.Sprintf(format, args...))
	}
	line("deletions", "from the good filter: %s cleared bits, %s retained (all bits shared: still visible there)",
		quantity.Count(r.Deletions.Cleared), quantity.Count(r.Deletions.Retained))
	line("history", "exact state of %s sources in %s (limit %s), %s evicted",
		quantity.Count(r.History.Held), quantity.Bytes(r.History.Bytes), quantity.Count(r.History.Limit), quantity.Count(r.History.Evicted))
	line("speed", "%s packets/s, %s words/s, %s look-ups/s (%.3g s in the engine, reading not included)",
		quantity.SI(r.Speed.PacketsPerSecond, ""), quantity.SI(r.Speed.WordsPerSecond, ""), quantity.SI(r.Speed.LookupsPerSecond, ""),
		r.Speed.Seconds)
	if r.Audit != nil && len(r.Audit.Kernels) > 0 {
		var speeds []string
		for _, kernel := range r.Audit.Kernels {
			speeds = append(speeds, fmt.Sprintf("%s %s look-ups/s", kernel.Implementation, quantity.SI(kernel.LookupsPerSecond, "")))
		}
		line("kernels", "%s (the same look-ups of sequences, hashed before)", strings.Join(speeds, ", "))
	}
	line("memory", "filters %s; exact sets of the planned keys %s, of the present members %s (Go maps, measured)",
		quantity.Bytes(r.Memory.Filters), quantity.Bytes(r.Memory.ExactPlanned), quantity.Bytes(r.Memory.ExactNow))
	if r.Audit != nil {
		line("audit", "%s differences from exact sets in %s verdicts, %s in %s answers",
			quantity.Count(r.Audit.VerdictDifferences), quantity.Count(r.Packets), quantity.Count(r.Audit.AnswerDifferences), quantity.Count(r.Sources.Listed))
		for _, difference := range r.Audit.Differences {
			line("", "%s", difference)
		}
		if more := r.Audit.VerdictDifferences + r.Audit.AnswerDifferences - len(r.Audit.Differences); more > 0 {
			line("", "and %s more", quantity.Count(more))
		}
	}
	return text.String()
}

// names returns the sources that turned bad, as the end of a line.
func names(s SourceReport) string {
	if s.Turned == 0 {
		return ""
	}
	var text []string
	for _, source := range s.Blacklisted {
		text = append(text, source.String())
	}
	if s.Turned > len(s.Blacklisted) {
		text = append(text, "…")
	}
	return ": " + strings.Join(text, ", ")
}
