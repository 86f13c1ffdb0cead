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
// What the exercise leaves undefined is a parameter here, and the alternatives are measured:
//
//   - What a strike is: the longest sequence that ends with a word, whose words then belong to no
//     other sequence; each sequence; one per packet; or, as one sentence of the exercise has it,
//     three bad packets, each with a word of a sequence.
//   - Which packets insert their source: the first one, by an exact table; all of them; or those
//     whose source the filter does not show.
//   - Whether the good set is queried before the bad one.
//   - What sets a flag: a bit that is set already, or one that another element has set.
//   - How k is rounded.
//   - Whether sources are ever forgotten. The exercise forgets none. A firewall must: with a limit,
//     it deletes the source that it has not seen for the longest time.
//
// # Ways to delete
//
// The exercise cites a survey (Tarkoma and others, not at hand) for at least eight variants that
// delete. Ten are here: the three of the exercise; regions, as in the letter; this project's
// blocks, alone and refreshed; rolling, spectral and elastic filters; and a cuckoo filter. An exact
// table stands beside them. Five variants are not here, and docs/filters-not-built.md describes
// them: d-left counting, dynamic filters with counters, time-decaying filters, variable-length
// signatures and the ternary filter. Nor are the bitwise filter, because nothing asks for counts
// here, and the stable and A² filters, because they forget by themselves.
//
// The traces are a real capture, and a synthetic one of 400,000 packets from 10,000 sources that
// come and go. "At equal memory" means the memory of a collision array with its bits. Elastic
// filters and the exact table need more.
//
// docs/papers/challenge.md has what is found.
package challenge

import (
	_ "embed"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

//go:embed findings.md
var findings string

//go:embed claims.tsv
var claims string

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
		Table: claims, Findings: findings,
		Quantities: func(run *trials.Run) (claim.Quantities, error) {
			s, err := newStudy(run, path)
			if err != nil {
				return nil, err
			}
			return s.quantities(), nil
		},
		Figures: figures,
	}
}

// The names of formulas.
const (
	formula   = "formula"    // the document's, or ours for its hashes
	meanField = "mean field" // takes the sources as independent
)

// falseRates are the P that are looked at. The document's default is standard.
var falseRates = []float64{1e-2, standard, 1e-4, 1e-5, 1e-6}

const (
	standard = 1e-3
	toldRate = 1e-4 // a short run measures no lower rate over a trace: no sentence is about one
)

// study is what the quantities of a run share.
type study struct {
	run      *trials.Run
	captured *trace
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

// number returns a number of trials, of which a short run takes a part.
func (s *study) number(full, short int) int {
	if s.run.Short {
		return short
	}
	return full
}

// whole is the synthetic trace, and sampled the same of a fifth of the sources, for what takes long
// in a short run.
func (s *study) whole() *trace   { return s.synthetic(sources) }
func (s *study) sampled() *trace { return s.synthetic(s.number(sources, sources/5)) }

func (s *study) synthetic(n int) *trace {
	return trials.RecallOf(s.run, "trace", synthesized(n), 1,
		func(rng *rand.Rand) *trace { return synthetic(rng, n) })[0]
}

// traceOf returns the trace of a claim.
func (s *study) traceOf(at claim.Parameters) *trace {
	if at.Text("trace") == s.captured.name {
		return s.captured
	}
	return s.sampled()
}

// truth is what exact sets make of a trace.
type truth struct {
	outcome
	sets
	bad exactSources // in the end
}

func (s *study) truth(r rules, t *trace) *truth {
	return trials.RecallOf(s.run, "truth", named(r, t), 1, func(*rand.Rand) *truth {
		out, all := r.exactly(t)
		return &truth{out, all, all.bad.(exactSources)}
	})[0]
}
