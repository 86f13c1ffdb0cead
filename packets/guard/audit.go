package guard

import (
	"fmt"
	"net/netip"
)

// maxDifferences is the number of differences that an audit lists; it counts all.
const maxDifferences = 20

// Audit says where filters and exact sets differ.
type Audit struct {
	VerdictDifferences int      `json:"verdict_differences"`
	AnswerDifferences  int      `json:"answer_differences"`
	Differences        []string `json:"differences"` // the first ones
}

// audit runs the same rules on exact sets beside the filters.
type audit struct {
	Audit
	engine   *Engine
	packets  int
	verdicts []Verdict // of a batch

	never  *neverBlock         // or nil
	listed map[netip.Addr]bool // the sources never to block
}

// process puts a batch through exact sets and compares the verdicts with those of the filters.
func (a *audit) process(batch []Packet, found []Verdict) error {
	var err error
	if a.verdicts, err = a.engine.Process(a.verdicts[:0], batch); err != nil {
		return err
	}
	for i, exact := range a.verdicts {
		a.packets++
		a.count(batch[i].Source, found[i] == Rejected || found[i] == ThirdStrike)
		if found[i] != exact {
			a.VerdictDifferences++
			a.list("packet %d of %s: filters %c, exact %c", a.packets, batch[i].Source,
				found[i], exact)
		}
	}
	return nil
}

// compare compares the final answers.
func (a *audit) compare(engine *Engine, sources []netip.Addr) {
	for source := range a.listed {
		if engine.Answer(source) == Bad {
			a.never.report.Blocked++
		}
	}
	for _, source := range sources {
		if found, exact := engine.Answer(source), a.engine.Answer(source); found != exact {
			a.AnswerDifferences++
			a.list("source %s: filters %s, exact %s", source, found, exact)
		}
	}
}

// count counts a packet of a source that must never be blocked, or of one of the blocklist that
// passes.
func (a *audit) count(source netip.Addr, blocked bool) {
	switch {
	case a.never == nil:
	case blocked && a.listed[source]:
		a.never.report.Blocked++
	case !blocked && a.never.passing[source]:
		a.never.report.PassingPackets++
	}
}

func (a *audit) list(format string, args ...any) {
	if len(a.Differences) < maxDifferences {
		a.Differences = append(a.Differences, fmt.Sprintf(format, args...))
	}
}
