package guard

import (
	"fmt"
	"net/netip"
)

// maxDifferences is the number of differences that an audit lists; it counts all.
const maxDifferences = 20

// audit runs the same rules on exact sets beside the filters.
type audit struct {
	engine      *Engine
	lookups     *recorder
	packets     int
	verdicts    []Verdict // of a batch
	differences []string
	inVerdicts  int
	inAnswers   int
}

func newAudit(config Config, filters *Filters, limits limits) (*audit, error) {
	sets := NewExactSets()
	lookups := &recorder{Deleter: sets.Sequences.Deleter, of: filters.Sequences, limit: limits.recorded}
	sets.Sequences = Set{lookups, filters.Sequences.Key()}
	engine, err := NewEngine(sets, config.History, config.Blocklist, config.Sequences)
	return &audit{engine: engine, lookups: lookups, differences: []string{}}, err
}

// process puts a batch through exact sets and compares the verdicts with those of the filters.
func (a *audit) process(batch *Batch, found []Verdict) error {
	var err error
	if a.verdicts, err = a.engine.Process(a.verdicts[:0], batch); err != nil {
		return err
	}
	for i, exact := range a.verdicts {
		a.packets++
		if found[i] != exact {
			a.inVerdicts++
			source, _ := batch.Packet(i)
			a.list("packet %d of %s: filters %c, exact %c", a.packets, source, found[i], exact)
		}
	}
	return nil
}

// compare compares the final answers.
func (a *audit) compare(engine *Engine, sources []netip.Addr) {
	for _, source := range sources {
		if found, exact := engine.Answer(source), a.engine.Answer(source); found != exact {
			a.inAnswers++
			a.list("source %s: filters %s, exact %s", source, found, exact)
		}
	}
}

func (a *audit) list(format string, args ...any) {
	if len(a.differences) < maxDifferences {
		a.differences = append(a.differences, fmt.Sprintf(format, args...))
	}
}
