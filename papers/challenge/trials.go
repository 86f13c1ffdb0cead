package challenge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What trials are of is also in their names: those of one name have the same random numbers.
func synthesized(n int) string { return fmt.Sprint("of ", n) }

func named(r rules, t *trace) string {
	return fmt.Sprint(t.name, len(t.packets), len(t.sequences), r)
}

// memory is the bits of a collision array and its bits, per source.
func memory(p float64) float64 { return collisions.width() * perElement(p) }

// other is a source that no trace has.
func other(rng *rand.Rand) uint32 { return 240<<24 | rng.Uint32()>>4 }

// fill inserts n sources, and returns what asks for others.
func fill(rng *rand.Rand, n int, insert func(source uint32)) (nonMember func() uint32) {
	first := rng.Uint32()
	for i := range n {
		insert(scattered(first + uint32(i)))
	}
	others := uint64(1)<<32 - uint64(n)
	return func() uint32 { return scattered(first + uint32(n) + uint32(rng.Uint64N(others))) }
}

// scattered gives each number of 32 bits another one.
func scattered(n uint32) uint32 { return (n ^ n>>15) * 0x2c1b3c6d }

// hits counts those of some queries for non-members that are found.
func hits(queries int, contains func(uint32) bool, nonMember func() uint32) (found int) {
	for range queries {
		if contains(nonMember()) {
			found++
		}
	}
	return found
}

// guaranteed is the document's m and k, with its hashes.
func (s *study) guaranteed() *claim.Simulation {
	return &claim.Simulation{
		Name: claim.Named("guaranteed %v", "P"), Times: claim.Times(16, 8),
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			n, p := point.Int("n"), point.Float("P")
			queries := s.number(6_250_000, 50_000)
			if p > 1e-5 { // which shows well enough with fewer
				queries = s.number(100_000, 50_000)
			}
			m, k := sized(n, p)
			f := newBasic(rng, m, k)
			found := hits(queries, f.contains, fill(rng, n, f.insert))
			return claim.Outcome{"found": {float64(found)}, "asked": {float64(queries)}}
		},
	}
}

// reduced is the rate of filters with hashes modulo m. With the document's own hashes one takes
// minutes, and is for a full run.
func (s *study) reduced() *claim.Simulation {
	return &claim.Simulation{
		Name: func(point claim.Parameters) string {
			if s.hashBits(point) == hashBits {
				return "three quarters"
			}
			return fmt.Sprint("modulo ", point.Float(perHash))
		},
		Times: func(point claim.Parameters) (full, short int) {
			if s.hashBits(point) == hashBits {
				return 1, 0
			}
			return 16, 8
		},
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			m, k, n := moduloOf(point.Float(perHash), s.hashBits(point))
			f, queries := newBasic(rng, int(m), int(k)), s.number(1_000_000, 50_000)
			if f.shift = hashBits - s.hashBits(point); f.shift == 0 {
				queries *= 20
			}
			found := hits(queries, f.contains, fill(rng, int(n), f.insert))
			return claim.Outcome{"found": {float64(found)}, "asked": {float64(queries)},
				"rate": {float64(found) / float64(queries)}}
		},
	}
}

// multiple is that rate as a multiple of the formula's.
func (s *study) multiple(run *trials.Run, point claim.Parameters) claim.Sample {
	t := s.reduced().Mean("rate")
	if s.hashBits(point) == hashBits { // of one filter
		t = s.reduced().Counted("found", "asked")
	}
	return t.Map(func(rate float64, point claim.Parameters) float64 {
		return rate / rateOf(moduloOf(point.Float(perHash), s.hashBits(point)))
	})(run, point)
}

// seeds is what seeds make of one hash, for keys of one word: how many of some pairs of sources
// share two indexes, of the filter with the default P. The words that MurmurHash3 mixes of a pair
// differ by what two seeds differ by: each source has such another one, as no two words are mixed
// to the same.
var seeds = claim.Simulation{
	Name: claim.Named("seeds"), Times: claim.Times(100, 20),
	Fixed: claim.Parameters{"P": standard},
	Trial: func(rng *rand.Rand, _ claim.Parameters) claim.Outcome {
		const pairs = 1000
		m, k := sized(sources, standard)
		h, shared := newHashing(rng, uint64(m), k), 0.0
		for range pairs {
			x := mix(rng.Uint32())
			chosen := rng.Perm(k)
			i, j := chosen[0], chosen[1]
			y := [1]uint32{x[0] ^ h.seeds[i] ^ h.seeds[j]}
			if h.place(i, x[:1]) == h.place(j, y[:]) && h.place(j, x[:1]) == h.place(i, y[:]) {
				shared += 1 / float64(pairs)
			}
		}
		return claim.Outcome{"shared": {shared}}
	},
}

// flags are what a flag says, by the two sentences of line 64: by how many flags they differ, and
// whether a delete leaves its element.
var flags = claim.Simulation{
	Name: claim.Named("flags %v", "n"),
	Times: func(point claim.Parameters) (full, short int) {
		if point.Int("n") < sources {
			return 100_000, 20_000
		}
		return 100, 20
	},
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		m, k := sized(point.Int("n"), standard)
		ones, others := collisions.in(rng, m, k), collisions.in(rng, m, k)
		others.hashing, others.ofOthers = ones.hashing, true
		var members []uint32
		fill(rng, point.Int("n"), func(source uint32) {
			members = append(members, source)
			ones.insert(source)
			others.insert(source)
		})
		differ, visible := 0.0, 0.0
		for i, count := range ones.counts {
			if count == collisions && others.counts[i] < collisions {
				differ++
			}
		}
		if ones.delete(members[0]); ones.contains(members[0]) {
			visible++
		}
		return claim.Outcome{"flags": {differ}, "visible": {visible}, "deletes": {1}}
	},
}

// lists returns the document's two filters that nothing is deleted from, at a rate P of each: of
// the bad sources, as many as there are in the end without errors, and of the sequences.
func (t *trace) lists(rng *rand.Rand, p float64, bad int) sets {
	m, k := sized(max(bad, 1), p)
	s := sets{bad: newBasic(rng, m, k)}
	for _, source := range t.blocked {
		s.bad.insert(source)
	}
	m, k = sized(len(t.sequences), p)
	data := newBasic(rng, m, k)
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
		words.sequences = slices.AppendSeq(words.sequences, slices.Chunk(sequence, 1))
	}
	return &words
}

// anyWord is the reading of a strike by which each word of a sequence is bad, as in "3+ bad
// packets".
const anyWord = "a word of a sequence"

// strikes are the readings of what a bad sequence is, and when a strike is counted.
var strikes = map[string]rules{
	"the longest of the sequences that end with a word": {},
	"each of the sequences that end with a word":        {overlaps: true},
	"a packet has one strike at most":                   {onePerPacket: true},
	anyWord:                                             {},
}

// struck is a number of what exact sets find.
func (s *study) struck(number func(o *outcome) int) claim.Trials {
	return func(_ *trials.Run, point claim.Parameters) claim.Sample {
		rules, t := claim.Pick(point, "strike", strikes), s.traceOf(point)
		if point.Text("strike") == anyWord {
			t = t.bare()
		}
		exact := s.truth(rules, t)
		return claim.Sample{Values: []float64{float64(number(&exact.outcome))}}
	}
}

// insertions are the readings of which packets insert their source into the good set.
var insertions = map[string]inserts{
	"once per source by an exact table": once,
	"with each packet":                  always,
	"where the filter does not show it": absent,
}

var insertionNames = append(slices.Sorted(maps.Keys(insertions)), "") // where a claim does not say

// atATime is the sources that a firewall with a limit keeps: about as many as send at a time.
func (t *trace) atATime() int { return len(t.sources) / turnovers }

// nonMembers is how many non-members a good set is asked for.
func (s *study) nonMembers() int { return s.number(1_000_000, 20_000) }

// good runs the tracker on a claim's filter of the good sources. Where the claim says which packets
// insert, all other sets are exact, and the filter has a P of its own; else the other filters are
// the document's, the good set is asked first, and has the memory of the collision array.
func (s *study) good() *claim.Simulation {
	read := func(point claim.Parameters) (r rules, name string) {
		inserts, told := insertions[point.Word("inserts", insertionNames...)]
		if r.goodFirst, r.inserts, name = !told, inserts, "compare"; told {
			name = "insertions"
		}
		if point.Word("limit", "", "a tenth", "none") != "none" {
			r.limit = s.sampled().atATime()
		}
		return r, name
	}
	return &claim.Simulation{
		Name: func(point claim.Parameters) string { _, name := read(point); return name },
		Subject: func(point claim.Parameters) string {
			r, _ := read(point)
			return fmt.Sprint(variantOf(point).name, r)
		},
		Times: claim.Times(8, 4),
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			r, _ := read(point)
			t, v := s.sampled(), variantOf(point)
			n, exact := cmp.Or(r.limit, len(t.sources)), s.truth(r, t)
			l, queries := sets{bad: t.blocklist(), data: exact.data}, 0
			each := memory(point.Float("P")) // so that some are shown by mistake
			switch {
			case r.goodFirst:
				l, queries, each = t.lists(rng, standard, len(exact.bad)), s.nonMembers(),
					memory(standard)
			case v.name == counted:
				each = counters.width() * perElement(point.Float("P"))
			}
			l.good = v.new(rng, n, each)
			track := r.track(t, l)
			o := track.numbers(&exact.outcome)
			o["bits"] = []float64{l.good.bits() / float64(n)}
			found := hits(queries, l.good.contains, func() uint32 { return other(rng) })
			o["found"] = []float64{float64(found) / float64(max(queries, 1))}
			return o
		},
	}
}

// listed runs the tracker on a trace with the document's filters of bad sources and of sequences,
// and an exact good set. The seeds are those of each P: what differs is P.
func (s *study) listed() *claim.Simulation {
	return &claim.Simulation{
		Name: claim.Named("verdicts"),
		Subject: func(point claim.Parameters) string {
			return fmt.Sprint(s.traceOf(point).name, point.Float("P"))
		},
		Times: func(point claim.Parameters) (full, short int) {
			if point.Float("P") < toldRate {
				return 12, 0
			}
			return 12, 6
		},
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			t := s.traceOf(point)
			exact := s.truth(rules{}, t)
			l := t.lists(rng, point.Float("P"), len(exact.bad))
			l.good = exactSources{}
			track := rules{}.track(t, l)
			innocents, bad := 0.0, 0.0
			for _, source := range t.sources {
				if exact.bad[source] {
					continue
				}
				if innocents++; l.bad.contains(source) {
					bad++
				}
			}
			o := track.numbers(&exact.outcome)
			o["innocents"], o["bad"] = []float64{innocents}, []float64{bad}
			return o
		},
	}
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

// churned is the rate of the good set while its sources are replaced: after turnovers, and in the
// end.
func (s *study) churned() *claim.Simulation {
	return &claim.Simulation{
		Name:    claim.Named("rates %v", "P"),
		Subject: func(point claim.Parameters) string { return variantOf(point).name },
		Times: func(point claim.Parameters) (full, short int) {
			p := point.Float("P")
			if _, full = s.queries(p); p < toldRate {
				return full, 0
			}
			return full, full
		},
		Point: func(at claim.Parameters) int { return at.Int("turnovers") },
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			t, p, o := s.whole(), point.Float("P"), claim.Outcome{}
			n := t.atATime()
			f, queries := variantOf(point).new(rng, n, memory(p)), s.queriesFor(point)
			ask := func(when string) {
				found := hits(queries, f.contains, func() uint32 { return other(rng) })
				o[when] = append(o[when], float64(found)/float64(queries))
			}
			replay(s.truth(rules{limit: n}, t).steps, f, n, func() {
				if p == standard {
					ask("then")
				}
			})
			ask("in the end")
			return o
		},
	}
}

// queriesFor is how many non-members a trial of a claim asks for.
func (s *study) queriesFor(point claim.Parameters) int {
	queries, _ := s.queries(point.Float("P"))
	return queries
}

// churn is that rate after a claim's turnovers, or in the end if it says none.
func (s *study) churn(run *trials.Run, point claim.Parameters) claim.Sample {
	when := "in the end"
	if point.Value("turnovers") != nil {
		when = "then"
	}
	return s.churned().Mean(when).Of(s.queriesFor)(run, point)
}

// mostChurned is the upper end of its interval of 95 %, by all queries of the trials.
func (s *study) mostChurned(point claim.Parameters) float64 {
	sample := s.churn(s.run, point)
	asked := sample.Each * len(sample.Values)
	found := math.Round(float64(sample.Each) * floats.Sum(sample.Values))
	return *claim.Proportion(int(found), asked).High
}

// countersRate is that of 4-bit counters, which have the rate of their members: of those after some
// turnovers, or in the end. They are fewer than the limit while no source is in a blocked one's
// place.
func (s *study) countersRate(point claim.Parameters) float64 {
	if point.Text("filter") != counted {
		return math.NaN()
	}
	t := s.whole()
	n, now := t.atATime(), exactSources{}
	var members []int // after each turnover, and in the end
	look := func() { members = append(members, len(now)) }
	replay(s.truth(rules{limit: n}, t).steps, now, n, look)
	look()
	which := len(members) - 1
	if point.Value("turnovers") != nil {
		which = min(which, point.Int("turnovers"))
	}
	m := math.Floor(memory(point.Float("P")) / counters.width() * float64(n))
	return rateOf(m, float64(hashesFor(m, float64(n))), float64(members[which]))
}

// left is the bits that are set in the end, by filter: what flags and counters leave of those who
// are blocked.
func (s *study) left() *claim.Simulation {
	return &claim.Simulation{
		Name: claim.Named("left"), Times: claim.Times(20, 6),
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			t := s.whole()
			steps, n := s.truth(rules{}, t).steps, len(t.sources)
			m, k := sized(n, point.Float("P"))
			flags, counts := collisions.in(rng, m, k), counters.in(rng, m, k)
			counts.hashing = flags.hashing
			bits := claim.Outcome{}
			for name, f := range map[string]*cells{flagged: flags, counted: counts} {
				replay(steps, f, n, func() {})
				set := 0.0
				for _, count := range f.counts {
					set += min(1, float64(count))
				}
				bits[name] = []float64{set}
			}
			return bits
		},
	}
}

// The names of formulas of who is blocked. An innocent source has sent fewer bad sequences than
// block it, and a clean one none.
const (
	byBad   = "by the bad set alone"
	clean   = "of clean sources"
	unclean = "that are not clean" // of the innocent sources
)

// blocked are the formulas of who is blocked.
func (s *study) blocked() claim.Formulas {
	all := claim.Formulas{}
	for _, name := range []string{meanField, byBad, clean, unclean} {
		all[name] = func(point claim.Parameters) float64 {
			t := s.traceOf(point)
			exact := s.truth(rules{}, t)
			return t.blockedBy(exact, point.Float("P"))[name]
		}
	}
	return all
}

// blockedBy returns the shares of sources that are expected to be bad in the end: by mistakes of
// the filter of the bad sources alone, and by these and by strikes, of clean sources and of
// innocent ones. Strikes by mistake are independent in a trace whose words do not come again.
func (t *trace) blockedBy(exact *truth, p float64) map[string]float64 {
	m, k := sized(len(t.sequences), p)
	data := rateOf(float64(m), float64(k), float64(len(t.sequences)))
	struck, struckClean, innocents, cleans := 0.0, 0.0, 0.0, 0.0
	for number, state := range exact.sources {
		if exact.bad[t.sources[number]] {
			continue
		}
		false3 := distuv.Poisson{Lambda: data * float64(state.lookups)}
		odds := false3.Survival(float64(maxStrikes - state.strikes - 1))
		innocents++
		struck += odds
		if state.strikes == 0 {
			cleans++
			struckClean += odds
		}
	}
	bad := float64(len(exact.bad))
	m, k = sized(len(exact.bad), p)
	in := func(n float64) float64 { return rateOf(float64(m), float64(k), n) }
	missed := 1 - in(bad+struck)
	return map[string]float64{
		byBad:     in(bad),
		clean:     1 - (1-struckClean/cleans)*missed,
		meanField: 1 - (1-struck/innocents)*missed,
		unclean:   1 - cleans/innocents,
	}
}

// executed are executions of all filters: whether one makes no mistake, and whether the next one
// answers otherwise.
func (s *study) executed() *claim.Simulation {
	return &claim.Simulation{
		Name: claim.Named("runs %v", "sources"), Fixed: claim.Parameters{"P": standard},
		Times: func(point claim.Parameters) (full, short int) {
			switch n := point.Int("sources"); {
			case n >= sources:
				return 12, 0
			case n >= 1000:
				return 12, 6
			}
			return 200, 60
		},
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			n := point.Int("sources")
			t := synthetic(rng, n)
			exact := rules{}.exactly(t)
			execute := func() (answers []string, wrong bool) {
				l := t.lists(rng, standard, len(exact.bad))
				l.good = collisions.draw(rng, n, memory(standard))
				for i, found := range (rules{}).track(t, l).verdicts {
					wrong = wrong || (found == rejected) != (exact.verdicts[i] == rejected)
				}
				for i := range 2 * n { // its own sources, and as many others
					source := uint32(11<<24 | i)
					if i < n {
						source = t.sources[i]
					}
					answers = append(answers, l.answer(source))
					wrong = wrong || answers[i] != exact.answer(source)
				}
				return answers, wrong
			}
			o := claim.Outcome{"right": {1}, "differs": {0}, "all": {1}}
			first, wrong := execute()
			if wrong {
				o["right"][0] = 0
			}
			if second, _ := execute(); !slices.Equal(first, second) {
				o["differs"][0] = 1
			}
			return o
		},
	}
}
