// Package challenge is no API: it builds and measures the packet tracker of a programming exercise, "Bloom Filter
// Executive Summary" by Bippert, Rothrock and Yurish, and answers the question that it leaves to its students:
// which deletable filter should a firewall use?
package challenge

import (
	"math/rand/v2"

	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// New returns the paper.
func New() *claim.Paper {
	var path string
	return &claim.Paper{
		Name:  "challenge",
		Title: "Bippert, Rothrock, Yurish: Bloom Filter Executive Summary. An exercise without results of its own",
		Flags: func(flags *pflag.FlagSet) {
			flags.StringVar(&path, "capture", "", "take the real packets from this pcap or pcapng file, not from "+
				"the module that reads captures")
		},
		Parts: func() ([]claim.Part, error) {
			s, err := newStudy(path)
			if err != nil {
				return nil, err
			}
			return []claim.Part{
				s.makeTraces, guaranteed, modulo, seeds, s.readings, s.insertions, flags, s.verdicts, s.runs,
				s.asTold, s.bounded, s.rates, s.sentences, sizes, s.answer,
			}, nil
		},
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
	standard     = 1e-3
	standardRate = 1 // in falseRates
	lowRate      = 3 // the one for the sequences
)

// study is what the parts of a run share.
type study struct {
	captured  *trace
	whole     *trace     // the synthetic one
	synthetic *trace     // the same, or a smaller one in a short run
	told      comparison // as the document has it: nobody leaves but who is blocked
	few       comparison // with a limit on the sources
	churned   []curve
	blocking  []blocking // by falseRates
}

func newStudy(path string) (s *study, err error) {
	s = &study{}
	if path == "" {
		if path, err = defaultCapture(); err != nil {
			return nil, err
		}
	}
	s.captured, err = readCapture(rand.New(rand.NewPCG(4, 4)), path)
	return s, err
}

// makeTraces makes the synthetic traces, of a fifth of the sources for what takes long in a short run.
func (s *study) makeTraces(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	of := func(n int) *trace {
		return trials.Each(run, "trace", 1, func(rng *rand.Rand) *trace { return synthetic(rng, n) })[0]
	}
	s.whole = of(sources)
	s.synthetic = s.whole
	if run.Short {
		s.synthetic = of(sources / 5)
	}
	return nil, nil
}

// number returns a number of trials, of which a short run takes a part.
func number(run *trials.Run, full, short int) int {
	if run.Short {
		return short
	}
	return full
}

// mean returns the mean of a number of each trial.
func mean[T any](results []T, of func(*T) float64) claim.Interval {
	return claim.Mean(trials.Column(results, of))
}

// none is what is published of something that never happens.
func none() claim.Published { return claim.Rounded(0, 0) }
