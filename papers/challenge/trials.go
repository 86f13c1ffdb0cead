package challenge

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// The names of what trials are of: those that are of one name have the same random numbers.
func synthesized(n int) string { return fmt.Sprint("of ", n) }

func named(r rules, t *trace) string {
	return fmt.Sprint(t.name, len(t.packets), len(t.sequences), r)
}

func variantOf(name string) variant {
	for _, v := range variants {
		if v.name == name {
			return v
		}
	}
	panic("challenge: no variant " + name)
}

// memory is the bits of a collision array and its bits, per source.
func memory(p float64) float64 { return collisions.width() * perElement(p) }

// other is a source that no trace has.
func other(rng *rand.Rand) uint32 { return 240<<24 | rng.Uint32()>>4 }

// lists returns the document's two filters that nothing is deleted from, at a rate P of each: of
// the bad sources, as many as there are in the end without errors, and of the sequences.
func (t *trace) lists(rng *rand.Rand, p float64, bad int) sets {
	m, k := sized(max(bad, 1), p)
	s := sets{bad: plain.in(rng, m, k)}
	for _, source := range t.blocked {
		s.bad.insert(source)
	}
	m, k = sized(len(t.sequences), p)
	data := plain.in(rng, m, k)
	for _, words := range t.sequences {
		data.add(words...)
	}
	s.data = data
	return s
}

// bare returns the trace with each word of its sequences as one.
func (t *trace) bare() *trace {
	words := *t
	words.sequences = nil
	for _, sequence := range t.sequences {
		for i := range sequence {
			words.sequences = append(words.sequences, sequence[i:i+1])
		}
	}
	return &words
}

// strikes are the readings of what a bad sequence is, and when a strike is counted. Of the last one
// each word of a sequence is bad, as in "3+ bad packets".
var strikes = map[string]rules{
	"the longest of the sequences that end with a word": {},
	"each of the sequences that end with a word":        {overlaps: true},
	"a packet has one strike at most":                   {onePerPacket: true},
	"a word of a sequence":                              {},
}

// struck is a number of what exact sets find.
func (s *study) struck(number func(o *outcome) int) claim.Trials {
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		t, strike := s.traceOf(at), at.Text("strike")
		if strike == "a word of a sequence" {
			t = t.bare()
		}
		exact := s.truth(strikes[strike], t)
		return claim.Sample{Values: []float64{float64(number(&exact.outcome))}}
	}
}

// insertions are the readings of which packets insert their source into the good set.
var insertions = map[string]inserts{
	"once per source by an exact table": once,
	"with each packet":                  always,
	"where the filter does not show it": absent,
}

// atATime is the sources that a firewall with a limit keeps: about as many as send at a time.
func (t *trace) atATime() int { return len(t.sources) / turnovers }

// nonMembers is how many non-members a good set is asked for.
func (s *study) nonMembers() int { return s.number(1_000_000, 20_000) }

// tracked is what a tracker with filters does to a trace.
type tracked struct {
	counts
	mistakes
	bits           float64 // of the good set, per source
	found          float64 // of the non-members, in the good set in the end
	bad, innocents int     // sources that are bad in the end and are not, of all that are not
}

// good runs the tracker on a claim's filter of the good sources. Where the claim says which packets
// insert, all other sets are exact, and the filter has a P of its own; else the other filters are
// the document's, the good set is asked first, and has the memory of the collision array.
func (s *study) good(run *trials.Run, point claim.Parameters) (string, []tracked) {
	t, name := s.sampled(), point.Text("filter")
	r := rules{goodFirst: true}
	if point.Text("limit") != "none" {
		r.limit = t.atATime()
	}
	n, seeds, queries := cmp.Or(r.limit, len(t.sources)), "compare", s.nonMembers()
	each, inserts := memory(standard), point.Text("inserts")
	if inserts != "" {
		seeds, queries, r.goodFirst, r.inserts = "insertions", 0, false, insertions[inserts]
		each = memory(point.Float("P")) // so that some are shown by mistake
		if name == counted {
			each = counters.width() * perElement(point.Float("P"))
		}
	}
	exact := s.truth(r, t)
	subject := fmt.Sprint(name, r)
	return fmt.Sprint(seeds, r.limit), trials.RecallOf(run, seeds, subject, s.number(8, 4),
		func(rng *rand.Rand) tracked {
			l := sets{bad: t.blocklist(), data: exact.data}
			if inserts == "" {
				l = t.lists(rng, standard, len(exact.bad))
			}
			l.good = variantOf(name).new(rng, n, each)
			o := r.track(t, l)
			found := hits(queries, l.good.contains, func() uint32 { return other(rng) })
			return tracked{counts: o.counts, mistakes: o.compare(&exact.outcome),
				bits:  l.good.bits() / float64(n),
				found: float64(found) / float64(max(queries, 1))}
		})
}

// listed runs the tracker on a trace with the document's filters of bad sources and of sequences,
// and an exact good set. The seeds are those of each P: what differs is P.
func (s *study) listed(run *trials.Run, at claim.Parameters) (string, []tracked) {
	t, p := s.traceOf(at), at.Float("P")
	if run.Short && p < toldRate {
		return "verdicts", nil
	}
	exact := s.truth(rules{}, t)
	return "verdicts", trials.RecallOf(run, "verdicts", fmt.Sprint(t.name, p), s.number(12, 6),
		func(rng *rand.Rand) tracked {
			l := t.lists(rng, p, len(exact.bad))
			l.good = exactSources{}
			o := rules{}.track(t, l)
			r := tracked{mistakes: o.compare(&exact.outcome)}
			for _, source := range t.sources {
				if exact.bad[source] {
					continue
				}
				if r.innocents++; l.bad.contains(source) {
					r.bad++
				}
			}
			return r
		})
}

// step is an insert or a delete.
type step struct {
	source uint32
	delete bool
}

// recorder is an exact set that keeps what was done.
type recorder struct {
	exactSources
	steps []step
}

func (r *recorder) insert(source uint32) {
	r.exactSources.insert(source)
	r.steps = append(r.steps, step{source, false})
}

func (r *recorder) delete(source uint32) {
	r.exactSources.delete(source)
	r.steps = append(r.steps, step{source, true})
}

// steps returns what a tracker does to the good set, which asks it for nothing.
func (s *study) steps(t *trace, limit int) []step {
	r := rules{limit: limit}
	return trials.RecallOf(s.run, "steps", named(r, t), 1, func(*rand.Rand) []step {
		good := &recorder{exactSources: exactSources{}}
		r.track(t, sets{good, t.blocklist(), s.truth(r, t).data})
		return good.steps
	})[0]
}

// replay makes the steps, and calls after each n inserts.
func replay(steps []step, f set, n int, turnover func()) {
	inserts := 0
	for _, s := range steps {
		if s.delete {
			f.delete(s.source)
			continue
		}
		f.insert(s.source)
		if inserts++; inserts%n == 0 {
			turnover()
		}
	}
}

// queries is how many non-members a good set of the memory for P is asked for, in some trials.
func (s *study) queries(p float64) (queries, filters int) {
	filters = s.number(8, 4)
	switch {
	case p < 1e-5:
		return s.number(100_000_000/filters, 20_000), filters
	case p < standard:
		return s.number(10_000_000/filters, 20_000), filters
	}
	return s.number(200_000, 20_000), filters
}

// churned is the rate of the good set while its sources are replaced: after some turnovers, or in
// the end.
func (s *study) churned(run *trials.Run, point claim.Parameters) claim.Sample {
	t, p := s.whole(), point.Float("P")
	if run.Short && p < toldRate {
		return claim.Sample{}
	}
	n := t.atATime()
	steps := s.steps(t, n)
	queries, filters := s.queries(p)
	name := fmt.Sprint("rates ", p)
	all := trials.RecallOf(run, name, point.Text("filter"), filters,
		func(rng *rand.Rand) (rates []float64) {
			f := variantOf(point.Text("filter")).new(rng, n, memory(p))
			ask := func() {
				found := hits(queries, f.contains, func() uint32 { return other(rng) })
				rates = append(rates, float64(found)/float64(queries))
			}
			replay(steps, f, n, func() {
				if p == standard {
					ask()
				}
			})
			ask()
			return rates
		})
	which := len(all[0]) - 1
	if _, found := point["turnovers"]; found {
		if which = point.Int("turnovers"); which >= len(all[0])-1 {
			return claim.Sample{}
		}
	}
	sample := claim.Take(name, all, func(rates *[]float64) float64 { return (*rates)[which] })
	sample.Each = queries
	return sample
}

// countersRate is that of 4-bit counters, which have the rate of their members: of those after some
// turnovers, or in the end. They are fewer than the limit while no source is in a blocked one's
// place.
func (s *study) countersRate(point claim.Parameters) float64 {
	if point.Text("filter") != counted {
		return math.NaN()
	}
	t := s.whole()
	n, members, inserts := t.atATime(), 0, 0
	turnovers, some := point["turnovers"]
	for _, step := range s.steps(t, n) {
		if step.delete {
			members--
			continue
		}
		members++
		if inserts++; some && inserts == (turnovers.(int)+1)*n {
			break
		}
	}
	m := math.Floor(memory(point.Float("P")) / counters.width() * float64(n))
	return rateOf(m, float64(hashesFor(m, float64(n))), float64(members))
}

// remains are the bits that are set in the end, by filter.
type remains map[string]float64

// left is what flags and counters leave of those who are blocked.
func (s *study) left(run *trials.Run, at claim.Parameters) (string, []remains) {
	t := s.sampled()
	steps, n := s.steps(t, 0), len(t.sources)
	m, k := sized(n, at.Float("P"))
	return "left", trials.Recall(run, "left", s.number(20, 6), func(rng *rand.Rand) remains {
		flags, counts := collisions.in(rng, m, k), counters.in(rng, m, k)
		counts.hashing = flags.hashing
		replay(steps, flags, n, func() {})
		replay(steps, counts, n, func() {})
		bits := remains{}
		for i, c := range counts.counts {
			if flags.counts[i] > 0 {
				bits[flagged]++
			}
			if c > 0 {
				bits[counted]++
			}
		}
		return bits
	})
}

// blocking is who is blocked, as expected. An innocent source has sent fewer bad sequences than
// block it, and a clean one none.
type blocking struct {
	byBad, clean, expected float64
	unclean                float64 // innocent sources that are not clean
}

// blocked is a formula of who is blocked.
func (s *study) blocked(number func(b *blocking) float64) func(claim.Parameters) float64 {
	return func(point claim.Parameters) float64 {
		t := s.traceOf(point)
		if t != s.captured && point.Text("trace") == "whole" {
			t = s.whole()
		}
		exact := s.truth(rules{}, t)
		b := t.blockedBy(&exact.outcome, exact.bad, point.Float("P"))
		return number(&b)
	}
}

// blockedBy returns the shares of sources that are expected to be bad in the end: by mistakes of
// the filter of the bad sources alone, and by these and by strikes, of clean sources and of
// innocent ones. Strikes by mistake are independent in a trace whose words do not come again.
func (t *trace) blockedBy(exact *outcome, isBad exactSources, p float64) (b blocking) {
	m, k := sized(len(t.sequences), p)
	data := rateOf(float64(m), float64(k), float64(len(t.sequences)))
	struck, struckClean, innocents, clean := 0.0, 0.0, 0.0, 0.0
	for _, source := range t.sources { // not by the map: a sum's last digit depends on the order
		state, seen := exact.sources[source]
		if !seen || isBad[source] {
			continue
		}
		false3 := distuv.Poisson{Lambda: data * float64(state.lookups)}
		odds := false3.Survival(float64(maxStrikes - state.strikes - 1))
		innocents++
		struck += odds
		if state.strikes == 0 {
			clean++
			struckClean += odds
		}
	}
	m, k = sized(len(isBad), p)
	in := func(n float64) float64 { return rateOf(float64(m), float64(k), n) }
	missed := 1 - in(float64(len(isBad))+struck)
	return blocking{
		byBad:    in(float64(len(isBad))),
		clean:    1 - (1-struckClean/clean)*missed,
		expected: 1 - (1-struck/innocents)*missed,
		unclean:  1 - clean/innocents,
	}
}

// executed is whether an execution makes no mistake, and whether the next one answers otherwise.
type executed struct{ right, differs int }

func (s *study) executed(run *trials.Run, at claim.Parameters) (string, []executed) {
	n := at.Int("sources")
	runs, name := s.number(200, 60), fmt.Sprint("runs ", n)
	switch {
	case n >= sources && run.Short:
		return name, nil
	case n >= 1000:
		runs = s.number(12, 8)
	}
	return name, trials.Recall(run, name, runs, func(rng *rand.Rand) (r executed) {
		t := synthetic(rng, n)
		exact, sure := rules{}.exactly(t)
		execute := func() (answers []string, wrong int) {
			l := t.lists(rng, standard, len(sure.bad.(exactSources)))
			l.good = collisions.draw(rng, n, memory(standard))
			o := rules{}.track(t, l)
			for i, found := range o.verdicts {
				if (found == rejected) != (exact.verdicts[i] == rejected) {
					wrong++
				}
			}
			for i := range 2 * n { // its own sources, and as many others
				source := uint32(11<<24 | i)
				if i < n {
					source = t.sources[i]
				}
				a, is := l.answer(source), sure.answer(source)
				if a != is {
					wrong++
				}
				answers = append(answers, a)
			}
			return answers, wrong
		}
		first, wrong := execute()
		second, _ := execute()
		if wrong == 0 {
			r.right = 1
		}
		for i := range first {
			if first[i] != second[i] {
				r.differs = 1
			}
		}
		return r
	})
}

// answer is what a source is.
func (s *sets) answer(source uint32) string {
	switch {
	case s.bad.contains(source):
		return "bad"
	case s.good.contains(source):
		return "good"
	}
	return "neither"
}
