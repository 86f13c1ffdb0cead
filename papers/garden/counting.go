package garden

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

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

// highest are the highest counters of filters at their optimum.
func highest(run *trials.Run, at claim.Parameters) (string, []int64) {
	m, k := at.Int("m"), at.Int("k")
	return repeated(run, fmt.Sprint("overflows ", m), 4_000_000/m*10, 400_000/m*10,
		func(rng *rand.Rand) int64 {
			c := newCounters(m, k, false)
			for range full(m, k) {
				c.add(rng.Uint64(), 1)
			}
			return slices.Max(c.cells)
		})
}

// ofOptimum is a formula of the throws at the optimum, and of how many a counter has no room for.
func ofOptimum(f func(m, throws float64, j int) float64) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 {
		m, j := at.Int("m"), 1<<at.Int("w")
		if k := at.Int("k"); k > 0 {
			return f(float64(m), float64(k*full(m, k)), j)
		}
		return f(at.Float("m"), at.Float("m")*math.Ln2, j)
	}
}

// loaded are parts of the counters that are at their highest value, at a load, by the optimum's.
func loaded(run *trials.Run, at claim.Parameters) (string, []float64) {
	m, k, width := at.Int("m"), at.Int("k"), at.Int("w")
	if skew, found := at["skew"]; found {
		return repeated(run, fmt.Sprint("saturated by width ", width, skew), 60, 10,
			func(rng *rand.Rand) float64 {
				f := countingOf(m, k, width, 4*unit)
				hashes, times := multiset(rng, 4*unit, 20*unit, at.Float("skew"))
				for i, hash := range hashes {
					for range times[i] {
						must(f.InsertHash(hash))
					}
				}
				return float64(f.Stats().Saturated) / float64(m)
			})
	}
	load := at.Float("load")
	n := int(load * float64(full(m, k)))
	return repeated(run, fmt.Sprint("saturated ", width, load), 200, 12,
		func(rng *rand.Rand) float64 {
			f := countingOf(m, k, width, n)
			for range n {
				must(f.InsertHash(rng.Uint64()))
			}
			return float64(f.Stats().Saturated) / float64(m)
		})
}

// erosion is what deletes of non-members leave of a counting filter with n members: the parts of
// all cells, and of those of a member, that are at each value, in the mean. Such a delete takes one
// from k cells, any of those above 0, if all of its own are.
type erosion struct {
	m, k     float64
	all, own []float64
}

// eroded is one after a number of deletes of random keys.
func eroded(m, k, n int, keys float64) *erosion {
	e := &erosion{m: float64(m), k: float64(k), all: make([]float64, 64), own: make([]float64, 64)}
	load := float64(k*n) / float64(m)
	term := math.Exp(-load)
	for value := range len(e.all) - 1 {
		e.all[value], e.own[value+1] = term, term // a member's cell has one throw for sure
		term *= load / float64(value+1)
	}
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
	return e
}

func (e *erosion) rate() float64   { return math.Pow(1-e.all[0], e.k) }
func (e *erosion) missed() float64 { return 1 - math.Pow(1-e.own[0], e.k) }

func ofErosion(f func(e *erosion) float64) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 {
		return f(eroded(at.Int("m"), at.Int("k"), at.Int("n"), at.Float("deletes")))
	}
}

// deletes are numbers of deletes of non-members, from filters of 960 members.
var deletes = []float64{0, 240, 480, 960, 1920, 3840}

const deleters = 960

// life is a counting filter with deletes.
type life struct {
	missed, rates []float64 // members that are not found, by the deletes
	first         float64   // those after a single delete, in the mean of some
	kept          int       // those after half of them are deleted
	flipped       float64   // the same with bits instead of counters
}

func lives(run *trials.Run, at claim.Parameters) (string, []life) {
	p := struct{ m, k int }{at.Int("m"), at.Int("k")}
	const n = deleters
	return repeated(run, fmt.Sprint("false negatives ", p), 300, 24, func(rng *rand.Rand) (l life) {
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
		for _, upTo := range deletes {
			for ; done < int(upTo); done++ {
				f.DeleteHash(rng.Uint64())
			}
			l.missed, l.rates = append(l.missed, lost(f)), append(l.rates, f.State().Rate)
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
}

// What is counted, of a multiset.
const (
	universe = 4000
	drawn    = 20_000
	widest   = 14
)

var skews = []float64{0, 0.8, 1.1, 1.4}

// stream is a multiset in counters.
type stream struct {
	keys  float64
	never int // keys that counters without an end count less often than they came

	// The keys that are counted less often than they came, and the part of the occurrences that is
	// not counted, by the width; and the width that leaves out a hundredth at most.
	under, lost [widest + 1]float64
	least       float64
}

func streams(run *trials.Run, at claim.Parameters) (string, []stream) {
	m, k, skew := at.Int("m"), at.Int("k"), at.Float("skew")
	return repeated(run, fmt.Sprint("undercounts ", skew), 100, 10,
		func(rng *rand.Rand) (s stream) {
			hashes, times := multiset(rng, universe, drawn, skew)
			c := newCounters(m, k, false)
			for i, hash := range hashes {
				c.add(hash, times[i])
			}
			s.keys = float64(len(hashes))
			for i, hash := range hashes {
				least := c.least(hash, endless)
				if least < times[i] {
					s.never++
				}
				for width := 1; width <= widest; width++ {
					if missing := times[i] - min(least, 1<<width-1); missing > 0 {
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
}

// undercounted returns the parts of the keys that come, and of the occurrences, that counters of a
// width leave out.
func undercounted(at claim.Parameters) (keys, lost float64) {
	most := math.Exp2(at.Float("w")) - 1
	came, all := 0.0, chances(universe, at.Float("skew"))
	for _, p := range all {
		came += -math.Expm1(drawn * math.Log1p(-p))
	}
	for _, p := range all {
		over := tail(int(most)+1, drawn, p)
		if over < 1e-12 {
			break // and the others come less often
		}
		keys += over
		// The mean of n draws, where more than most hit, is n p times the chance that of the
		// others most do.
		lost += drawn*p*tail(int(most), drawn-1, p) - most*over
	}
	if lost < 1e-6 { // which is not seen
		return math.NaN(), math.NaN()
	}
	return keys / came, lost / drawn
}

// full counters that deletes leave as they are, and such that they decrement.
type decremented struct{ stay, down float64 }

// decrement deletes all occurrences of keys but one, and returns the parts that are lost.
func decrement(run *trials.Run, at claim.Parameters) (string, []decremented) {
	m, k, width := at.Int("m"), at.Int("k"), at.Int("w")
	return repeated(run, fmt.Sprint("decremented ", width), 100, 6,
		func(rng *rand.Rand) (r decremented) {
			hashes, times := multiset(rng, unit, 4*unit, at.Float("skew"))
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
}

// unused are the parts of the bits of tables at their optimum that are 0.
func unused(run *trials.Run, at claim.Parameters) (string, []float64) {
	m, k, width := at.Int("m"), at.Int("k"), at.Int("w")
	return repeated(run, fmt.Sprint("widths ", width), 400, 40, func(rng *rand.Rand) float64 {
		f := countingOf(m, k, width, full(m, k))
		for range full(m, k) {
			must(f.InsertHash(rng.Uint64()))
		}
		ones := 0
		for _, word := range must(f.Contents()).Sections[0].Words {
			ones += bits.OnesCount64(word)
		}
		return 1 - float64(ones)/float64(m*width)
	})
}

// unusedBits is the same, expected.
func unusedBits(at claim.Parameters) float64 {
	m, k, width := at.Float("m"), at.Int("k"), at.Int("w")
	ones, throws := 0.0, float64(k*full(at.Int("m"), k))
	for value := 1; value < 40; value++ {
		chance := tail(value, throws, 1/m) - tail(value+1, throws, 1/m)
		ones += chance * float64(bits.OnesCount(uint(min(value, 1<<width-1))))
	}
	return 1 - ones/float64(width)
}

func itself(v *float64, _ claim.Parameters) float64 { return *v }

// counted is the section on the counting filter.
func counted() claim.Quantities {
	ofLife := func(number func(l *life, i int) float64) claim.Trials {
		return claim.Measured(lives, func(l *life, at claim.Parameters) float64 {
			return number(l, max(0, slices.Index(deletes, at.Float("deletes"))))
		})
	}
	ofStream := func(number func(s *stream, width int) float64) claim.Trials {
		return claim.Measured(streams, func(s *stream, at claim.Parameters) float64 {
			return number(s, at.Int("w"))
		})
	}
	return claim.Quantities{
		"filters in which a counter overflows": {Unit: claim.Share,
			Trials: claim.Counted(highest, func(v *int64, at claim.Parameters) (hits, cases int) {
				if *v >= 1<<at.Int("w") {
					hits = 1
				}
				return hits, 1
			}),
			Formulas: claim.Formulas{exact: ofOptimum(reached),
				"union bound": ofOptimum(func(m, throws float64, j int) float64 {
					return min(1, union(m, throws, j))
				}),
				"union bound, less 0.01": ofOptimum(func(m, throws float64, j int) float64 {
					return union(m, throws, j) - 0.01
				})}},
		"counters at their highest value": measured(claim.Measured(loaded, itself), exact,
			func(at claim.Parameters) float64 {
				m, k := at.Int("m"), at.Int("k")
				if _, found := at["load"]; !found {
					return math.NaN()
				}
				n := int(at.Float("load") * float64(full(m, k)))
				return tail(1<<at.Int("w")-1, float64(k*n), 1/float64(m))
			}),
		"least width for fewer than 0.01 overflows a filter, less the 4 bits of Fan et al.": {
			Formulas: claim.Formulas{exact: func(at claim.Parameters) float64 {
				least, m := 1, at.Float("m")
				for reached(m, m*math.Ln2, 1<<least) > 0.01 {
					least++
				}
				return float64(least - 4)
			}}},
		"members not found after deletes of non-members": measured(
			ofLife(func(l *life, i int) float64 { return l.missed[i] }), meanField,
			ofErosion((*erosion).missed)),
		"rate after deletes of non-members": measured(
			ofLife(func(l *life, i int) float64 { return l.rates[i] }), meanField,
			ofErosion((*erosion).rate)),
		"members not found after one delete of a non-member": measured(
			ofLife(func(l *life, _ int) float64 { return l.first }), meanField,
			func(at claim.Parameters) float64 {
				return eroded(at.Int("m"), at.Int("k"), at.Int("n"), 1).missed()
			}),
		"members not found after deletes of half of the members": measured(claim.Counted(lives,
			func(l *life, at claim.Parameters) (hits, cases int) {
				return l.kept, at.Int("n") / 2
			}), exact, never),
		"members not found after half of them had their bits set to 0": measured(
			ofLife(func(l *life, _ int) float64 { return l.flipped }), meanField,
			func(at claim.Parameters) float64 {
				return 1 - stillZero(at.Float("m"), at.Float("k")*at.Float("k")*at.Float("n")/2)
			}),
		"keys that are undercounted": measured(
			ofStream(func(s *stream, width int) float64 { return s.under[width] }).By(
				ofStream(func(s *stream, _ int) float64 { return s.keys })), exact,
			func(at claim.Parameters) float64 { keys, _ := undercounted(at); return keys }),
		"occurrences that are not counted": measured(
			ofStream(func(s *stream, width int) float64 { return s.lost[width] }), exact,
			func(at claim.Parameters) float64 { _, lost := undercounted(at); return lost }),
		"keys that are undercounted where no counter is full": measured(claim.Counted(streams,
			func(s *stream, _ claim.Parameters) (hits, cases int) {
				return s.never, int(s.keys)
			}), exact, never),
		"least w that leaves out a hundredth of the occurrences at most": {
			Trials: ofStream(func(s *stream, _ int) float64 { return s.least })},
		"members not found after deletes of all their occurrences but one": {Unit: claim.Share,
			Trials: claim.Measured(decrement, func(d *decremented, at claim.Parameters) float64 {
				if at.Text("a full counter") == "stays" {
					return d.stay
				}
				return d.down
			}).Of(members(unit, 4*unit))},
		"bits of the table that are 0": measured(claim.Measured(unused, itself), exact, unusedBits),
		"bits saved of a list of 64-bit hashes": computed(claim.Share, exact,
			func(at claim.Parameters) float64 {
				return 1 - at.Float("w")*optimalBits(at.Float("rate"))/64
			}),
	}
}

func countedFigures() []claim.Plot {
	var overflows, negatives, rates []claim.Curve
	for _, m := range []int{unit, 10 * unit, 100 * unit} {
		at := claim.Parameters{"m": m, "k": 4}
		overflows = append(overflows, claim.Curve{Name: "m = " + quantity.Count(m),
			Quantity: "filters in which a counter overflows", Theory: exact, Parameters: at},
			claim.Curve{Quantity: "filters in which a counter overflows", Theory: "union bound",
				Computed: true, Parameters: at})
	}
	for _, p := range []struct{ each, k int }{{6, 4}, {8, 6}, {10, 7}} {
		c := claim.Curve{Name: fmt.Sprintf("m/n = %d, k = %d", p.each, p.k), Theory: meanField,
			Reading: "deletes of non-members", Parameters: claim.Parameters{"m": p.each * deleters,
				"k": p.k, "n": deleters, "w": 4}}
		c.Quantity = "members not found after deletes of non-members"
		negatives = append(negatives, c)
		c.Quantity = "rate after deletes of non-members"
		rates = append(rates, c)
	}
	widths := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	bySkew := func(title, q string) claim.Panel {
		return claim.Panel{X: "bits of a counter", Y: title, By: "w", At: widths, Log: true,
			Curves: claim.Curves("skew %g", "skew", skews, claim.Curve{Quantity: q, Theory: exact,
				Parameters: claim.Parameters{"m": 8 * universe, "k": 5}}),
			Look: tickX(2, 4, 6, 8, 10, 12, 14)}
	}
	byDeletes := func(y string, curves []claim.Curve) claim.Panel {
		return claim.Panel{X: "deletes of non-members, per member", Y: y, By: "deletes",
			At: deletes, To: func(x float64) float64 { return x / deleters }, Log: true,
			Curves: curves,
			Look:   func(p *chart.Panel) { tickX(0, 1, 2, 3, 4)(p); p.X.Min = 0 }}
	}
	return []claim.Plot{
		{
			Name: "overflows", Where: `section Counting: "counter overflows"`,
			Title: "Counters that overflow: marks simulated, lines expected, thin the union bound",
			Width: 330, Height: 260, Columns: 2, Panels: []claim.Panel{
				{Title: "at the optimum", X: "bits of a counter",
					Y: "probability of an overflow in a filter", By: "w",
					At: []float64{1, 2, 3, 4}, Log: true, Curves: overflows,
					Look: func(p *chart.Panel) {
						tickX(1, 2, 3, 4)(p)
						p.Y.Tick.Marker = chart.Ticks(quantity.Number, 1e-12, 1e-9, 1e-6, 0.001, 1)
					}},
				{Title: "m = " + quantity.Count(10*unit), X: "keys, as a multiple of the optimum",
					Y: "counters at their highest value", By: "load", Log: true,
					At: []float64{0.25, 0.5, 1, 2, 4, 8, 16},
					Curves: claim.Curves("w = %d", "w", []int{1, 2, 3, 4}, claim.Curve{
						Quantity: "counters at their highest value", Theory: exact,
						Parameters: claim.Parameters{"m": 10 * unit, "k": 4}}),
					Look: func(p *chart.Panel) {
						chart.Logarithmic(quantity.Number, &p.X)
						tickX(0.25, 0.5, 1, 2, 4, 8, 16)(p)
						p.Y.Min = max(p.Y.Min, 1e-9)
						p.Y.Tick.Marker = chart.Ticks(quantity.Number, 1e-8, 1e-6, 0.0001, 0.01, 1)
					}},
			},
		},
		{
			Name: "negatives", Where: "section Counting: deletes",
			Title: "Deletes of non-members from a counting filter (n = 960, w = 4): marks " +
				"simulated, lines expected",
			Width: 330, Height: 260, Columns: 2, Panels: []claim.Panel{
				byDeletes("members that are not found", negatives),
				byDeletes("rate of false positives", rates)},
		},
		{
			Name: "undercounts", Where: "section Counting: to stop counting introduces undercounts",
			Title: fmt.Sprintf("Counters that stop at their highest value, of %s keys in %s "+
				"draws: marks simulated, lines exact", quantity.Count(universe),
				quantity.Count(drawn)),
			Width: 330, Height: 260, Columns: 2, Panels: []claim.Panel{
				bySkew("keys that are undercounted", "keys that are undercounted"),
				bySkew("occurrences that are not counted", "occurrences that are not counted")},
		},
		{
			Name: "zeros", Where: `section Counting: "unused zeros"`,
			Title: "Zeros that a wider counter adds: marks simulated, line exact",
			Width: 420, Height: 260, Columns: 1, Panels: []claim.Panel{{
				X: "bits of a counter", Y: "bits of the table that are 0", By: "w",
				At: []float64{1, 2, 4, 8, 16}, Curves: []claim.Curve{{Name: "at the optimum",
					Quantity: "bits of the table that are 0", Theory: exact,
					Parameters: claim.Parameters{"m": 2 * unit, "k": 4}}},
				Look: func(p *chart.Panel) {
					p.Y.Min, p.Y.Max = 0.4, 1
					percents(&p.Y, 0.4, 0.6, 0.8, 1)
					tickX(1, 2, 4, 8, 16)(p)
				}}},
		},
	}
}
