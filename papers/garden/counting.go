package garden

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// counted is the section on the counting filter.
var counted = []claim.Part{overflows, falseNegatives, undercounts, decremented, widths}

// countingOf is a counting filter of m cells, which fill words.
func countingOf(m, k, width, n int) *counting.Filter {
	f := must(counting.New(counting.Config{
		Members: n, BitsPerKey: 64 * float64(m/(64/width)) / float64(n), Hashes: k,
		Width: width, Key: secret,
	}))
	if f.Shape().Cells != m {
		panic(fmt.Sprintf("garden: a filter of %d cells, want %d", f.Shape().Cells, m))
	}
	return f
}

// unit is a number of cells that are whole words, whatever their width up to 4 bits.
const unit = 64 * 21

// full is how many keys m cells have at their optimum, with k of them each.
func full(m, k int) int { return int(math.Round(float64(m) / float64(k) * math.Ln2)) }

// reached returns the probability that one of m cells or more gets j of some throws or more. The
// cells are taken as independent, which they nearly are.
func reached(m, throws float64, j int) float64 {
	return -math.Expm1(m * math.Log1p(-tail(j, throws, 1/m)))
}

// union is the bound of Fan et al. (section V-C) on the same: m C(throws, j) / m^j is at most
// m (e throws / (j m))^j.
func union(m, throws float64, j int) float64 {
	return m * math.Pow(math.E*throws/(float64(j)*m), float64(j))
}

// overflows is the first issue: a counter reaches its highest value and cannot be incremented any
// more.
func overflows(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const k = 4
	some := chart.New("at the optimum", "bits of a counter",
		"probability of an overflow in a filter")
	share := chart.New("m = "+quantity.Count(10*unit), "keys, as a multiple of the optimum",
		"counters at their highest value")
	c := claim.Claim{
		Item: "counting: overflows", Where: `section Counting: "counter overflows"`,
		Unit:    claim.Share,
		Reading: claim.Literal, Point: true,
	}
	for series, m := range []int{unit, 10 * unit, 100 * unit} {
		n := full(m, k)
		throws := float64(k * n)
		most := trials.Each(run, fmt.Sprint("overflows ", m),
			number(run, 4_000_000/m*10, 400_000/m*10), func(rng *rand.Rand) int64 {
				c := newCounters(m, k, false)
				for range n {
					c.add(rng.Uint64(), 1)
				}
				return slices.Max(c.cells)
			})
		c.Trials = len(most)
		var marks, line, bound plotter.XYs
		for width := 1; width <= 4; width++ {
			over := 1 << width
			hits := 0
			for _, value := range most {
				if value >= int64(over) {
					hits++
				}
			}
			c.Parameters = map[string]any{"m": m, "k": k, "n": n, "w": width}
			c.Quantity = "filters in which a counter overflows"
			c.Theory, c.Interval = claim.By(exact, reached(float64(m), throws, over)),
				claim.Proportion(hits, len(most))
			claims = append(claims, c)
			if hits > 0 {
				marks = append(marks, plotter.XY{X: float64(width), Y: *c.Measured})
			}
			line = append(line, plotter.XY{X: float64(width), Y: *c.Expected})
			bound = append(bound,
				plotter.XY{X: float64(width), Y: min(1, union(float64(m), throws, over))})
		}
		name := fmt.Sprintf("m = %s", quantity.Count(m))
		beside(some, name, series, line, marks)
		some.Add("", bound, dotted(series))
	}
	const m = 10 * unit
	for series, width := range []int{1, 2, 3, 4} {
		top := 1<<width - 1
		var marks, line plotter.XYs
		for _, load := range []float64{0.25, 0.5, 1, 2, 4, 8, 16} {
			n := int(load * float64(full(m, k)))
			expected := tail(top, float64(k*n), 1./m)
			if expected > 1e-9 {
				line = append(line, plotter.XY{X: load, Y: expected})
			}
			results := trials.Each(run, fmt.Sprint("saturated ", width, load), number(run, 200, 20),
				func(rng *rand.Rand) float64 {
					f := countingOf(m, k, width, n)
					for range n {
						must(f.InsertHash(rng.Uint64()))
					}
					return float64(f.Stats().Saturated) / m
				})
			c.Parameters = map[string]any{"m": m, "k": k, "n": n, "w": width}
			c.Quantity, c.Trials = "counters at their highest value", len(results)
			c.Theory, c.Interval = claim.By(exact, expected), claim.Mean(results)
			if *c.Low <= 0 { // some hits in all: no interval of such is exact
				continue
			}
			claims = append(claims, c)
			marks = append(marks, plotter.XY{X: load, Y: *c.Measured})
		}
		name := fmt.Sprintf("w = %d", width)
		beside(share, name, 3+series, line, marks)
	}
	some.X.Tick.Marker = chart.Ticks(quantity.Number, 1, 2, 3, 4)
	chart.Logarithmic(quantity.Number, &some.Y)
	chart.Logarithmic(quantity.Number, &share.Y)
	chart.Logarithmic(quantity.Number, &share.X)
	some.Y.Tick.Marker = chart.Ticks(quantity.Number, 1e-12, 1e-9, 1e-6, 0.001, 1)
	share.Y.Tick.Marker = chart.Ticks(quantity.Number, 1e-8, 1e-6, 0.0001, 0.01, 1)
	share.X.Tick.Marker = chart.Ticks(quantity.Number, 0.25, 0.5, 1, 2, 4, 8, 16)

	c.Point, c.Trials, c.Theory = false, 0, claim.Theory{}
	for _, m := range []float64{1e3, 1e6, 1e9, 1e12} {
		least := 1
		for reached(m, m*math.Ln2, 1<<least) > 0.01 {
			least++
		}
		c.Where = `section Counting: the original filter's counters are "only to support deletion"`
		c.Parameters = map[string]any{"m": m}
		c.Quantity = "least width for fewer than 0.01 overflows a filter, less the 4 bits of " +
			"Fan et al."
		c.Unit = claim.Number
		c.Published, c.Interval = claim.Trend(claim.NotHigher), claim.Exact(float64(least-4))
		c.Why = fmt.Sprintf("with 4 bits it is %.2g", reached(m, m*math.Ln2, 16))
		claims = append(claims, c)
		c.Quantity = "the union bound with 4 bits, less 0.01"
		c.Interval = claim.Exact(union(m, m*math.Ln2, 16) - 0.01)
		c.Why = fmt.Sprintf("the bound is %.2g m: what is expected is a twentieth of it, %.2g m",
			union(1, math.Ln2, 16), tail(16, 1e12, math.Ln2/1e12))
		claims = append(claims, c)
	}
	return claims, []claim.Figure{{Name: "overflows", Picture: &chart.Picture{
		Title:  "Counters that overflow: marks simulated, lines expected, dotted the union bound",
		Panels: []*chart.Panel{some, share}, Columns: 2, Width: 330, Height: 260,
	}}}
}

// erosion is what deletes of non-members leave of a counting filter with n members: the parts of
// all cells, and of those of a member, that are at each value, in the mean. Such a delete takes one
// from k cells, any of those above 0, if all of its own are.
type erosion struct {
	m, k     float64
	all, own []float64
}

func eroding(m, k, n int) *erosion {
	e := &erosion{m: float64(m), k: float64(k), all: make([]float64, 64), own: make([]float64, 64)}
	load := float64(k*n) / float64(m)
	term := math.Exp(-load)
	for value := range len(e.all) - 1 {
		e.all[value], e.own[value+1] = term, term // a member's cell has one throw for sure
		term *= load / float64(value+1)
	}
	return e
}

// delete deletes a number of random keys, some of which are found.
func (e *erosion) delete(keys float64) {
	const steps = 400
	for range steps {
		rate := keys / steps * e.k / e.m * math.Pow(1-e.all[0], e.k-1)
		for _, cells := range [][]float64{e.all, e.own} {
			for value := range len(cells) - 1 {
				down := rate * cells[value+1]
				cells[value] += down
				cells[value+1] -= down
			}
		}
	}
}

func (e *erosion) rate() float64   { return math.Pow(1-e.all[0], e.k) }
func (e *erosion) missed() float64 { return 1 - math.Pow(1-e.own[0], e.k) }

// falseNegatives is what deletes do to members.
func falseNegatives(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n = 960
	attempts := []float64{0, 0.25, 0.5, 1, 2, 4}
	missed := chart.New("", "deletes of non-members, per member", "members that are not found")
	rates := chart.New("", "deletes of non-members, per member", "rate of false positives")
	type state struct{ missed, rate float64 }
	type life struct {
		states  []state
		first   float64 // members not found after a single delete, in the mean of some
		kept    int     // members not found after half of them are deleted
		flipped float64 // the same with bits instead of counters
	}
	for series, p := range []struct{ m, k int }{{6 * n, 4}, {8 * n, 6}, {10 * n, 7}} {
		lives := trials.Each(run, fmt.Sprint("false negatives ", p), number(run, 300, 40),
			func(rng *rand.Rand) (l life) {
				f, whole, bits := countingOf(p.m, p.k, 4, n), countingOf(p.m, p.k, 4, n),
					newCounters(p.m, p.k, false)
				members := make([]uint64, n)
				for i := range members {
					members[i] = rng.Uint64()
					must(f.InsertHash(members[i]))
					must(whole.InsertHash(members[i]))
					bits.add(members[i], 1)
				}
				lost := func(f *counting.Filter) float64 {
					return float64(n-f.QueryHashBatch(members, nil)) / n
				}
				const singles = 200
				for range singles {
					if hash := rng.Uint64(); f.QueryHash(hash) {
						g := f.Clone()
						g.DeleteHash(hash)
						l.first += lost(g) / singles
					}
				}
				done := 0
				for _, upTo := range attempts {
					for ; done < int(upTo*n); done++ {
						f.DeleteHash(rng.Uint64())
					}
					l.states = append(l.states, state{lost(f), f.State().Rate})
				}
				for _, hash := range members[:n/2] {
					whole.DeleteHash(hash)
					for _, cell := range bits.positions(nil, hash) {
						bits.cells[cell] = 0
					}
				}
				l.kept = n/2 - whole.QueryHashBatch(members[n/2:], nil)
				for _, hash := range members[n/2:] {
					if bits.least(hash, endless) == 0 {
						l.flipped += 2. / n
					}
				}
				return l
			})
		c := claim.Claim{
			Item: "counting: false negatives", Parameters: map[string]any{"m": p.m, "k": p.k,
				"n": n, "w": 4},
			Unit: claim.Share, Trials: len(lives),
		}
		theory := eroding(p.m, p.k, n)
		var marks, line, rateMarks, rateLine plotter.XYs
		for i, upTo := range attempts {
			if i > 0 {
				const steps = 8
				for step := range steps {
					from := attempts[i-1]
					theory.delete((upTo - from) * n / steps)
					x := from + (upTo-from)*float64(step+1)/steps
					line = append(line, plotter.XY{X: x, Y: theory.missed()})
					rateLine = append(rateLine, plotter.XY{X: x, Y: theory.rate()})
				}
			} else {
				rateLine = plotter.XYs{{X: 0, Y: theory.rate()}}
			}
			at := c
			at.Where, at.Point, at.Reading = "section Counting: deletes", true,
				"deletes of non-members"
			at.Parameters = map[string]any{"m": p.m, "k": p.k, "n": n, "w": 4, "deletes": upTo * n}
			at.Quantity = "members that are not found"
			at.Theory = claim.By(meanField, theory.missed())
			at.Interval = mean(lives, func(l *life) float64 { return l.states[i].missed })
			claims = append(claims, at)
			if i > 0 {
				marks = append(marks, plotter.XY{X: upTo, Y: *at.Measured})
			}
			at.Quantity = "rate of false positives"
			at.Theory = claim.By(meanField, theory.rate())
			at.Interval = mean(lives, func(l *life) float64 { return l.states[i].rate })
			claims = append(claims, at)
			rateMarks = append(rateMarks, plotter.XY{X: upTo, Y: *at.Measured})
		}
		name := fmt.Sprintf("m/n = %d, k = %d", p.m/n, p.k)
		beside(missed, name, series, line, marks)
		beside(rates, name, series, rateLine, rateMarks)

		single, after := eroding(p.m, p.k, n), eroding(p.m, p.k, n)
		before := after.rate()
		single.delete(1)
		after.delete(n)
		c.Where = `section Counting: "deletions necessarily introduce false negative (FN) errors"`
		c.Quantity, c.Published = "members that are not found", claim.Trend(claim.Higher)
		hidden := 0
		for i := range lives {
			hidden += lives[i].kept
		}
		c.Reading, c.Theory, c.Interval = "of members, of which half go", claim.By(exact, 0),
			claim.Proportion(hidden, n/2*len(lives))
		c.Why = "a counter is at least the number of members that have it, so that none of a " +
			"member's goes to " +
			"0: deletes of members alone introduce no error while no counter is full"
		claims = append(claims, c)
		c.Reading = "of non-members, as many as there are members, where they are found"
		c.Theory = claim.By(meanField, after.missed())
		c.Interval, c.Why = mean(lives, func(l *life) float64 { return l.states[3].missed }), ""
		claims = append(claims, c)
		c.Reading = "of members, by setting bits to 0, of which half go"
		c.Theory = claim.By(meanField, 1-stillZero(float64(p.m), float64(p.k*p.k*n/2)))
		c.Interval = mean(lives, func(l *life) float64 { return l.flipped })
		claims = append(claims, c)

		c.Where =
			`section Counting: "the probability of a FN is bounded by", where the bound is lost: the ` + `rate of false positives`
		c.Quantity, c.Published = "members that are not found, less the rate of false "+
			"positives before",
			claim.Trend(claim.NotHigher)
		c.Reading, c.Theory = "after one delete of a non-member",
			claim.By(meanField, single.missed()-before)
		c.Interval = mean(lives, func(l *life) float64 { return l.first - l.states[0].rate })
		claims = append(claims, c)
		c.Reading = "after as many deletes of non-members as there are members"
		c.Theory = claim.By(meanField, after.missed()-before)
		c.Interval = mean(lives,
			func(l *life) float64 { return l.states[3].missed - l.states[0].rate })
		c.Why = fmt.Sprintf("the bound holds for one delete, which finds a non-member with the "+
			"rate, %s. A delete that does subtracts one from %d counters, and a member is lost "+
			"if any of its counters was 1: %d deletes lose %s of the members",
			quantity.Percent(before), p.k, n, quantity.Percent(after.missed()))
		claims = append(claims, c)
	}
	for _, panel := range []*chart.Panel{missed, rates} {
		chart.Logarithmic(quantity.Percent, &panel.Y)
		panel.X.Tick.Marker = chart.Ticks(quantity.Number, 0, 1, 2, 3, 4)
		panel.X.Min = 0
	}
	return claims, []claim.Figure{{Name: "negatives", Picture: &chart.Picture{
		Title: "Deletes of non-members from a counting filter (n = 960, w = 4): marks " +
			"simulated, lines expected",
		Panels: []*chart.Panel{missed, rates}, Columns: 2, Width: 330, Height: 260,
	}}}
}

// What is counted, of a multiset.
const (
	universe = 4000
	drawn    = 20_000
)

var skews = []float64{0, 0.8, 1.1, 1.4}

// undercounts is what counters leave out that stop at their highest value.
func undercounts(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const k, most = 5, 14
	m := 8 * universe
	keys := chart.New("", "bits of a counter", "keys that are undercounted")
	lost := chart.New("", "bits of a counter", "occurrences that are not counted")
	var uniform claim.Interval
	for series, skew := range skews {
		type stream struct {
			keys float64
			// keys that counters without an end count less often than they came
			never       int
			under, lost [most + 1]float64 // by the width
			// width that leaves out a hundredth of the occurrences at most
			least float64
		}
		streams := trials.Each(run, fmt.Sprint("undercounts ", skew), number(run, 100, 10),
			func(rng *rand.Rand) (s stream) {
				hashes, times := multiset(rng, universe, drawn, skew)
				c := newCounters(m, k, false)
				for i, hash := range hashes {
					c.add(hash, times[i])
				}
				s.keys = float64(len(hashes))
				for i, hash := range hashes {
					if c.least(hash, endless) < times[i] {
						s.never++
					}
					for width := 1; width <= most; width++ {
						if missing := times[i] - c.least(hash, 1<<width-1); missing > 0 {
							s.under[width]++
							s.lost[width] += float64(missing) / drawn
						}
					}
				}
				for s.least = 1; s.lost[int(s.least)] > 0.01; {
					s.least++
				}
				return s
			})
		undercounted := func(width int) claim.Interval {
			return claim.Ratio(trials.Column(streams,
				func(s *stream) float64 { return s.under[width] }),
				trials.Column(streams, func(s *stream) float64 { return s.keys }))
		}
		p := chances(universe, skew)
		c := claim.Claim{
			Item: "counting: undercounts",
			Where: `section Counting: to stop counting "introduces ` +
				`undercounts, which we also refer to as FNs"`,
			Unit: claim.Share, Trials: len(streams), Reading: claim.Literal, Point: true,
		}
		var marks, line, lostMarks, lostLine plotter.XYs
		for width := 1; width <= most; width++ {
			highest := 1<<width - 1
			came, under, missed := 0.0, 0.0, 0.0
			for _, p := range p {
				came += tail(1, drawn, p)
				under += tail(highest+1, drawn, p)
				// The mean of what is above: the sum of the tails from there on, of few terms that
				// count.
				for j := highest + 1; ; j++ {
					t := tail(j, drawn, p)
					missed += t
					if t < 1e-9 {
						break
					}
				}
			}
			c.Parameters = map[string]any{"m": m, "k": k, "skew": skew, "w": width}
			c.Quantity = "keys that are undercounted"
			c.Theory = claim.By(exact, under/came)
			c.Interval = undercounted(width)
			if *c.Measured > 0 {
				claims = append(claims, c)
				marks = append(marks, plotter.XY{X: float64(width), Y: *c.Measured})
			}
			if under > 1e-6*came {
				line = append(line, plotter.XY{X: float64(width), Y: *c.Expected})
			}
			c.Quantity, c.Theory = "occurrences that are not counted", claim.By(exact, missed/drawn)
			c.Interval = mean(streams, func(s *stream) float64 { return s.lost[width] })
			if *c.Measured > 0 {
				claims = append(claims, c)
				lostMarks = append(lostMarks, plotter.XY{X: float64(width), Y: *c.Measured})
			}
			if missed > 1e-6*drawn {
				lostLine = append(lostLine, plotter.XY{X: float64(width), Y: *c.Expected})
			}
		}
		name := fmt.Sprintf("skew %g", skew)
		beside(keys, name, series, line, marks)
		beside(lost, name, series, lostLine, lostMarks)
		c.Point = false
		for _, width := range []int{2, 3} {
			c.Parameters = map[string]any{"m": m, "k": k, "skew": skew, "w": width}
			c.Quantity, c.Published, c.Theory = "keys that are undercounted",
				claim.Trend(claim.Higher), claim.Theory{}
			c.Interval = undercounted(width)
			c.Why = "no key comes more often than the counters reach"
			claims = append(claims, c)
		}
		never, all := 0, 0.0
		for i := range streams {
			never, all = never+streams[i].never, all+streams[i].keys
		}
		c.Where = "section Counting: the minimum of the counters as an estimate"
		c.Parameters = map[string]any{"m": m, "k": k, "skew": skew}
		c.Quantity, c.Published = "keys that are undercounted where no counter is full", none()
		c.Interval, c.Why = claim.Proportion(never, int(all)),
			"an occurrence is in all counters of its key"
		claims = append(claims, c)

		least := mean(streams, func(s *stream) float64 { return s.least })
		c.Where = `section Counting: the choice of w "depends on the distribution of the data"`
		c.Quantity, c.Unit = "least w that leaves out a hundredth of the occurrences at most",
			claim.Number
		c.Published, c.Interval = claim.Published{}, least
		claims = append(claims, c)
		if series == 0 {
			uniform = least
			continue
		}
		c.Quantity, c.Published = "the same, more than where all keys are as frequent",
			claim.Trend(claim.Higher)
		c.Interval, c.Why = least.Less(uniform), "the most frequent key comes as often as others"
		claims = append(claims, c)
	}
	chart.Logarithmic(quantity.Percent, &keys.Y)
	chart.Logarithmic(quantity.Percent, &lost.Y)
	for _, panel := range []*chart.Panel{keys, lost} {
		panel.X.Tick.Marker = chart.Ticks(quantity.Number, 2, 4, 6, 8, 10, 12, 14)
	}
	return claims, []claim.Figure{{Name: "undercounts", Picture: &chart.Picture{
		Title: fmt.Sprintf("Counters that stop at their highest value, of %s keys in %s "+
			"draws: marks simulated, lines exact", quantity.Count(universe), quantity.Count(drawn)),
		Panels: []*chart.Panel{keys, lost}, Columns: 2, Width: 330, Height: 260,
	}}}
}

// decremented is what deletes do where counters are full: they stay in this project's, and count
// down in a model.
func decremented(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const k, skew = 5, 1.1
	m := 8 * unit
	for _, width := range []int{2, 3, 4} {
		type result struct{ stay, down float64 }
		results := trials.Each(run, fmt.Sprint("decremented ", width), number(run, 100, 10),
			func(rng *rand.Rand) (r result) {
				hashes, times := multiset(rng, unit, 4*unit, skew)
				f, model := countingOf(m, k, width, unit), newCounters(m, k, false)
				highest := int64(1)<<width - 1
				for i, hash := range hashes {
					for range times[i] {
						must(f.InsertHash(hash))
						for _, cell := range model.positions(nil, hash) {
							model.cells[cell] = min(model.cells[cell]+1, highest)
						}
					}
				}
				for i, hash := range hashes { // once each is left
					for range times[i] - 1 {
						f.DeleteHash(hash)
						for _, cell := range model.positions(nil, hash) {
							model.cells[cell] = max(model.cells[cell]-1, 0)
						}
					}
				}
				r.stay = 1 - float64(f.QueryHashBatch(hashes, nil))/float64(len(hashes))
				for _, hash := range hashes {
					if model.least(hash, endless) == 0 {
						r.down += 1 / float64(len(hashes))
					}
				}
				return r
			})
		c := claim.Claim{
			Item:       "counting: deletes from full counters",
			Where:      `section Counting: "one typically stops ` + `counting"`,
			Parameters: map[string]any{"m": m, "k": k, "skew": skew, "w": width}, Unit: claim.Share,
			Trials:   len(results),
			Quantity: "members that are not found after deletes of all their occurrences but one",
		}
		c.Published, c.Reading = claim.Trend(claim.Higher), "a full counter counts down"
		c.Interval = mean(results, func(r *result) float64 { return r.down })
		claims = append(claims, c)
		c.Published, c.Reading = none(), "a full counter stays: filter/counting"
		c.Interval, c.Why = mean(results, func(r *result) float64 { return r.stay }),
			"a member was lost"
		claims = append(claims, c)
	}
	return claims, nil
}

// widths is the second issue, the choice of w.
func widths(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const k = 4
	const m = 2 * unit
	n := full(m, k)
	zeros := chart.New("", "bits of a counter", "bits of the table that are 0")
	var marks, line plotter.XYs
	// unused returns the part of a table's bits that are 0.
	unused := func(f *counting.Filter) float64 {
		ones := 0
		for _, word := range must(f.Contents()).Sections[0].Words {
			ones += bits.OnesCount64(word)
		}
		return 1 - float64(ones)/float64(f.Shape().Cells*f.Shape().Width)
	}
	found := map[int]claim.Interval{}
	c := claim.Claim{Item: "counting: the choice of w", Reading: claim.Literal}
	for _, width := range []int{1, 2, 4, 8, 16} {
		results := trials.Each(run, fmt.Sprint("widths ", width), number(run, 400, 40),
			func(rng *rand.Rand) float64 {
				f := countingOf(m, k, width, n)
				for range n {
					must(f.InsertHash(rng.Uint64()))
				}
				return unused(f)
			})
		ones := 0.0
		for value := 1; value < 40; value++ {
			chance := tail(value, float64(k*n), 1./m) - tail(value+1, float64(k*n), 1./m)
			ones += chance * float64(bits.OnesCount(uint(min(value, 1<<width-1))))
		}
		found[width] = claim.Mean(results)
		c.Where, c.Point = `section Counting: "a lot of unused space manifesting as unused zeros"`,
			true
		c.Parameters = map[string]any{"m": m, "k": k, "n": n, "w": width}
		c.Quantity, c.Unit, c.Trials = "bits of the table that are 0", claim.Share, len(results)
		c.Theory, c.Interval = claim.By(exact, 1-ones/float64(width)), found[width]
		claims = append(claims, c)
		marks = append(marks, plotter.XY{X: float64(width), Y: *c.Measured})
		line = append(line, plotter.XY{X: float64(width), Y: *c.Expected})
		if half, has := found[width/2]; has {
			c.Point, c.Published = false, claim.Trend(claim.Higher)
			c.Quantity, c.Theory = "bits of the table that are 0, more than with half the width",
				claim.Theory{}
			c.Interval = found[width].Less(half)
			claims = append(claims, c)
			c.Published = claim.Published{}
		}
	}
	beside(zeros, "at the optimum", 0, line, marks)
	zeros.Y.Min, zeros.Y.Max = 0.4, 1
	zeros.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0.4, 0.6, 0.8, 1)
	zeros.X.Tick.Marker = chart.Ticks(quantity.Number, 1, 2, 4, 8, 16)

	// The savings beside a list of hashes of 64 bits, at a rate of 1 %.
	saved := func(width int) float64 { return 1 - float64(width)*optimalBits(0.01)/64 }
	for _, width := range []int{4, 8, 16} {
		c.Where = `section Counting: "a large w quickly diminishes the space savings"`
		c.Parameters, c.Point = map[string]any{"w": width, "rate": 0.01}, false
		c.Quantity, c.Unit, c.Trials =
			"bits saved of a list of 64-bit hashes, less than with w = 1", claim.Share, 0
		c.Theory, c.Published, c.Interval = claim.Theory{}, claim.Trend(claim.Lower),
			claim.Exact(saved(width)-saved(1))
		claims = append(claims, c)
		c.Quantity, c.Published, c.Interval = "bits saved of a list of 64-bit hashes",
			claim.Published{}, claim.Exact(saved(width))
		claims = append(claims, c)
	}

	saturated := func(width int, skew float64) claim.Interval {
		return claim.Mean(trials.Each(run, fmt.Sprint("saturated by width ", width, skew),
			number(run, 60, 10), func(rng *rand.Rand) float64 {
				f := countingOf(20*unit, k, width, 4*unit)
				hashes, times := multiset(rng, 4*unit, 20*unit, skew)
				for i, hash := range hashes {
					for range times[i] {
						must(f.InsertHash(hash))
					}
				}
				return float64(f.Stats().Saturated) / float64(f.Shape().Cells)
			}))
	}
	c.Unit, c.Theory, c.Trials = claim.Share, claim.Theory{}, number(run, 60, 10)
	for _, skew := range skews[1:] {
		c.Where = `section Counting: "a small w may quickly lead to maximum counter values"`
		c.Parameters = map[string]any{"m": 20 * unit, "k": k, "skew": skew, "w": 2}
		c.Quantity, c.Published = "counters at their highest value, more than with w = 4",
			claim.Trend(claim.Higher)
		c.Interval = saturated(2, skew).Less(saturated(4, skew))
		claims = append(claims, c)
	}
	return claims, []claim.Figure{{Name: "zeros", Picture: &chart.Picture{
		Title:  "Zeros that a wider counter adds: marks simulated, line exact",
		Panels: []*chart.Panel{zeros}, Columns: 1, Width: 420, Height: 260,
	}}}
}
