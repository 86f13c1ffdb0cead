package retouched

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// setting is a stop set in a cycle of traces. A list has m = 0, a Bloom filter β = 0.
type setting struct {
	m        int
	beta     float64
	improved bool
	cycle    int
	k        int // where it is another one than 5
}

const tuned, tunedBeta = 60_000, 0.25 // "suggested by previous studies"

var (
	list  = setting{cycle: 1}
	sizes = []int{10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000, 100_000}
	some  = []float64{0.01, 0.05, 0.1, 0.25}
)

func bloom(m int) setting             { return setting{m: m, cycle: 1} }
func rbf(m int, beta float64) setting { return setting{m: m, beta: beta, cycle: 1} }
func (s setting) by(k int) setting    { s.k = k; return s }
func (s setting) better() setting     { s.improved = true; return s }
func (s setting) later(c int) setting { s.cycle = c; return s }
func (s setting) String() string {
	switch {
	case s.m == 0:
		return "list"
	case s.beta == 0:
		return "Bloom filter"
	case s.improved:
		return "improved RBF, β = " + percent(s.beta)
	}
	return "RBF, β = " + percent(s.beta)
}

// stopping is the trials of the case study.
type stopping struct {
	results []map[setting]probed
	swept   []float64 // β of figure 18
	traffic []int     // of the false positives of a filter, in the first trial
	seen    float64   // addresses that are no penultimate nodes, in the first trial
	hops    float64   // of a trace, on average
}

// simulate runs the trials: a learning cycle, and then cycles in which each stop set is asked.
func (s *stopping) simulate(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	number, step := runs, 1
	if run.Short {
		number, step = 5, 6
	}
	for i := 1; i <= 100; i++ {
		if i%step == 0 || i == 1 || i == 10 || i == 30 || i == 100 {
			s.swept = append(s.swept, float64(i)/100)
		}
	}
	type result struct {
		of         map[setting]probed
		traffic    []int
		seen, hops float64
	}
	results := trials.Each(run, "case study", number, func(rng *rand.Rand) (r result) {
		r.of = map[setting]probed{}
		n := newInternet(rng)
		set := learn(rng, n.trace(), n.addresses)
		r.seen, r.hops = float64(len(set.others)), set.hops()
		n.change()
		c := n.trace()
		c.number()
		set.hash(rng, n.addresses)
		r.of[list] = c.probe(set.list)
		for _, m := range sizes {
			f, positives := set.bloom(m, hashes)
			r.of[bloom(m)] = c.probe(set.by(f))
			ask := func(at setting, by retouched.Algorithm) {
				r.of[at] = c.probe(set.by(set.retouch(f, positives, at.beta, by)))
			}
			for _, beta := range some {
				ask(rbf(m, beta), retouched.Ratio)
				ask(rbf(m, beta).better(), retouched.ImprovedRatio)
			}
			if m == tuned || m == sizes[0] {
				for _, beta := range s.swept {
					ask(rbf(m, beta), retouched.Ratio)
				}
			}
			if m == tuned {
				for _, a := range set.others {
					if f.QueryHash(set.hashes[a]) {
						r.traffic = append(r.traffic, set.traffic[a])
					}
				}
			}
			for k := 1; k < hashes; k++ {
				f, positives := set.bloom(m, k)
				r.of[bloom(m).by(k)] = c.probe(set.by(f))
				if k > 1 {
					continue
				}
				for _, beta := range append([]float64{0.3, 1}, some...) {
					touched := set.retouch(f, positives, beta, retouched.Ratio)
					r.of[rbf(m, beta).by(k)] = c.probe(set.by(touched))
				}
			}
		}
		f, positives := set.bloom(tuned, hashes)
		touched := set.retouch(f, positives, tunedBeta, retouched.Ratio)
		for cycle := 2; cycle <= 10; cycle++ {
			n.change()
			c, at := n.trace(), rbf(tuned, tunedBeta)
			set.hash(rng, n.addresses)
			r.of[list.later(cycle)] = c.probe(set.list)
			r.of[at.later(cycle)] = c.probe(set.by(touched))
		}
		return r
	})
	s.traffic, s.seen, s.hops = results[0].traffic, results[0].seen, results[0].hops
	for _, r := range results {
		s.results = append(s.results, r.of)
	}
	return nil, nil
}

func (s *stopping) of(at setting, r measure) []float64 {
	return trials.Column(s.results, func(of *map[setting]probed) float64 { return r.of((*of)[at]) })
}

func (s *stopping) mean(at setting, r measure) claim.Interval { return claim.Mean(s.of(at, r)) }

// less returns by how much a rate is more with one stop set than with another, for the same traces.
func (s *stopping) less(at, than setting, r measure) claim.Interval {
	return claim.Difference(s.of(at, r), s.of(than, r))
}

// ratio returns a rate as a multiple of that with another stop set.
func (s *stopping) ratio(at, than setting, r measure) claim.Interval {
	return claim.Ratio(s.of(at, r), s.of(than, r))
}

// part returns by what part a number is less with one stop set than with another.
func (s *stopping) part(at, than setting, r measure) claim.Interval {
	i := s.ratio(at, than, r)
	return claim.Interval{Measured: new(1 - *i.Measured), Low: new(1 - *i.High),
		High: new(1 - *i.Low)}
}

// parameters are those of a claim about the stop set.
func (s setting) parameters() map[string]any {
	all := map[string]any{}
	if s.m > 0 {
		all["m"], all["k"] = s.m, cmp.Or(s.k, hashes)
	}
	if s.beta > 0 {
		all["β"] = percent(s.beta)
	}
	return all
}

// text collects claims about stop sets: shares of all traces, or else numbers.
func (s *stopping) text(item string) *text {
	t := newText(item, len(s.results))
	t.Unit = claim.Share
	return t
}

func (t *text) with(at setting) *text {
	t.Parameters = at.parameters()
	return t
}

// compare adds that a rate is higher or lower with a stop set than with another.
func (s *stopping) compare(
	t *text,
	where string,
	at, than setting,
	r measure,
	d claim.Direction,
	why string,
) {
	t.with(at).trend(where, fmt.Sprintf("%s with %v, less that with %v", r.name, at, than), d,
		s.less(at, than, r), why)
}

// measure is a number of what was probed.
type measure struct {
	name string
	of   func(probed) float64
}

var (
	success   = measure{"success", func(p probed) float64 { return p.success }}
	short     = measure{"stopping short", func(p probed) float64 { return p.short }}
	collision = measure{"collisions", func(p probed) float64 { return p.collision }}
	nodes     = measure{"nodes reached", func(p probed) float64 { return p.nodes }}
	links     = measure{"links reached", func(p probed) float64 { return p.links }}
)
