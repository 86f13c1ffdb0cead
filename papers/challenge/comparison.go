package challenge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// compared is what a variant of the good set does to a trace.
type compared struct {
	bits    float64 // per source of the limit
	found   float64 // of the non-members, in the end
	visible float64 // of the sources that were deleted, right after it
	lost    float64 // good sources that are not found in the end
	passed  float64 // of the packets of guilty sources, where the good set is asked first
	blocked float64 // of the packets of innocent ones
	ns      float64 // per packet, of the whole tracker
}

// comparison is the trials of each variant, at the memory of the collision array with the default
// P.
type comparison [][]compared

// of returns a number of a variant, in all trials.
func (c comparison) of(name string, number func(*compared) float64) []float64 {
	for i, v := range variants {
		if v.name == name {
			return trials.Column(c[i], number)
		}
	}
	panic("challenge: no variant " + name)
}

func foundOf(c *compared) float64 { return c.found }
func lostOf(c *compared) float64  { return c.lost }

// memory is the bits of a collision array and its bits, per source.
func memory(p float64) float64 { return 2 * perElement(p) }

// other is a source that no trace has.
func other(rng *rand.Rand) uint32 { return 240<<24 | rng.Uint32()>>4 }

// compare runs the tracker on each variant.
func (s *study) compare(run *trials.Run, limit int) (all comparison) {
	t := s.synthetic
	r := rules{goodFirst: true, limit: limit}
	exact, sure := r.exactly(t)
	n := limit
	if n == 0 {
		n = len(t.sources)
	}
	queries := number(run, 1_000_000, 50_000)
	for _, v := range variants {
		all = append(all, trials.Each(run, "compare", number(run, 8, 4),
			func(rng *rand.Rand) (c compared) {
				l := t.lists(rng, standard, len(sure.bad.(exactSources)))
				l.good = v.new(rng, n, memory(standard))
				start := time.Now()
				o := r.track(t, l)
				c.ns = float64(time.Since(start).Nanoseconds()) / float64(len(t.packets))
				c.bits = l.good.bits() / float64(n)
				c.found = float64(hits(queries, l.good.contains,
					func() uint32 { return other(rng) })) / float64(queries)
				c.visible = float64(o.visible) / float64(o.deletes)
				c.lost = o.lost(l.good)
				m, of := o.beside(&exact), exact.packets()
				c.passed, c.blocked = float64(m.passed)/of.rejected, float64(m.blocked)/of.accepted
				return c
			}))
	}
	return all
}

// claims are those of each variant.
func (all comparison) claims(item, where string, limit any) (claims []claim.Claim) {
	for i, v := range variants {
		c := claim.Claim{
			Item: item, Where: where, Parameters: map[string]any{"filter": v.name,
				"sources at most": limit},
			Reading: claim.Literal, Trials: len(all[i]),
		}
		for _, of := range []struct {
			quantity string
			unit     claim.Unit
			number   func(*compared) float64
		}{
			{"bits per source", claim.Number, func(c *compared) float64 { return c.bits }},
			{"non-members that are found in the end", claim.Share, foundOf},
			{"deletes that leave their source visible", claim.Share,
				func(c *compared) float64 { return c.visible }},
			{"good sources that are lost", claim.Number, lostOf},
			{"packets of guilty sources that pass", claim.Share,
				func(c *compared) float64 { return c.passed }},
			{"packets of innocent sources that are rejected", claim.Share,
				func(c *compared) float64 { return c.blocked }},
			{"ns per packet, here and now", claim.Time,
				func(c *compared) float64 { return c.ns }},
		} {
			c.Quantity, c.Unit, c.Interval = of.quantity, of.unit, mean(all[i], of.number)
			c.Published = claim.Published{}
			if of.quantity == "good sources that are lost" {
				c.Published, c.Why = none(), "a filter of the deleted hides who comes back"
			}
			claims = append(claims, c)
		}
	}
	return claims
}

// asTold is the document's tracker: sources leave the good set when they are blocked, and only
// then.
func (s *study) asTold(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	s.told = s.compare(run, 0)
	const where = "line 80, at equal memory, where the good set is asked first"
	return s.told.claims("good sources, as told", where, "all"), nil
}

// atATime is the sources that a firewall with a limit keeps: about as many as send at a time.
func (t *trace) atATime() int { return len(t.sources) / turnovers }

// bounded is a tracker that keeps a tenth of the sources.
func (s *study) bounded(run *trials.Run) ([]claim.Claim, []claim.Figure) {
	limit := s.synthetic.atATime()
	s.few = s.compare(run, limit)
	return s.few.claims("good sources that come and go",
		"not in the document: the source that was not seen for longest is deleted", limit), nil
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
func (t *trace) steps(limit int) []step {
	r := rules{limit: limit}
	_, sure := r.exactly(t)
	good := &recorder{exactSources: exactSources{}}
	r.track(t, sets{good, t.blocklist(), sure.data})
	return good.steps
}

// replay makes the steps, calls after each n inserts, and returns how many members there are in the
// end.
func replay(steps []step, f set, n int, turnover func(members int)) (members int) {
	inserts := 0
	for _, s := range steps {
		if s.delete {
			f.delete(s.source)
			members--
			continue
		}
		f.insert(s.source)
		members++
		if inserts++; inserts%n == 0 {
			turnover(members)
		}
	}
	return members
}

// curve is the rate of a variant by turnovers, at one P, and by P, at the end.
type curve struct {
	turnovers, rates []float64
	byMemory         []float64 // of each of falseRates
}

// rates is the rates of the good set while its sources are replaced.
func (s *study) rates(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	n := s.whole.atATime()
	steps := s.whole.steps(n)
	filters := number(run, 8, 4)
	s.churned = nil
	for _, v := range variants {
		var drawn curve
		for _, p := range falseRates {
			queries := number(run, 200_000, 50_000)
			if p < standard {
				queries = number(run, 10_000_000/filters, 20_000)
			}
			if p < 1e-5 {
				queries = number(run, 100_000_000/filters, 20_000)
			}
			if p == standard {
				s.asked = filters * queries
			}
			type result struct {
				rates   []float64
				members []int
			}
			all := trials.Each(run, fmt.Sprint("rates ", p), filters,
				func(rng *rand.Rand) (r result) {
					f := v.new(rng, n, memory(p))
					ask := func(members int) {
						found := hits(queries, f.contains, func() uint32 { return other(rng) })
						r.rates = append(r.rates, float64(found)/float64(queries))
						r.members = append(r.members, members)
					}
					ask(replay(steps, f, n, func(members int) {
						if p == standard {
							ask(members)
						}
					}))
					return r
				})
			c := claim.Claim{
				Item: "rates of the good set", Where: "at the memory of a collision array for P",
				Unit: claim.Share, Reading: claim.Literal, Trials: filters,
				Quantity: "non-members that are found",
				Point:    true,
			}
			for i := range all[0].rates {
				c.Parameters = map[string]any{"filter": v.name, "P": p, "turnovers": "all"}
				c.Interval = mean(all, func(r *result) float64 { return r.rates[i] })
				if i == len(all[0].rates)-1 {
					drawn.byMemory = append(drawn.byMemory, *c.Measured)
				} else {
					c.Parameters["turnovers"] = i
					drawn.turnovers = append(drawn.turnovers, float64(i))
					drawn.rates = append(drawn.rates, *c.Measured)
				}
				if v.name == counted {
					m := math.Floor(memory(p) / counterBits * float64(n))
					c.Theory = claim.By(formula, rateOf(m, float64(hashesFor(m, float64(n))),
						float64(all[0].members[i])))
				}
				claims = append(claims, c)
			}
		}
		s.churned = append(s.churned, drawn)
	}
	return claims, nil
}

// sentences is what the document says of the ways to delete.
func (s *study) sentences(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	steps, n := s.synthetic.steps(0), len(s.synthetic.sources)
	m, k := sized(n, standard)
	left := trials.Each(run, "left", number(run, 20, 6), func(rng *rand.Rand) (bits float64) {
		flags, counts := newCollisions(rng, m, k, false), newCounters(rng, m, k)
		counts.hashing = flags.hashing
		replay(steps, flags, n, func(int) {})
		replay(steps, counts, n, func(int) {})
		for i, c := range counts.counts {
			if flags.ones.at(uint64(i)) {
				bits++
			}
			if c > 0 {
				bits--
			}
		}
		return bits
	})
	c := claim.Claim{
		Item: "ways to delete", Parameters: map[string]any{"P": standard}, Unit: claim.Number,
		Reading: claim.Literal, Trials: len(left), Why: "it is the other way round",
	}
	c.Where =
		`line 82: "the collision array would not clear this bit, while the counting Bloom Filter would"`
	c.Quantity, c.Published = "bits that are left set, flags less counters",
		claim.Trend(claim.Higher)
	c.Interval = claim.Mean(left)
	claims = append(claims, c)

	c.Trials = len(s.told[0])
	c.Where = `line 80: "we accomplished this in our own solution with a collision array"`
	c.Unit, c.Quantity = claim.Share, "non-members that it shows, in the tracker as told"
	c.Published = claim.Published{Value: new(standard), Least: new(0.0), Most: new(standard)}
	c.Interval, c.Why = claim.Mean(s.told.of(flagged, foundOf)), "there are more"
	claims = append(claims, c)
	c.Unit = claim.Number
	for _, of := range []struct {
		reading    string
		comparison comparison
	}{{"sources leave when they are blocked", s.told}, {"sources come and go", s.few}} {
		c.Reading = of.reading
		c.Where =
			`line 82: counters take "up more space", and are "100% accurate in deleting members"`
		c.Quantity = "non-members that counters show at equal memory, less those that flags do"
		c.Published, c.Why = claim.Trend(claim.Higher),
			"flags and stale bits add up with each turnover"
		c.Interval = claim.Difference(of.comparison.of(counted, foundOf),
			of.comparison.of(flagged, foundOf))
		claims = append(claims, c)
		c.Where = `line 84: a second filter "introduces a greater possibility of false negatives"`
		c.Quantity = "good sources that are lost, second filter less flags"
		c.Interval = claim.Difference(of.comparison.of(twofold, lostOf),
			of.comparison.of(flagged, lostOf))
		c.Why = "the second filter has few members, and next to no mistakes"
		claims = append(claims, c)
		c.Where = `line 84: a second filter "causes even more error in the result"`
		c.Quantity = "non-members that are found, second filter less flags"
		c.Interval = claim.Difference(of.comparison.of(twofold, foundOf),
			of.comparison.of(flagged, foundOf))
		c.Why = "what is deleted is hidden for good, and nobody else's bits matter to it"
		claims = append(claims, c)
	}
	return claims, nil
}

// sizes is what the document says of memory.
func sizes(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	c := claim.Claim{Item: "memory", Unit: claim.Number, Reading: claim.Literal}
	c.Where = `line 80: "would run out of memory in more traditional set data structures"`
	c.Quantity = "bits of an exact table of addresses by those of its filter, log"
	c.Published = claim.Trend(claim.Higher)
	for _, p := range falseRates {
		c.Parameters = map[string]any{"P": p, "load": load}
		c.Interval = claim.Exact(math.Log(32 / load / memory(p)))
		c.Why = fmt.Sprintf("an address has 32 bits, and takes %.3g in a table; bits and flags "+
			"take %.3g per source",
			32/load, memory(p))
		claims = append(claims, c)
	}
	c.Parameters, c.Published = map[string]any{"P": standard}, claim.Published{}
	c.Quantity = "sources from which on a bit for each address there is takes less than bits " +
		"and flags"
	c.Interval = claim.Exact(math.Floor(math.Exp2(32)/memory(standard)) + 1)
	claims = append(claims, c)

	c.Where = `line 90: "or the size of the structure will increase by at least roughly double"`
	c.Quantity = "bits by those of a filter that does not delete, with a million sources, less 1.8"
	c.Published = claim.Trend(claim.Higher)
	const members = 1_000_000
	cuckoos := cuckoo.Config{Members: members, Rate: standard}
	letters := dlbf.Config{Members: members, Rate: standard}
	for _, of := range []struct {
		name string
		bits float64
	}{
		{flagged, 2 * perElement(standard)}, {counted, counterBits * perElement(standard)},
		{lettered, float64(must(letters.Shape()).Bits) / members},
		{cuckooed, 8 * float64(must(cuckoos.Shape()).Bytes()) / members},
	} {
		c.Parameters = map[string]any{"P": standard, "filter": of.name}
		c.Interval = claim.Exact(of.bits/perElement(standard) - 1.8)
		c.Why = fmt.Sprintf("it has %.3g bits per source, and a filter without deletes %.3g",
			of.bits, perElement(standard))
		claims = append(claims, c)
	}

	c.Parameters, c.Trials = nil, 0
	c.Where =
		`line 78, of a survey: "at least eight existing Bloom Filter variations that allow for deletion"`
	c.Quantity = "ways to delete that are measured here, less 7"
	c.Interval = claim.Exact(float64(len(variants)-1) - 7) // not the exact one
	return append(claims, c), nil
}
