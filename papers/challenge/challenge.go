// Package challenge is no API: it builds and measures the packet tracker of an exercise (Bippert,
// Rothrock and Yurish, "Bloom Filter Executive Summary"). The exercise asks students which
// deletable filter a firewall should use, and gives no results.
//
// # The tracker
//
// A packet has a source of 32 bits and words of 32 bits: one word in the exercise, several in a
// real capture. The tracker queries three filters: the good sources, the bad sources, and the known
// bad sequences of one to three words. It rejects a packet of a bad source. A bad sequence that a
// source sends, also across packets, is a strike. With the third strike the tracker deletes the
// source from the good set and inserts it into the bad one. At the end both sets are queried for
// sources.
//
// The exercise's filters have m = -n ln P / (ln 2)^2 bits and k = (m/n) ln 2 hashes, with P =
// 0.001. A hash is MurmurHash3 of 32 bits with a random seed, modulo m. A filter deletes by a
// collision flag per bit, by counters of 4 bits, or by a second filter of what was deleted.
//
// What the exercise leaves undefined is a parameter here (rules, and cells.ofOthers), and the
// alternatives are measured.
//
// # Ways to delete
//
// The exercise cites a survey (Tarkoma and others, not at hand) for at least eight variants that
// delete. Ten are here (variants), with an exact table beside them, and
// docs/filters-not-built.md describes five that are not. Nor are the bitwise filter, because
// nothing asks for counts here, and the stable and A² filters, because they forget by themselves.
//
// The traces are a real capture, and a synthetic one of 400,000 packets from 10,000 sources that
// come and go. "At equal memory" means the memory of a collision array with its bits. Elastic
// filters and the exact table need more.
//
// docs/papers/challenge.md has what is found.
package challenge

import (
	"embed"
	"math/rand/v2"
	"sync"

	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

//go:embed claims.tsv figures.tsv findings.md
var files embed.FS

// New returns the paper.
func New() *claim.Paper {
	var path string
	return &claim.Paper{
		Name: "challenge",
		Title: "Bippert, Rothrock, Yurish: Bloom Filter Executive Summary. An exercise without " +
			"results of its own",
		Flags: func(flags *pflag.FlagSet) {
			flags.StringVar(&path, "capture", "",
				"take the real packets from this pcap or pcapng file, not from "+
					"the module that reads captures")
		},
		Files: files,
		Quantities: func(run *trials.Run) (claim.Quantities, error) {
			s, err := newStudy(run, path)
			if err != nil {
				return nil, err
			}
			return s.quantities(), nil
		},
	}
}

// The names of formulas.
const (
	formula   = "formula"    // the document's, or ours for its hashes
	atMost    = "at most"    // with 95 % certainty
	meanField = "mean field" // takes the sources as independent
)

const (
	standard = 1e-3 // the document's P
	toldRate = 1e-4 // a short run measures no lower rate over a trace: no sentence is about one
)

// study is what the quantities of a run share.
type study struct {
	run       *trials.Run
	captured  *trace
	recalling sync.Mutex
}

func newStudy(run *trials.Run, path string) (s *study, err error) {
	s = &study{run: run}
	if path == "" {
		if path, err = defaultCapture(); err != nil {
			return nil, err
		}
	}
	s.captured, err = readCapture(rand.New(rand.NewPCG(4, 4)), path)
	return s, err
}

// recall makes once what trials share; trials on all cores may call it.
func recall[T any](s *study, name, subject string, create func(rng *rand.Rand) T) T {
	s.recalling.Lock()
	defer s.recalling.Unlock()
	return trials.RecallOf(s.run, name, subject, 1, create)[0]
}

// number returns a number of trials, of which a short run takes a part.
func (s *study) number(full, short int) int {
	if s.run.Short {
		return short
	}
	return full
}

// whole is the synthetic trace, and sampled the same of a tenth of the sources, for what takes long
// in a short run.
func (s *study) whole() *trace   { return s.synthetic(sources) }
func (s *study) sampled() *trace { return s.synthetic(s.number(sources, sources/10)) }

func (s *study) synthetic(n int) *trace {
	return recall(s, "trace", synthesized(n),
		func(rng *rand.Rand) *trace { return synthetic(rng, n) })
}

// traceOf returns the trace of a claim.
func (s *study) traceOf(at claim.Parameters) *trace {
	switch at.Word("trace", "", s.captured.name, "synthetic", "whole") {
	case s.captured.name:
		return s.captured
	case "whole":
		return s.whole()
	}
	return s.sampled()
}

func (s *study) truth(r rules, t *trace) *truth {
	return recall(s, "truth", named(r, t), func(*rand.Rand) *truth { return r.exactly(t) })
}
