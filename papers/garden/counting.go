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
)

// countingOf is a counting filter of a claim's cells, which fill words, for n keys.
func countingOf(at claim.Parameters, n int) *counting.Filter {
	m, width := at.Int("m"), at.Int("w")
	f := must(counting.New(counting.Config{
		Members: n, BitsPerKey: 64 * float64(m/(64/width)) / float64(n), Hashes: at.Int("k"),
		Width: width, Key: secret,
	}))
	if f.Shape().Cells != m {
		panic(fmt.Sprintf("garden: a filter of %d cells, want %d", f.Shape().Cells, m))
	}
	return f
}

// countersOf is the model of as many cells.
func countersOf(at claim.Parameters) *counters {
	return newCounters(at.Int("m"), at.Int("k"), false)
}

// unit is a number of cells that are whole words, whatever their width up to 4 bits.
const unit = 64 * 21

// fullOf is how many keys a claim's m cells have at their optimum, with k of them each, and loadOf
// those at its load.
func fullOf(at claim.Parameters) int {
	return int(math.Round(at.Float("m") / at.Float("k") * math.Ln2))
}

func loadOf(at claim.Parameters) int { return int(at.Float("load") * float64(fullOf(at))) }

// highestOf is the highest value of a claim's counters.
func highestOf(at claim.Parameters) int64 { return 1<<at.Int("w") - 1 }

// reached returns the probability that one of m cells or more gets j of some throws or more. The
// cells are taken as independent, which they nearly are.
func reached(m, throws float64, j int) float64 {
	return -math.Expm1(m * math.Log1p(-trials.Tail(j, throws, 1/m)))
}

// union is the bound of Fan et al. (section V-C) on the same: m C(throws, j) / m^j is at most
// m (e throws / (j m))^j.
func union(m, throws float64, j int) float64 {
	return m * math.Pow(math.E*throws/(float64(j)*m), float64(j))
}

// ofOptimum is a formula of the throws at the optimum, and of how many a counter has no room for.
func ofOptimum(f func(m, throws float64, j int) float64) claim.Formula {
	return func(point claim.Parameters) float64 {
		m, throws := point.Float("m"), point.Float("m")*math.Ln2
		if k := point.Int("k"); k > 0 {
			throws = float64(k * fullOf(point))
		}
		return f(m, throws, 1<<point.Int("w"))
	}
}

// highest are the highest counters of filters at their optimum.
var highest = claim.Simulation{
	Name: claim.Named("overflows %v", "m"),
	Times: func(at claim.Parameters) (full, short int) {
		return 4_000_000 / at.Int("m") * 10, 400_000 / at.Int("m") * 10
	},
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		c := countersOf(at)
		for range fullOf(at) {
			c.add(rng.Uint64(), 1)
		}
		return claim.Outcome{"value": {float64(slices.Max(c.cells))}}
	},
}

// loaded are parts of the counters that are at their highest value, at a load, by the optimum's, or
// with keys that come by Zipf's law.
var loaded = claim.Simulation{
	Name: func(point claim.Parameters) string {
		if point.Text("skew") != "" {
			return claim.Named("saturated by width %v %v", "w", "skew")(point)
		}
		return claim.Named("saturated %v %v", "w", "load")(point)
	},
	Times: func(at claim.Parameters) (full, short int) {
		if at.Text("skew") != "" {
			return 60, 10
		}
		return 200, 12
	},
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		var f *counting.Filter
		if point.Text("skew") == "" {
			f = countingOf(point, loadOf(point))
			fill(rng, f, loadOf(point))
		} else {
			f = countingOf(point, 4*unit)
			hashes, times := multiset(rng, 4*unit, 20*unit, point.Float("skew"))
			insertAll(f, hashes, times)
		}
		return claim.Outcome{"part": {float64(f.Stats().Saturated) / point.Float("m")}}
	},
}

// insertAll inserts each key as often as it came.
func insertAll(f *counting.Filter, hashes []uint64, times []int64) {
	for i, hash := range hashes {
		for range times[i] {
			must(f.InsertHash(hash))
		}
	}
}

// erosion is what deletes of non-members leave of a counting filter with n members: the parts of
// all cells, and of those of a member, that are at each value, in the mean. Such a delete takes one
// from k cells, any of those above 0, if all of its own are.
type erosion struct {
	k        float64
	all, own []float64
}

// eroded is one after a number of deletes of random keys.
func eroded(at claim.Parameters, keys float64) *erosion {
	k, m := at.Float("k"), at.Float("m")
	e := &erosion{k: k, all: make([]float64, 64), own: make([]float64, 64)}
	load := k * at.Float("n") / m
	term := math.Exp(-load)
	for value := range len(e.all) - 1 {
		e.all[value], e.own[value+1] = term, term // a member's cell has one throw for sure
		term *= load / float64(value+1)
	}
	const steps = 400
	for range steps {
		rate := keys / steps * k / m * math.Pow(1-e.all[0], k-1)
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

// deletes are numbers of deletes of non-members.
var deletes = []float64{0, 240, 480, 960, 1920, 3840}

// lives are of a counting filter with deletes: the members that are not found and the rate, by the
// deletes of non-members; those after a single delete, in the mean of some; those after half of
// them are deleted; and the same with bits instead of counters.
var lives = claim.Simulation{
	Name:  claim.Named("false negatives {%v %v}", "m", "k"),
	Times: claim.Times(300, 24), Point: claim.Along("deletes", deletes),
	Fixed: claim.Parameters{"w": 4},
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		const singles = 200
		n := point.Int("n")
		shape := claim.Parameters{"m": point.Int("m"), "k": point.Int("k"), "w": 4}
		f, bits := countingOf(shape, n), countersOf(point)
		members := fill(rng, f, n)
		whole := f.Clone()
		for _, hash := range members {
			bits.add(hash, 1)
		}
		first, flipped := 0.0, 0.0
		for range singles {
			if hash := rng.Uint64(); f.QueryHash(hash) {
				g := f.Clone()
				g.DeleteHash(hash)
				first += lacking(g, members) / singles
			}
		}
		done, o := 0, claim.Outcome{}
		for _, upTo := range deletes {
			for ; done < int(upTo); done++ {
				f.DeleteHash(rng.Uint64())
			}
			o["missed"] = append(o["missed"], lacking(f, members))
			o["rate"] = append(o["rate"], f.State().Rate)
		}
		for _, hash := range members[:n/2] {
			whole.DeleteHash(hash)
			bits.change(hash, func(int64) int64 { return 0 })
		}
		for _, hash := range members[n/2:] {
			if bits.least(hash, endless) == 0 {
				flipped += 2 / float64(n)
			}
		}
		o["first"], o["flipped"], o["left"] = []float64{first}, []float64{flipped},
			[]float64{float64(n / 2)}
		o["kept"] = []float64{float64(n/2 - whole.QueryHashBatch(members[n/2:], nil))}
		return o
	},
}

// What is counted, of a multiset.
const (
	universe = 4000
	drawn    = 20_000
)

var widths = []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}

// streams are multisets in counters: the keys, those that counters without an end count less often
// than they came, and those that counters of a width do; the part of the occurrences that is not
// counted; and the width that leaves out a hundredth at most.
var streams = claim.Simulation{
	Name:  claim.Named("undercounts %v", "skew"),
	Times: claim.Times(100, 10), Point: claim.Along("w", widths),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		hashes, times := multiset(rng, universe, drawn, at.Float("skew"))
		c := countersOf(at)
		for i, hash := range hashes {
			c.add(hash, times[i])
		}
		never, under, lost := 0.0, make([]float64, len(widths)), make([]float64, len(widths))
		for i, hash := range hashes {
			least := c.least(hash, endless)
			if least < times[i] {
				never++
			}
			for w := range widths {
				if missing := times[i] - min(least, 2<<w-1); missing > 0 {
					under[w]++
					lost[w] += float64(missing) / drawn
				}
			}
		}
		least := slices.IndexFunc(lost, func(part float64) bool { return part <= 0.01 })
		return claim.Outcome{"keys": {float64(len(hashes))}, "never": {never}, "under": under,
			"lost": lost, "least": {widths[least]}}
	},
}

// missing is what counters of a width leave out: parts of the keys that come, and of the
// occurrences.
type missing struct{ keys, lost float64 }

// stopped is counters that stop at a highest value, of keys that come with a skew.
type stopped struct {
	skew float64
	most int
}

var undercounted = known(func(s stopped) (m missing) {
	came, all := 0.0, chances(law{universe, s.skew})
	for _, p := range all {
		came += -math.Expm1(drawn * math.Log1p(-p))
	}
	for _, p := range all {
		over := trials.Tail(s.most+1, drawn, p)
		if over < 1e-12 {
			break // and the others come less often
		}
		m.keys += over
		// The mean of n draws, where more than most hit, is n p times the chance that of the
		// others most do.
		m.lost += drawn*p*trials.Tail(s.most, drawn-1, p) - float64(s.most)*over
	}
	if m.lost < 1e-6 { // which is not seen
		return missing{math.NaN(), math.NaN()}
	}
	return missing{m.keys / came, m.lost / drawn}
})

func undercountedOf(at claim.Parameters) missing {
	return undercounted(stopped{at.Float("skew"), int(highestOf(at))})
}

// decremented are deletes of all occurrences of keys but one: the parts of the keys that are lost
// where full counters stay as they are, and where they are decremented too.
var decremented = claim.Simulation{
	Name: claim.Named("decremented %v", "w"), Times: claim.Times(100, 6),
	Point: claim.Along("a full counter", []string{"stays", "counts down"}),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		hashes, times := multiset(rng, unit, 4*unit, at.Float("skew"))
		f, model, highest := countingOf(at, unit), countersOf(at), highestOf(at)
		insertAll(f, hashes, times)
		for i, hash := range hashes {
			for range times[i] {
				model.change(hash, func(v int64) int64 { return min(v+1, highest) })
			}
		}
		down := 0.0
		for i, hash := range hashes { // once each is left
			for range times[i] - 1 {
				f.DeleteHash(hash)
				model.change(hash, func(v int64) int64 { return max(v-1, 0) })
			}
		}
		for _, hash := range hashes {
			if model.least(hash, endless) == 0 {
				down += 1 / float64(len(hashes))
			}
		}
		return claim.Outcome{"lost": {lacking(f, hashes), down}}
	},
}

// unused are the parts of the bits of tables at their optimum that are 0.
var unused = claim.Simulation{
	Name: claim.Named("widths %v", "w"), Times: claim.Times(400, 40),
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		f, ones := countingOf(point, fullOf(point)), 0
		fill(rng, f, fullOf(point))
		for _, word := range must(f.Contents()).Sections[0].Words {
			ones += bits.OnesCount64(word)
		}
		return claim.Outcome{"zeros": {1 - float64(ones)/(point.Float("m")*point.Float("w"))}}
	},
}

// unusedBits is the same, expected.
func unusedBits(point claim.Parameters) float64 {
	m, ones, throws := point.Float("m"), 0.0, float64(point.Int("k")*fullOf(point))
	for value := 1; value < 40; value++ {
		chance := trials.Tail(value, throws, 1/m) - trials.Tail(value+1, throws, 1/m)
		ones += chance * float64(bits.OnesCount64(uint64(min(int64(value), highestOf(point)))))
	}
	return 1 - ones/point.Float("w")
}

// counted is the section on the counting filter.
func counted() claim.Quantities {
	eroding := func(f func(e *erosion) float64) claim.Formula {
		return func(at claim.Parameters) float64 { return f(eroded(at, at.Float("deletes"))) }
	}
	return claim.Quantities{
		"filters in which a counter overflows": {Unit: claim.Share,
			Trials: highest.Mean("value").Which(func(v float64, at claim.Parameters) bool {
				return v > float64(highestOf(at))
			}),
			Formulas: claim.Formulas{exact: ofOptimum(reached),
				"union bound": ofOptimum(func(m, throws float64, j int) float64 {
					return min(1, union(m, throws, j))
				}),
				"union bound, less 0.01": less(ofOptimum(union), claim.Constant(0.01))}},
		"counters at their highest value": measured(loaded.Mean("part"), exact,
			func(point claim.Parameters) float64 {
				if point.Text("load") == "" {
					return math.NaN()
				}
				return trials.Tail(int(highestOf(point)), float64(point.Int("k")*loadOf(point)),
					1/point.Float("m"))
			}),
		"least width for fewer than 0.01 overflows a filter, less the 4 bits of Fan et al.": {
			Formulas: claim.Formulas{exact: func(at claim.Parameters) float64 {
				least, m := 1, at.Float("m")
				for reached(m, m*math.Ln2, 1<<least) > 0.01 {
					least++
				}
				return float64(least - 4)
			}}},
		"members not found after deletes of non-members": measured(lives.Mean("missed"), meanField,
			eroding((*erosion).missed)),
		"rate after deletes of non-members": measured(lives.Mean("rate"), meanField,
			eroding((*erosion).rate)),
		"members not found after one delete of a non-member": measured(lives.Mean("first"),
			meanField, func(at claim.Parameters) float64 { return eroded(at, 1).missed() }),
		"members not found after deletes of half of the members": measured(
			lives.Counted("kept", "left"), exact, never),
		"members not found after half of them had their bits set to 0": measured(
			lives.Mean("flipped"), meanField, func(at claim.Parameters) float64 {
				return 1 - stillZero(at.Float("m"), at.Float("k")*at.Float("k")*at.Float("n")/2)
			}),
		"keys that are undercounted": measured(streams.Mean("under").By(streams.Mean("keys")),
			exact, func(at claim.Parameters) float64 { return undercountedOf(at).keys }),
		"occurrences that are not counted": measured(streams.Mean("lost"), exact,
			func(at claim.Parameters) float64 { return undercountedOf(at).lost }),
		"keys that are undercounted where no counter is full": measured(
			streams.Counted("never", "keys"), exact, never),
		"least w that leaves out a hundredth of the occurrences at most": {
			Trials: streams.Mean("least")},
		"members not found after deletes of all their occurrences but one": decremented.
			Mean("lost").Of(members(unit, 4*unit)).Share(),
		"bits of the table that are 0": measured(unused.Mean("zeros"), exact, unusedBits),
		"deletes per member": claim.Computed(claim.Number, exact,
			divided(given("deletes"), given("n"))),
		"bits saved of a list of 64-bit hashes": {Unit: claim.Share, Formulas: claim.Formulas{
			exact: func(at claim.Parameters) float64 {
				return 1 - at.Float("w")*optimalFor(at)/64
			}}},
	}
}
