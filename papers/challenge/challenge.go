// Package challenge is no API: it builds and measures the packet tracker of an exercise, Bippert,
// Rothrock and Yurish, "Bloom Filter Executive Summary". The exercise asks its students which
// deletable filter a firewall should use, and has no results. The part that is last, and
// docs/choosing.md, have the answer.
//
// # The tracker
//
// A packet has a source of 32 bits and words of 32 bits: one as the exercise has it, more in a real
// capture. Three filters are asked: the good sources, the bad ones, and the known bad sequences, of
// one to three words. A packet of a bad source is rejected. A sequence that a source sends, also
// across packets, is a strike; with the third strike the source is deleted from the good set and
// inserted into the bad one. In the end both are asked about sources.
//
// Its filters are of m = -n ln P / (ln 2)^2 bits and k = (m/n) ln 2 hashes, with P = 0.001. A hash
// is MurmurHash3 of 32 bits with a random seed, modulo m. It deletes by a collision flag per bit,
// by 4-bit counters, or by a second filter of the deleted.
//
// What it leaves undefined is a parameter, and the alternatives are measured:
//
//   - A strike: the longest sequence that ends with a word, which then belongs to no other; or each
//     of them; or one per packet; or, as one sentence has it, three bad packets, each with a word
//     of a sequence.
//   - Which packets insert their source: the first, by an exact table; or all; or those whose
//     source the filter does not show.
//   - Whether the good set is asked before the bad one.
//   - A flag: for a bit that is one already, or for one that another element has set.
//   - How k is rounded.
//   - Whether sources are ever forgotten. The exercise forgets none. A firewall must: with a limit,
//     the source that was not seen for longest is deleted.
//
// # Ways to delete
//
// The exercise cites a survey (Tarkoma and others, not at hand) for at least eight variants that
// delete. Ten are here: its own three; regions, as in the letter; this project's blocks, alone and
// refreshed; rolling, spectral and elastic filters; and a cuckoo filter. Beside them is an exact
// table. Not here are d-left counting, dynamic filters with counters, time-decaying filters,
// variable-length signatures and the ternary filter, which docs/filters-not-built.md has; the
// bitwise filter, whose counts nobody asks for here; and stable and A² filters, which forget by
// themselves.
//
// The traces are a real capture, and a synthetic one of 10,000 sources, which come and go, and
// 400,000 packets. At equal memory is: in that of a collision array with its bits. Elastic filters
// and the exact table take more.
//
// # What it finds
//
// The numbers are those of a run with --short.
//
//   - Its formulas hold. A k that is cut, to 9, costs 2 % of the rate.
//   - 32 bits modulo m cost nothing while m is below 2^26 or so. At 3 × 2^30 the rate is 1.66 times
//     as high. Beyond 2^32, with 298,726,562 elements or more, some bits have no hash: it is 57
//     times as high at 2^33, and 528 times at 2^34.
//   - Seeds do not make MurmurHash3 independent for keys of one word: see [SharedIndexes].
//   - "3+ bad packets" block 2.4 times as many sources as three sequences.
//   - Where each packet inserts its source, no delete clears. Where the filter is asked before,
//     members are lost.
//   - P is a rate per query, and three mistakes of the sequences' filter block a source: of the
//     innocent ones 0.8 % are blocked at P = 0.001, not 0.1 %. In the capture that takes 72 % of
//     the innocent packets.
//   - All answers and verdicts are right in 87 % of the runs with 10 sources, in a third of those
//     with 100, and in none with 1,000.
//   - A second filter loses nobody while few are deleted. Where sources come back it loses 19 of
//     20.
//   - At equal memory counters show nearly 50 times the non-members of a collision array while few
//     are deleted, and less than a tenth after 12 turnovers.
//   - Where the good set is asked first and sources come and go, 22 % of the guilty packets pass
//     the collision array, 62 % the letter's regions, 0.9 % the refreshed blocks, and none a cuckoo
//     filter.
//   - The size need not double: a cuckoo filter takes 13.7 bits per source where one that does not
//     delete takes 14.4. From P = 0.0002 on an exact table takes less than a collision array and
//     its bits.
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
		Name: "challenge",
		Title: "Bippert, Rothrock, Yurish: Bloom Filter Executive Summary. An exercise without " +
			"results of its own",
		Flags: func(flags *pflag.FlagSet) {
			flags.StringVar(&path, "capture", "",
				"take the real packets from this pcap or pcapng file, not from "+
					"the module that reads captures")
		},
		Parts: func() ([]claim.Part, error) {
			s, err := newStudy(path)
			if err != nil {
				return nil, err
			}
			return []claim.Part{
				s.makeTraces, guaranteed, modulo, seeds, s.readings, s.insertions, flags,
				s.verdicts, s.runs,
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
	asked     int        // non-members by which a rate of churned is found, at standard
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

// makeTraces makes the synthetic traces, of a fifth of the sources for what takes long in a short
// run.
func (s *study) makeTraces(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	of := func(n int) *trace {
		return trials.Each(run, "trace", 1,
			func(rng *rand.Rand) *trace { return synthetic(rng, n) })[0]
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
