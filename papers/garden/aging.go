package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/a2"
	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// windowed is the section on aging, and that on A².
var windowed = []claim.Part{fillingUp, windows, certain, buffered, optimal}

// buffers is a model of filters of two buffers, and of one that is flushed.
type buffers struct {
	first, second *plain.Filter
	// keys that the first took, and the second; of A² those that the first did not show
	held, older int
	limit       int // that it takes
	way         way
}

type way int

const (
	// A² as the text has it: the key that fills the first buffer goes into both
	literally way = iota
	warmed        // double buffering: the second is warmed up from the half of the first on
	flushed       // one buffer that is flushed
)

// buffersOf has the given number of bits in all.
func buffersOf(bits, limit int, way way) *buffers {
	if way != flushed {
		bits /= 2
	}
	c := plain.Config{Members: limit, BitsPerKey: float64(bits) / float64(limit), Key: secret}
	return &buffers{first: must(plain.New(c)), second: must(plain.New(c)), limit: limit, way: way}
}

func (b *buffers) insert(hash uint64) {
	switch b.way {
	case literally:
		if must(b.first.InsertHash(hash)) {
			return
		}
		if b.held++; b.held == b.limit {
			b.second.Reset()
			b.first, b.second = b.second, b.first
			b.held = 1
			must(b.first.InsertHash(hash))
		}
	case warmed:
		must(b.first.InsertHash(hash))
		if b.held++; b.held > b.limit/2 {
			must(b.second.InsertHash(hash))
			b.older++
		}
		if b.held == b.limit {
			b.first.Reset()
			b.first, b.second = b.second, b.first
			b.held, b.older = b.older, 0
		}
	case flushed:
		must(b.first.InsertHash(hash))
		if b.held++; b.held == b.limit {
			b.first.Reset()
			b.held = 0
		}
	}
}

func (b *buffers) query(hash uint64) bool {
	return b.first.QueryHash(hash) || b.way == literally && b.second.QueryHash(hash)
}

// ages is a filter that forgets.
type ages struct {
	insert func(hash uint64)
	query  func(hash uint64) bool
}

func (b *buffers) ages() ages { return ages{b.insert, b.query} }

func agesOf(f interface {
	InsertHash(hash uint64) (bool, error)
	QueryHash(hash uint64) bool
}) ages {
	return ages{func(hash uint64) { must(f.InsertHash(hash)) }, f.QueryHash}
}

// windowOfA2 is equation 8 of filter/family/a2, less 1.
const windowOfA2 = "2 log2 f / log2 f_a - 1"

// each returns f_a, equation 2 of filter/family/a2: the rate of a buffer, where that of both is f.
func each(f float64) float64 { return 1 - math.Sqrt(1-f) }

// halfKeys is how many keys half of some bits take at a rate, half of them set.
func halfKeys(bits, rate float64) float64 { return bits / 2 * math.Ln2 / -math.Log2(rate) }

// fillingUp is the problem of the filters that do not age.
func fillingUp(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, rate = 1000, 0.01
	f := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
	m, k := f.Shape().Bits, f.Shape().Hashes
	for _, times := range []int{2, 4, 8, 16} {
		results := trials.Each(run, fmt.Sprint("filling up ", times), number(run, 200, 20),
			func(rng *rand.Rand) float64 {
				f := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
				for range times * n {
					must(f.InsertHash(rng.Uint64()))
				}
				return asked(rng, 2000, f)
			})
		claims = append(claims, claim.Claim{
			Item:       "aging: filters that fill up",
			Where:      `section Aging: "they eventually fill up over time"`,
			Parameters: map[string]any{"m": m, "k": k, "n": times * n}, Unit: claim.Share,
			Reading:   claim.Literal,
			Quantity:  "rate of a basic filter, more than the 1 % of its 1000 keys",
			Published: claim.Trend(claim.Higher),
			Theory:    claim.By(restored, classical(float64(m), float64(k), float64(times*n))-rate),
			Interval:  claim.Mean(results).Map(func(v float64) float64 { return v - rate }),
			Trials:    len(results),
		})
	}
	// What it takes to delete the oldest key: a counting filter, and the keys' hashes in their
	// order.
	for _, rate := range []float64{0.1, 0.01, 0.001} {
		claims = append(claims, claim.Claim{
			Item: "aging: filters that fill up",
			Where: `section Aging: "it is often impossible to retain ` +
				`old items in memory"`,
			Parameters: map[string]any{"rate": rate}, Unit: claim.Number,
			Reading: "a queue of 64-bit hashes, counters of 4 bits",
			Quantity: "bits per key of an A² filter, less those of a counting filter and a queue " +
				"of its members",
			Published: claim.Trend(claim.Lower),
			Interval:  claim.Exact(2*optimalBits(each(rate)) - 4*optimalBits(rate) - 64),
		})
	}
	return claims, nil
}

// subject is a filter that forgets, and what is expected of it.
type subject struct {
	name  string
	make  func() ages
	sure  int     // the most others after which a key is present for certain
	last  int     // the most others after which it may be
	rates float64 // in the mean over time
}

const (
	warmUp = "double buffering"
	flush  = "one buffer, flushed"
)

// present returns the part of the keys that are present after a number of others.
func (s *subject) present(others int) float64 {
	return min(1, max(0, float64(s.last+1-others)/float64(s.last+1-s.sure)))
}

// found is the same with false positives.
func (s *subject) found(others int) float64 {
	present := s.present(others)
	return present + (1-present)*s.rates
}

// subjects are filters of equal bits that have a rate where they are full, and A² a window of n.
func subjects(n int, rate float64) (bits int, all []subject) {
	config := a2.Config{Members: n, Rate: rate, Key: secret}
	size := must(config.Shape())
	bits = size.Bits
	doubly, single := int(halfKeys(float64(bits), rate))/2*2, int(2*halfKeys(float64(bits), rate))
	// over returns the mean rate of a buffer of some bits, between two numbers of keys.
	over := func(bits, k int, from, to float64) (rate float64) {
		const steps = 1000
		for i := range steps {
			rate += classical(float64(bits), float64(k), from+(to-from)*(float64(i)+0.5)/steps) /
				steps
		}
		return rate
	}
	pair := func(limit int, way way) *buffers { return buffersOf(bits, limit, way) }
	hashes := func(limit int, way way) int { return pair(limit, way).first.Shape().Hashes }
	either := func(limit, k int) float64 {
		full := classical(float64(bits/2), float64(k), float64(limit))
		return 1 - (1-full)*(1-over(bits/2, k, 0, float64(limit)))
	}
	return bits, []subject{
		{"A²: filter/family/a2", func() ages { return agesOf(must(a2.New(config))) }, n, 2*n - 1,
			either(n, size.Hashes)},
		{"A², full at its capacity", func() ages { return pair(n, literally).ages() },
			n - 1, 2*n - 3, either(n, hashes(n, literally))},
		{"A², full above its capacity", func() ages { return pair(n+1, literally).ages() }, n,
			2*n - 1, either(n, hashes(n+1, literally))},
		{warmUp, func() ages { return pair(doubly, warmed).ages() }, doubly/2 - 1, doubly - 2,
			over(bits/2, hashes(doubly, warmed), float64(doubly)/2, float64(doubly))},
		{flush, func() ages { return pair(single, flushed).ages() }, -1, single - 2,
			over(bits, hashes(single, flushed), 0, float64(single))},
	}
}

// windows is how long each filter has a key, at equal bits and rates.
func windows(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, rate, looks, queries = 600, 0.01, 25, 1000
	bits, all := subjects(n, rate)
	var gaps []int
	for gap := 0; gap <= 2*all[4].last/2+n/2; gap += n / 6 {
		gaps = append(gaps, gap)
	}
	panel := chart.New("", "inserts of others since", "keys that are found")
	for series, s := range all {
		type result struct {
			found []float64 // by the gap
			rate  float64
		}
		results := trials.Each(run, "windows "+s.name, number(run, 200, 40),
			func(rng *rand.Rand) result {
				f, stream, r := s.make(), []uint64(nil), result{found: make([]float64, len(gaps))}
				insert := func(keys int) {
					for range keys {
						stream = append(stream, rng.Uint64())
						f.insert(stream[len(stream)-1])
					}
				}
				insert(6*n + rng.IntN(4*n))
				for range looks {
					insert(1 + rng.IntN(n/4))
					for i, gap := range gaps {
						if f.query(stream[len(stream)-1-gap]) {
							r.found[i] += 1. / looks
						}
					}
					for range queries {
						if f.query(rng.Uint64()) {
							r.rate += 1. / looks / queries
						}
					}
				}
				return r
			})
		c := claim.Claim{
			Item: "A²: windows", Where: "section A2", Parameters: map[string]any{"bits": bits,
				"filter": s.name},
			Unit: claim.Share, Trials: len(results), Reading: claim.Literal, Point: true,
		}
		var marks, line plotter.XYs
		for i, gap := range gaps {
			at := c
			at.Parameters = map[string]any{"bits": bits, "filter": s.name, "others": gap}
			at.Quantity, at.Theory = "keys that are found", claim.By(meanField, s.found(gap))
			at.Interval = mean(results, func(r *result) float64 { return r.found[i] })
			claims = append(claims, at)
			marks = append(marks, plotter.XY{X: float64(gap), Y: *at.Measured})
		}
		for gap := 0; gap <= gaps[len(gaps)-1]; gap += 5 {
			line = append(line, plotter.XY{X: float64(gap), Y: s.found(gap)})
		}
		if s.name != "A², full at its capacity" && s.name != "A², full above its "+
			"capacity" { // as filter/family/a2 is
			beside(panel, s.name, series, line, marks)
		}
		c.Quantity, c.Theory, c.Point = "rate, in the mean over time",
			claim.By(meanField, s.rates), false
		c.Interval = mean(results, func(r *result) float64 { return r.rate })
		claims = append(claims, c)
	}
	panel.Y.Min, panel.Y.Max = 0, 1
	panel.Y.Tick.Marker = chart.Ticks(quantity.Percent, 0, 0.2, 0.4, 0.6, 0.8, 1)
	return claims, []claim.Figure{{Name: "windows", Picture: &chart.Picture{
		Title: fmt.Sprintf("Windows of equal bits (%s) and rates when full (1 %%): marks "+
			"simulated, lines expected", quantity.Count(bits)),
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 460, Height: 300,
	}}}
}

// certain is what of the windows holds of every key, where false positives hardly ever happen.
func certain(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, rate = 100, 1e-9
	_, all := subjects(n, rate)
	aged := must(stable.New(stable.Config{Members: n, Rate: rate, Key: secret})).Shape()
	for _, s := range append(all, subject{name: "stable"}) {
		type result struct{ least, most, overtaken float64 }
		results := trials.Each(run, "certain "+s.name, number(run, 20, 4),
			func(rng *rand.Rand) (r result) {
				f := ages{}
				if s.make == nil {
					f = agesOf(stableOf(rng, aged))
				} else {
					f = s.make()
				}
				const window = 12 * n
				stream, gone := make([]uint64, 3*window), make([]int, 3*window)
				workload.Fill(rng, stream)
				oldest := 0 // of those that are present
				r.least = window
				for now, hash := range stream {
					f.insert(hash)
					leaves := false // the oldest of those that go leaves an older one behind
					for at := oldest; at <= now; at++ {
						switch {
						case gone[at] > 0:
						case f.query(stream[at]):
							leaves = true
						default:
							gone[at] = now
							if leaves {
								r.overtaken++
							}
						}
					}
					for oldest <= now && gone[oldest] > 0 {
						oldest++
					}
				}
				for at := window; at < 2*window; at++ {
					others := float64(gone[at] - at - 1)
					r.least, r.most = min(r.least, others), max(r.most, others)
				}
				r.overtaken /= 3 * window
				return r
			})
		c := claim.Claim{
			Item: "A²: a FIFO", Parameters: map[string]any{"filter": s.name, "rate": rate},
			Trials: len(results), Unit: claim.Number,
			Reading: claim.Literal,
		}
		if s.make != nil {
			c.Where = `section A2: "test whether it has reached its capacity. If it is full, flush"`
			c.Quantity, c.Theory = "others after which every key is present",
				claim.By(exact, float64(s.sure))
			c.Interval = mean(results, func(r *result) float64 { return r.least })
			claims = append(claims, c)
			c.Quantity, c.Theory = "others after which some key is present",
				claim.By(exact, float64(s.last))
			c.Interval = mean(results, func(r *result) float64 { return r.most })
			claims = append(claims, c)
		}
		if s.name == warmUp || s.name == flush { // which the text has not
			continue
		}
		c.Where = `section Aging: in a sliding window an insert "would ideally delete an old item"`
		c.Quantity = "others after which the last key goes, less those after which the first goes"
		c.Published = none()
		c.Theory = claim.Theory{}
		if s.make != nil {
			c.Theory = claim.By(exact, float64(s.last-s.sure))
		}
		c.Interval = mean(results, func(r *result) float64 { return r.most - r.least })
		c.Why = "all keys of a buffer go together, the first and the last"
		if s.make == nil {
			c.Why = "each cell of a key goes at a random time"
		}
		claims = append(claims, c)
		c.Where = `section Aging: "a Bloom filter which acts like a FIFO"`
		c.Quantity, c.Theory = "keys that go while an older one is present", claim.Theory{}
		c.Unit, c.Interval = claim.Share,
			mean(results, func(r *result) float64 { return r.overtaken })
		claims = append(claims, c)
	}
	return claims, nil
}

// buffered is what A² costs beside a pair of buffers that are flushed.
func buffered(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, queries = 1000, 20_000
	panel := chart.New("", "bits per key of the certain window",
		"rate of false positives when full")
	var lines, marks [2]plotter.XYs
	perKey := [2]func(rate float64) float64{
		func(rate float64) float64 { return 2 * optimalBits(each(rate)) },
		func(rate float64) float64 { return 4 * optimalBits(rate) },
	}
	for rate := 0.2; rate > 0.0001; rate /= 1.2 {
		for i := range lines {
			lines[i] = append(lines[i], plotter.XY{X: perKey[i](rate), Y: rate})
		}
	}
	for _, rate := range []float64{0.1, 0.05, 0.01, 0.002} {
		bits, all := subjects(n, rate)
		doubly := all[3].sure + 1 // half of a buffer's keys
		type result struct{ both, pair float64 }
		results := trials.Each(run, fmt.Sprint("buffered ", rate), number(run, 100, 12),
			func(rng *rand.Rand) (r result) {
				f := must(a2.New(a2.Config{Members: n, Rate: rate, Key: secret}))
				for range 19 * n / 10 {
					must(f.InsertHash(rng.Uint64()))
				}
				for f.State().Members < 2*n {
					must(f.InsertHash(rng.Uint64()))
				}
				r.both = asked(rng, queries, f)
				pair := buffersOf(bits, 2*doubly, warmed)
				for turns := 0; turns < 2 || pair.held < 2*doubly-1; {
					held := pair.held
					if pair.insert(rng.Uint64()); pair.held < held {
						turns++
					}
				}
				r.pair = asked(rng, queries, pair.first)
				return r
			})
		c := claim.Claim{
			Item: "A²: rate and memory", Where: `section A2: "the probability of a Bloom error is"`,
			Parameters: map[string]any{"bits": bits, "n": n, "rate": rate}, Unit: claim.Number,
			Reading: claim.Literal, Trials: len(results),
		}
		k := must(a2.New(a2.Config{Members: n, Rate: rate, Key: secret})).Shape().Hashes
		full := classical(float64(bits/2), float64(k), n)
		formula := 1 - (1-full)*(1-full)
		both, pair := mean(results, func(r *result) float64 { return r.both }),
			mean(results, func(r *result) float64 { return r.pair })
		c.Quantity, c.Published = "rate when both are full, as a multiple of its formula",
			claim.Rounded(1, 0.1)
		c.Theory, c.Interval = claim.By(meanField, rate/formula), multiple(both, formula)
		c.Why = fmt.Sprintf("the rate of a buffer is more than its formula has, and more keys "+
			"come than it counts: %s, not %s", quantity.Percent(rate), quantity.Percent(formula))
		claims = append(claims, c)
		marks[0] = append(marks[0], plotter.XY{X: float64(bits) / n, Y: *both.Measured})
		marks[1] = append(marks[1], plotter.XY{X: float64(bits) / float64(doubly),
			Y: *pair.Measured})
		c.Point, c.Published, c.Unit = true, claim.Published{}, claim.Share
		c.Quantity, c.Theory, c.Interval = "rate of A² when both are full",
			claim.By(meanField, rate), both
		claims = append(claims, c)
		c.Quantity, c.Interval = "rate of double buffering when the first is full", pair
		c.Theory = claim.By(meanField, classical(float64(bits/2),
			float64(buffersOf(bits, 2*doubly, warmed).first.Shape().Hashes), float64(2*doubly)))
		claims = append(claims, c)
		c.Point, c.Unit, c.Trials = false, claim.Number, 0
		c.Where = `section A2: "one advantage is space-efficiency"`
		c.Quantity, c.Published = "certain window at equal bits, as a multiple of double "+
			"buffering's, less 1",
			claim.Trend(claim.Higher)
		c.Theory = claim.By(windowOfA2, 2*math.Log(rate)/math.Log(each(rate))-1)
		c.Interval = claim.Exact(n/float64(doubly) - 1)
		claims = append(claims, c)
	}
	for i, name := range []string{"A²: filter/family/a2", warmUp} {
		beside(panel, name, 3*i, lines[i], marks[i])
	}
	chart.Logarithmic(quantity.Percent, &panel.Y)

	claims = append(claims, apart(run)...)

	// Whether a buffer is full at some time.
	const limit = 300
	since := map[string][]float64{}
	for _, none := range trials.Each(run, "always full", number(run, 50, 5),
		func(rng *rand.Rand) (none [2]float64) {
			f := must(a2.New(a2.Config{Members: limit, Rate: 0.01, Key: secret}))
			const inserts = 10 * limit
			for range inserts {
				must(f.InsertHash(rng.Uint64()))
				if s := f.Stats(); s.First.Keys < limit && s.Second.Keys < limit {
					none[0] += 1. / inserts
					none[1] += float64(min(s.Turns, 1)) / inserts
				}
			}
			return none
		}) {
		since["from the start"] = append(since["from the start"], none[0])
		since["since the first turn"] = append(since["since the first turn"], none[1])
	}
	for _, reading := range []string{"from the start", "since the first turn"} {
		claims = append(claims, claim.Claim{
			Item: "A²: rate and memory", Where: `section A2: "one bit vector is always full"`,
			Parameters: map[string]any{"n": limit},
			Quantity:   "part of ten turns in which none is", Unit: claim.Share, Published: none(),
			Reading:  reading,
			Interval: claim.Mean(since[reading]), Trials: len(since[reading]),
			Why: "an empty filter has to be filled first",
		})
	}
	return claims, []claim.Figure{{Name: "buffers", Picture: &chart.Picture{
		Title:  "A² and a pair of buffers that are flushed: marks simulated, lines expected",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
}

// apart is where the keys of a window are.
func apart(run *trials.Run) (claims []claim.Claim) {
	const n = 300
	type result struct{ first, second float64 } // of the keys, those that only one buffer has
	results := trials.Each(run, "apart", number(run, 100, 10), func(rng *rand.Rand) (r result) {
		b := buffersOf(must(a2.New(a2.Config{Members: n, Rate: 0.01, Key: secret})).Shape().Bits, n,
			literally)
		window := make([]uint64, n)
		for range 3*n + rng.IntN(n) {
			hash := rng.Uint64()
			b.insert(hash)
			window = append(window[1:], hash)
		}
		for _, hash := range window[1:] { // which are present for certain
			switch first, second := b.first.QueryHash(hash), b.second.QueryHash(hash); {
			case !second:
				r.first += 1. / n
			case !first:
				r.second += 1. / n
			}
		}
		return r
	})
	for _, only := range []struct {
		name string
		of   func(r *result) float64
	}{
		{"the first", func(r *result) float64 { return r.first }},
		{"the second", func(r *result) float64 { return r.second }},
	} {
		claims = append(claims, claim.Claim{
			Item: "A²: rate and memory",
			Where: `section A2: "one Bloom filter is not a subset of the ` +
				`other, so an item can be in either"`,
			Parameters: map[string]any{"n": n},
			Quantity:   "keys of the window that only " + only.name + " has", Unit: claim.Share,
			Published: claim.Trend(claim.Higher), Interval: mean(results, only.of),
			Trials:  len(results),
			Reading: claim.Literal,
			Why:     "one is a subset of the other",
		})
	}
	return claims
}

// optimal is the formulas of k_a and n_a.
func optimal(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const m = 1 << 20
	// capacity returns how many keys a buffer takes with k hashes, until the rate of both is f.
	capacity := func(f float64, k int) float64 {
		return -m / 2 / float64(k) * math.Log1p(-math.Pow(each(f), 1/float64(k)))
	}
	for _, f := range []float64{0.1, 0.01, 0.001, 0.0001} {
		best := 1
		for capacity(f, best+1) > capacity(f, best) {
			best++
		}
		real := -math.Log2(each(f))
		c := claim.Claim{
			Item:       "A²: the optimum",
			Where:      `section A2: "and the optimal value for" k_a and n_a "are"`,
			Parameters: map[string]any{"m": m, "rate": f}, Unit: claim.Number,
		}
		c.Quantity, c.Published = "n_a by its formula, as a multiple of the most keys of any "+
			"whole k_a",
			claim.Rounded(1, 0.02)
		for _, k := range []struct {
			reading string
			value   float64
		}{{"k_a not rounded", real}, {"k_a rounded down: libbf", math.Floor(real)},
			{"k_a rounded", math.Round(real)}} {
			c.Reading = k.reading
			c.Interval = claim.Exact(m / 2 / k.value * math.Ln2 / capacity(f, best))
			c.Why = fmt.Sprintf("k_a is %.2f, and with k_a = %d a buffer has %.0f keys at most; "+
				"the formula of n_a has a k_a that is not rounded",
				real, best, capacity(f, best))
			claims = append(claims, c)
		}
		planned := must(a2.New(a2.Config{Members: 10_000, Rate: f, Key: secret}))
		c.Quantity, c.Reading = "n_a by its formula, as a multiple of that of filter/family/a2 "+
			"with as many bits",
			claim.Literal
		c.Interval = claim.Exact(halfKeys(float64(planned.Shape().Bits), each(f)) / 10_000)
		c.Parameters = map[string]any{"n": 10_000, "rate": f}
		c.Why = fmt.Sprintf("its k_a is %d and not %.2f, and it counts fewer keys than come",
			planned.Shape().Hashes, real)
		claims = append(claims, c)
		c.Parameters = map[string]any{"m": m, "rate": f}
		c.Quantity = "rate with n_a and k_a by their formulas, as a multiple of the rate that " +
			"they are for"
		c.Reading = "k_a rounded down: libbf"
		k := math.Floor(real)
		full := classical(m/2, k, math.Floor(m/2/k*math.Ln2))
		c.Interval = claim.Exact((1 - (1-full)*(1-full)) / f)
		c.Why = fmt.Sprintf("half of the bits are set, so that the rate of a buffer is 2^-%.0f, "+
			"not 2^-%.2f",
			k, real)
		claims = append(claims, c)
	}
	return claims, nil
}
