package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/a2"
	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// buffers is A² as the text has it: the key that fills the first buffer goes into both.
type buffers struct {
	first, second *plain.Filter
	held, limit   int // keys that the first did not show
}

func newBuffers(bits, limit int) *buffers {
	c := plain.Config{Members: limit, BitsPerKey: float64(bits/2) / float64(limit), Key: secret}
	return &buffers{first: must(plain.New(c)), second: must(plain.New(c)), limit: limit}
}

func (b *buffers) InsertHash(hash uint64) (bool, error) {
	if must(b.first.InsertHash(hash)) {
		return true, nil
	}
	if b.held++; b.held == b.limit {
		b.second.Reset()
		b.first, b.second = b.second, b.first
		b.held = 1
		must(b.first.InsertHash(hash))
	}
	return false, nil
}

func (b *buffers) QueryHash(hash uint64) bool {
	return b.first.QueryHash(hash) || b.second.QueryHash(hash)
}

// subject is a filter that forgets, and the most others after which each of its keys is present for
// certain, or 0 if it is never.
type subject struct {
	name string
	make func(rng *rand.Rand) set
	sure int
}

// window is that of all subjects, whose rate is so low that no key is a false positive.
const window = 100

func subjects() []subject {
	config := a2.Config{Members: window, Rate: 1e-9, Key: secret}
	bits := must(config.Shape()).Bits
	aging := must(stable.New(stable.Config{Members: window, Rate: 1e-9, Key: secret})).Shape()
	return []subject{
		{"filter/family/a2", func(*rand.Rand) set { return must(a2.New(config)) }, window},
		{"A² that is full at its capacity",
			func(*rand.Rand) set { return newBuffers(bits, window) }, window - 1},
		{"A² that is full above its capacity",
			func(*rand.Rand) set { return newBuffers(bits, window+1) }, window},
		{"stable", func(rng *rand.Rand) set { return stableOf(rng, aging) }, 0},
	}
}

// order is after how many others keys go, at least and at most, and how many go while an older one
// is present.
type order struct{ keys, least, most, overtaken float64 }

func orders(run *trials.Run, s subject) []order {
	return trials.Recall(run, "orders "+s.name, run.Times(20, 2), func(rng *rand.Rand) (o order) {
		const span = 12 * window
		f, stream, gone := s.make(rng), make([]uint64, 3*span), make([]int, 3*span)
		workload.Fill(rng, stream)
		oldest := 0 // of those that are present
		for now, hash := range stream {
			must(f.InsertHash(hash))
			leaves := false // the oldest of those that go leaves an older one behind
			for place := oldest; place <= now; place++ {
				switch {
				case gone[place] > 0:
				case f.QueryHash(stream[place]):
					leaves = true
				default:
					gone[place] = now
					if leaves {
						o.overtaken++
					}
				}
			}
			for oldest <= now && gone[oldest] > 0 {
				oldest++
			}
		}
		o.keys, o.least = 3*span, span
		for at := span; at < 2*span; at++ {
			others := float64(gone[at] - at - 1)
			o.least, o.most = min(o.least, others), max(o.most, others)
		}
		return o
	})
}

func fifo(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Keys that go while an older one is present", Rule: claim.Never,
		Where: `section Aging: "a Bloom filter which acts like a FIFO"`,
		Trial: "streams of different keys, in windows of 100",
		Why: "A² is a FIFO, and the stable filter keeps no order: each cell of a key goes by " +
			"itself"}
	for _, s := range subjects() {
		all := orders(run, s)
		v.Cells = append(v.Cells, claim.Cell{Row: s.name, Published: none, Interval: claim.Among(
			trials.Column(all, func(o *order) float64 { return o.overtaken }),
			trials.Column(all, func(o *order) float64 { return o.keys }))})
	}
	return v
}

func ages(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Others after which keys go", Unit: claim.Number,
		Where: `section Aging: in a sliding window an insert "would ideally delete an old item"; ` +
			`section A2: "test whether" the first buffer "has reached its capacity. If it is ` +
			`full, flush"`,
		Formula: exact, Trial: "streams of different keys, in windows of 100",
		Why: "all keys of a buffer go together: a key goes after n_a to 2 n_a others, or one " +
			"less each if a buffer that has reached its capacity is full; each cell of a key of " +
			"the stable filter goes at a random time"}
	for _, s := range subjects() {
		all := orders(run, s)
		first := trials.Column(all, func(o *order) float64 { return o.least })
		last := trials.Column(all, func(o *order) float64 { return o.most })
		cells := []claim.Cell{{Column: "the first goes", Interval: claim.Mean(first)},
			{Column: "the last goes", Interval: claim.Mean(last)},
			{Column: "the last, less the first", Published: none,
				Interval: claim.Difference(last, first)}}
		for i, others := range []int{s.sure, 2*s.sure - 1, s.sure - 1} {
			cells[i].Row = s.name
			if s.sure > 0 {
				cells[i].Formula = new(float64(others))
			}
		}
		v.Cells = append(v.Cells, cells...)
	}
	return v
}

// each returns f_a, equation 2 of filter/family/a2: the rate of a buffer, where that of both is f;
// and either is the reverse.
func each(f float64) float64 { return 1 - math.Sqrt(1-f) }

func either(first, second float64) float64 { return 1 - float64((1-first)*(1-second)) }

// a2Rates are those that A² is planned for.
var a2Rates = []float64{0.1, 0.05, 0.01, 0.002}

// a2Of is A² for a window of 1,000 keys.
func a2Of(rate float64) (a2.Config, a2.Shape) {
	config := a2.Config{Members: 1000, Rate: rate, Key: secret}
	return config, must(config.Shape())
}

func bothFull(run *trials.Run) claim.Value {
	v := claim.Value{Name: "The rate of A² when both buffers are full, by its formula",
		Unit: claim.Number, Where: `section A2: "the probability of a Bloom error is"`,
		Formula: meanField, Trial: "filters of filter/family/a2 with windows of 1,000 keys"}
	for _, rate := range a2Rates {
		config, shape := a2Of(rate)
		full := size{shape.Bits / 2, shape.Hashes, shape.Window}.classical()
		formula := either(full, full)
		all := trials.Recall(run, fmt.Sprint("both full ", rate), run.Times(100, 12),
			func(rng *rand.Rand) float64 {
				f := must(a2.New(config))
				fill(rng, f, 19*shape.Window/10)
				for f.State().Members < float64(2*shape.Window) {
					fill(rng, f, 1)
				}
				s := f.Stats()
				return either(s.First.Rate, s.Second.Rate)
			})
		v.Cells = append(v.Cells, claim.Cell{Row: "a rate of " + quantity.Percent(rate),
			Published: "implied 1 ± 0.05", Formula: new(rate / formula),
			Interval: claim.Mean(all).Map(func(v float64) float64 { return v / formula })})
		if rate == a2Rates[0] {
			v.Why = fmt.Sprintf("the rate of a buffer is more than its formula has, and more keys "+
				"come than it counts: %s, not %s", quantity.Percent(rate),
				quantity.Percent(formula))
		}
	}
	return v
}

func alwaysFull(run *trials.Run) claim.Value {
	const members = 300
	v := claim.Value{Name: "Part of ten turns in which no buffer is full", Rule: claim.Never,
		Where: `section A2: "one bit vector is always full"`, Readings: true,
		Trial: "filters of filter/family/a2 with windows of 300 keys and a rate of 1 %",
		Why:   "it holds from the first turn on: an empty filter has to be filled first"}
	type turns struct{ inserts, ever, later float64 }
	all := trials.Recall(run, "always full", run.Times(50, 5), func(rng *rand.Rand) (o turns) {
		f := must(a2.New(a2.Config{Members: members, Rate: 0.01, Key: secret}))
		for range 10 * members {
			fill(rng, f, 1)
			o.inserts++
			if s := f.Stats(); s.First.Keys < members && s.Second.Keys < members {
				o.ever++
				o.later += float64(min(s.Turns, 1))
			}
		}
		return o
	})
	inserts := trials.Column(all, func(o *turns) float64 { return o.inserts })
	v.Cells = []claim.Cell{
		{Row: "since the start", Published: none, Interval: claim.Among(
			trials.Column(all, func(o *turns) float64 { return o.ever }), inserts)},
		{Row: "since the first turn", Published: none, Interval: claim.Among(
			trials.Column(all, func(o *turns) float64 { return o.later }), inserts)},
	}
	return v
}

// a2Bits are those of both buffers where the formulas of k_a and n_a give the keys of one.
const a2Bits = 1 << 20

// capacityOf is how many keys a buffer takes at a rate with k hashes.
func capacityOf(k int, rate float64) float64 {
	return -a2Bits / 2 / float64(k) * math.Log1p(-math.Pow(rate, 1/float64(k)))
}

func optimum(*trials.Run) claim.Value {
	v := claim.Value{Name: "n_a by its formula, by the most keys of a whole k_a",
		Where:   `section A2: "and the optimal value for" k_a and n_a "are"`,
		Formula: exact, Unit: claim.Number, Readings: true}
	for _, round := range []struct {
		name string
		of   func(float64) float64
	}{{"not rounded", func(k float64) float64 { return k }}, {"rounded", math.Round},
		{"rounded down", math.Floor}} {
		for _, rate := range append(rates, 0.0001) {
			k, most := -math.Log2(each(rate)), 0.0
			for whole := range 30 {
				most = max(most, capacityOf(whole+1, each(rate)))
			}
			n := a2Bits / 2 / round.of(k) * math.Ln2
			v.Cells = append(v.Cells, claim.Cell{Row: "k_a is " + round.name,
				Column: "a rate of " + quantity.Percent(rate), Published: "implied 1 ± 0.01",
				Formula: new(n / most)})
			if rate == 0.1 {
				v.Why = fmt.Sprintf("k_a is no whole number, for a rate of 10 %% %.3f, and the "+
					"formula of n_a has one that is not rounded", k)
			}
		}
	}
	return v
}

func roundedDown(*trials.Run) claim.Value {
	v := claim.Value{Name: "The rate of A² with n_a and k_a by their formulas, by the one required",
		Where: `section A2: "and the optimal value for" k_a and n_a "are", rounded down as in ` +
			`the author's libbf`, Unit: claim.Number, Formula: "as if the set bits were their mean",
		Why: "half of the bits are set, so that the rate of a buffer is 2^-k_a, with a k_a that " +
			"is smaller"}
	for _, rate := range append(rates, 0.0001) {
		k := math.Floor(-math.Log2(each(rate)))
		n := a2Bits / 2 / k * math.Ln2
		full := size{a2Bits / 2, int(k), int(n)}.classical()
		v.Cells = append(v.Cells, claim.Cell{Row: "a rate of " + quantity.Percent(rate),
			Published: "implied 1 ± 0.01", Formula: new(either(full, full) / rate)})
	}
	return v
}

// stableShape has cells of some bits, for a rate of 1 %.
func stableShape(width int) stable.Shape {
	return must((&stable.Config{Members: 1, BitsPerKey: float64(stableCells * width), Rate: 0.01,
		Hashes: 4, Width: width}).Shape())
}

const (
	stableCells   = 8192
	stableFilters = "stable filters of 8,192 cells, K = 4, for a rate of 1 %"
)

// pointOf is the part of the cells that are 0 in the end, by Deng and Rafiei (theorem 2): of m
// cells, k of a key, p decrements, and what a cell is set to. paperRate is the rate (theorem 3).
func pointOf(s stable.Shape) float64 {
	m, k, p := float64(s.Cells()), float64(s.Hashes), float64(s.Decrements)
	return math.Pow(1/(1+1/(p*(1/k-1/m))), float64(s.Highest()))
}

func paperRate(s stable.Shape) float64 { return math.Pow(1-pointOf(s), float64(s.Hashes)) }

// stableOf is a stable filter that takes from other cells in each trial: in a file is where it goes
// on.
func stableOf(rng *rand.Rand, s stable.Shape) *stable.Filter {
	c := must(must(stable.NewShape(s, 1, secret)).Contents())
	c.Set("random", rng.Uint64()|1)
	return must(stable.Decode(c, secret))
}

// aging is a stable filter after as many inserts as there are cells.
type aging struct{ zeros, rate float64 }

var stableWidths = []int{1, 2, 4}

func aged(run *trials.Run, width int) []aging {
	return trials.Recall(run, fmt.Sprint("stable ", width), run.Times(200, 60),
		func(rng *rand.Rand) aging {
			f := stableOf(rng, stableShape(width))
			fill(rng, f, stableCells)
			return aging{1 - f.State().Fill, f.State().Rate}
		})
}

func stablePoint(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Cells that are 0 after m inserts, by the stable point",
		Where: `section Stable: "the fraction of zeros will eventually become constant"`,
		Unit:  claim.Number, Formula: exact, Trial: stableFilters}
	for _, width := range stableWidths {
		s := stableShape(width)
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("d = ", width),
			Published: "implied 1 ± 0.01", Formula: new(s.Zeros(stableCells) / pointOf(s)),
			Interval: claim.Mean(trials.Column(aged(run, width),
				func(o *aging) float64 { return o.zeros })).
				Map(func(v float64) float64 { return v / pointOf(s) })})
	}
	return v
}

func stableRate(run *trials.Run) claim.Value {
	v := claim.Value{Name: "The rate after m inserts, by the formula at the stable point",
		Where: `section Stable: at the stable point, "the approximate probability of a Bloom ` +
			`error is"`,
		Unit: claim.Number, Rule: claim.Around, Formula: meanField,
		Trial: stableFilters + ", of keys that differ"}
	for _, width := range stableWidths {
		s := stableShape(width)
		rates := trials.Column(aged(run, width), func(o *aging) float64 { return o.rate })
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("d = ", width), Published: ratio,
			Formula:  new(s.Rate(stableCells) / paperRate(s)),
			Interval: claim.Mean(rates).Map(func(v float64) float64 { return v / paperRate(s) })})
	}
	return v
}

// settled is the rate at the stable point where keys come by Zipf's law with a skew, by the
// formula.
func settled(run *trials.Run, skew float64) claim.Interval {
	s := stableShape(4)
	return claim.Mean(trials.Recall(run, fmt.Sprint("stable keys ", skew), run.Times(60, 12),
		func(rng *rand.Rand) float64 {
			f := stableOf(rng, s)
			stream := must(workload.Zipf(1<<30, skew, rng.Uint64()))
			for range 4 * s.Highest() * s.Cells() / s.Decrements {
				must(f.InsertHash(stream.Hash(stream.Next())))
			}
			return f.State().Rate
		})).Map(func(v float64) float64 { return v / paperRate(s) })
}

func chosenCells(run *trials.Run) claim.Value {
	s := stableShape(4)
	anywhere := trials.Recall(run, "stable cells", run.Times(60, 12),
		func(rng *rand.Rand) float64 {
			m := uint64(s.Cells())
			cells := make([]uint8, m)
			for range 4 * s.Highest() * s.Cells() / s.Decrements {
				for range s.Decrements {
					cell := &cells[rng.Uint64N(m)]
					*cell -= min(*cell, 1)
				}
				for range s.Hashes {
					cells[rng.Uint64N(m)] = uint8(s.Highest())
				}
			}
			used := 0.0
			for _, cell := range cells {
				used += float64(min(cell, 1))
			}
			return math.Pow(used/float64(m), float64(s.Hashes))
		})
	formula := new(s.StableRate() / paperRate(s))
	return claim.Value{Name: "The rate at the stable point, by its formula", Unit: claim.Number,
		Where:   `section Stable: "we decrement" p "cells chosen uniformly at random"`,
		Formula: meanField, Trial: stableFilters + ", d = 4", Rule: claim.Around, Readings: true,
		Cells: []claim.Cell{
			{Row: "random cells, any of them twice", Published: ratio, Formula: formula,
				Interval: claim.Mean(anywhere).
					Map(func(v float64) float64 { return v / paperRate(s) })},
			{Row: "cells in a row from a random one on: filter/family/stable", Published: ratio,
				Formula: formula, Interval: settled(run, 0)},
		}}
}

func keysAgain(run *trials.Run) claim.Value {
	v := claim.Value{Name: "The rate at the stable point of keys that come again, by its formula",
		Where: `section Stable: "the approximate probability of a Bloom error is"`,
		Unit:  claim.Number, Rule: claim.Around,
		Trial: stableFilters + ", d = 4, of keys by Zipf's law",
		Why: "the formula is for keys that differ: if they come again, an insert sets cells that " +
			"are set already and ages others as much, so more are 0; it is a bound of the rate"}
	for _, skew := range []float64{1, 1.3} {
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("skew ", skew), Published: ratio,
			Interval: settled(run, skew)})
	}
	return v
}
