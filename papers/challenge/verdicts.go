package challenge

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// lists returns the document's two filters that nothing is deleted from, at a rate P of each: of
// the bad sources, as many as there are in the end without errors, and of the sequences.
func (t *trace) lists(rng *rand.Rand, p float64, bad int) sets {
	m, k := sized(max(bad, 1), p)
	s := sets{bad: newPlain(rng, uint64(m), k)}
	for _, source := range t.blocked {
		s.bad.insert(source)
	}
	m, k = sized(len(t.sequences), p)
	data := newPlain(rng, uint64(m), k)
	for _, words := range t.sequences {
		data.add(words)
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

// readings is who is blocked by what a bad sequence is, and when a strike is counted.
func (s *study) readings(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	for _, t := range []*trace{s.synthetic, s.captured} {
		for _, r := range []struct {
			name  string
			trace *trace
			rules
		}{
			{"the longest of the sequences that end with a word", t, rules{}},
			{"each of the sequences that end with a word", t, rules{overlaps: true}},
			{"a packet has one strike at most", t, rules{onePerPacket: true}},
			{"a word of a sequence, as in \"3+ bad packets\"", t.bare(), rules{}},
		} {
			exact, _ := r.exactly(r.trace)
			c := claim.Claim{
				Item:       "a strike",
				Where:      `line 72: "sends three such sequences"; line 80: "3+ bad packets"`,
				Parameters: map[string]any{"trace": t.name}, Unit: claim.Number, Reading: r.name,
				Quantity: "strikes", Interval: claim.Exact(float64(exact.strikes)),
			}
			claims = append(claims, c)
			c.Quantity, c.Interval = "sources that are blocked for them",
				claim.Exact(float64(exact.moved))
			claims = append(claims, c)
		}
	}
	return claims, nil
}

// insertions is which packets insert their source into the good set.
func (s *study) insertions(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	t, n := s.synthetic, s.synthetic.atATime()
	type result struct{ visible, lost float64 }
	for _, name := range []string{flagged, counted} {
		for _, r := range []struct {
			name string
			rules
		}{
			{"once per source, by an exact table", rules{limit: n}},
			{"with each packet", rules{limit: n, inserts: always}},
			{"where the filter does not show it", rules{limit: n, inserts: absent}},
		} {
			_, sure := r.exactly(t)
			all := trials.Each(run, "insertions", number(run, 8, 4),
				func(rng *rand.Rand) (o result) {
					each := 2 * perElement(1e-2) // so that some are shown by mistake
					if name == counted {
						each = counterBits * perElement(1e-2)
					}
					good := variantOf(name).new(rng, n, each)
					out := r.track(t, sets{good, t.blocklist(), sure.data})
					o.visible = float64(out.visible) / float64(out.deletes)
					o.lost = out.lost(good)
					return o
				})
			c := claim.Claim{
				Item:       "an insert",
				Where:      `line 76: "add good actors to a good actors bloom filter"`,
				Parameters: map[string]any{"filter": name, "P": 1e-2}, Unit: claim.Share,
				Reading:  r.name,
				Quantity: "deletes that leave their source visible", Trials: len(all),
				Interval: mean(all, func(r *result) float64 { return r.visible }),
			}
			if name == counted {
				c.Where, c.Published = `line 82: counters are "100% accurate in deleting members"`,
					none()
				c.Why = "others hold the counters of a source that was inserted once; of one " +
					"that was inserted 15 times they have stopped, and stay"
			}
			claims = append(claims, c)
			c.Where =
				`line 64: "preventing false negatives"; line 66: "without accidentally affecting bits that ` + `other elements have contributed to"`
			c.Unit, c.Quantity, c.Published = claim.Number,
				"good sources that are not found in the end", none()
			c.Interval = mean(all, func(r *result) float64 { return r.lost })
			c.Why = "a source that was left out, as the filter showed it by mistake, is deleted, " +
				"and takes bits of others"
			claims = append(claims, c)
		}
	}
	return claims, nil
}

func variantOf(name string) variant {
	for _, v := range variants {
		if v.name == name {
			return v
		}
	}
	panic("challenge: no variant " + name)
}

// blocking is a point of the picture: of innocent sources, those that are blocked. An innocent
// source has sent fewer bad sequences than block it, and a clean one none.
type blocking struct {
	byBad, clean, expected float64 // of the whole trace
	unclean                float64 // innocent sources that are not clean
	measured, captured     float64
	packets                float64 // of innocent sources, in the capture
}

// verdicts is what the filters of bad sources and of sequences do to verdicts, by P.
func (s *study) verdicts(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	type result struct {
		mistakes
		innocent float64 // sources that are bad in the end
	}
	s.blocking = make([]blocking, len(falseRates))
	exact, sure := rules{}.exactly(s.whole)
	for i, p := range falseRates {
		b := &s.blocking[i]
		*b = s.whole.blockedBy(&exact, sure.bad.(exactSources), p)
	}
	for _, t := range []*trace{s.synthetic, s.captured} {
		exact, sure := rules{}.exactly(t)
		isBad := sure.bad.(exactSources)
		innocents, all := 0., exact.packets()
		for _, source := range t.sources {
			if !isBad[source] {
				innocents++
			}
		}
		for i, p := range falseRates {
			// The seeds are those of each P: what differs is P.
			results := trials.Each(run, "verdicts", number(run, 12, 6),
				func(rng *rand.Rand) (r result) {
					l := t.lists(rng, p, len(isBad))
					l.good = exactSources{}
					o := rules{}.track(t, l)
					r.mistakes = o.beside(&exact)
					for _, source := range t.sources {
						if !isBad[source] && l.bad.contains(source) {
							r.innocent++
						}
					}
					return r
				})
			of := func(number func(*result) float64, by float64) claim.Interval {
				return mean(results, func(r *result) float64 { return number(r) / by })
			}
			c := claim.Claim{
				Item: "verdicts", Where: "line 72, with its hashes and its P for the bad sources " +
					"and the sequences",
				Parameters: map[string]any{"P": p, "trace": t.name}, Reading: claim.Literal,
				Trials: len(results),
				Unit:   claim.Share, Point: p != standard,
			}
			c.Quantity = "innocent sources that are bad in the end"
			c.Interval = of(func(r *result) float64 { return r.innocent }, innocents)
			b := &s.blocking[i]
			if t == s.synthetic {
				expected := t.blockedBy(&exact, isBad, p).expected
				c.Theory, b.measured = claim.By(meanField, expected), *c.Measured
			} else {
				b.captured = *c.Measured
			}
			claims = append(claims, c)
			c.Theory = claim.Theory{}
			c.Quantity = "packets of innocent sources that are rejected"
			c.Interval = of(func(r *result) float64 { return float64(r.blocked) }, all.accepted)
			b.packets = *c.Measured // the capture comes last
			claims = append(claims, c)
			c.Unit, c.Quantity = claim.Number, "strikes that are wrong"
			c.Interval = of(func(r *result) float64 { return float64(r.wrong) }, 1)
			claims = append(claims, c)
			c.Quantity = "strikes that are missed"
			c.Interval = of(func(r *result) float64 { return float64(r.missed) }, 1)
			claims = append(claims, c)
			if c.Point {
				continue
			}
			c.Where =
				`line 72: "reject packets from IP addresses on a blacklist"; "permanently blacklisted"`
			c.Quantity, c.Published = "packets of guilty sources that pass, of one that the bad "+
				"set has", none()
			c.Why = "some pass"
			c.Interval = of(func(r *result) float64 { return float64(r.passed) }, 1)
			claims = append(claims, c)
		}
	}
	return claims, nil
}

// packets are how many there are, by what exact sets do to them.
type packets struct{ accepted, rejected float64 }

func (o *outcome) packets() (p packets) {
	for _, verdict := range o.verdicts {
		if verdict == rejected {
			p.rejected++
		} else {
			p.accepted++
		}
	}
	return p
}

// blockedBy returns the shares of sources that are expected to be bad in the end: by mistakes of
// the filter of the bad sources alone, and by these and by strikes, of clean sources and of
// innocent ones. Strikes by mistake are independent in a trace whose words do not come again.
func (t *trace) blockedBy(exact *outcome, isBad exactSources, p float64) (b blocking) {
	m, k := sized(len(t.sequences), p)
	data := rateOf(float64(m), float64(k), float64(len(t.sequences)))
	struck, struckClean, innocents, clean := 0.0, 0.0, 0.0, 0.0
	for source, state := range exact.sources {
		if isBad[source] {
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

// runs is that executions differ, and how often all is right, by the size of the trace.
func (s *study) runs(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	type result struct{ right, differs float64 }
	for _, n := range []int{10, 100, 1000, number(run, sources, 2000)} {
		few := number(run, 200, 60)
		if n >= 1000 {
			few = 12
		}
		all := trials.Each(run, fmt.Sprint("runs ", n), few, func(rng *rand.Rand) (r result) {
			t := synthetic(rng, n)
			exact, sure := rules{}.exactly(t)
			isBad := sure.bad.(exactSources)
			execute := func() (answers []string, wrong int) {
				l := t.lists(rng, standard, len(isBad))
				l.good = variantOf(flagged).new(rng, n, 2*perElement(standard))
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
			again, _ := execute()
			if wrong == 0 {
				r.right = 1
			}
			for i := range first {
				if first[i] != again[i] {
					r.differs = 1
				}
			}
			return r
		})
		right := 0
		for _, r := range all {
			right += int(r.right)
		}
		c := claim.Claim{
			Item: "executions", Parameters: map[string]any{"sources": n, "P": standard},
			Unit:    claim.Number,
			Reading: claim.Literal, Trials: few, Why: "it is the other way round",
		}
		c.Where =
			`line 76: "for smaller cases … correct most of the time", for large ones "only occasionally"`
		c.Quantity, c.Published = "runs without a wrong verdict or answer, less a half",
			claim.Trend(claim.Higher)
		switch {
		case n == 100: // neither small nor large
			c.Published = claim.Published{}
		case n > 100:
			c.Published = claim.Trend(claim.Lower)
		}
		c.Interval = claim.Proportion(right,
			few).Map(func(share float64) float64 { return share - 0.5 })
		claims = append(claims, c)
		if n < 1000 {
			continue
		}
		c.Where = `line 76: "different executions will produce different results"`
		c.Quantity, c.Published = "pairs of runs with other seeds that answer otherwise",
			claim.Trend(claim.Higher)
		differ := 0
		for _, r := range all {
			differ += int(r.differs)
		}
		c.Interval = claim.Proportion(differ, few)
		claims = append(claims, c)
	}
	return claims, nil
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
