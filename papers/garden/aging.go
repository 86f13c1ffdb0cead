package garden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/family/a2"
	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

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

func (b *buffers) InsertHash(hash uint64) (bool, error) {
	switch b.way {
	case literally:
		if must(b.first.InsertHash(hash)) {
			return true, nil
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
	return false, nil
}

func (b *buffers) QueryHash(hash uint64) bool {
	return b.first.QueryHash(hash) || b.way == literally && b.second.QueryHash(hash)
}

// forgetful is a filter that forgets.
type forgetful interface {
	InsertHash(hash uint64) (bool, error)
	QueryHash(hash uint64) bool
}

// windowOfA2 is equation 8 of filter/family/a2, less 1.
const windowOfA2 = "2 log2 f / log2 f_a - 1"

// each returns f_a, equation 2 of filter/family/a2: the rate of a buffer, where that of both is f.
func each(f float64) float64 { return 1 - math.Sqrt(1-f) }

// halfKeys is how many keys half of some bits take at a rate, half of them set.
func halfKeys(bits, rate float64) float64 { return bits / 2 * math.Ln2 / -math.Log2(rate) }

// subject is a filter that forgets, and what is expected of it.
type subject struct {
	name  string // of its trials
	make  func(rng *rand.Rand) forgetful
	sure  int     // the most others after which a key is present for certain
	last  int     // the most others after which it may be
	rates float64 // in the mean over time
}

// Those that claims speak of.
const (
	oursOfA2 = "A²: filter/family/a2"
	atFull   = "A² that is full at its capacity"
	aboveIt  = "A² that is full above its capacity"
	warmUp   = "double buffering"
	flush    = "one buffer that is flushed"
	stably   = "stable"
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

// shapeOfA2 is that for a window of n keys and a rate.
func shapeOfA2(at claim.Parameters) (a2.Config, a2.Shape) {
	config := a2.Config{Members: at.Int("n"), Rate: at.Float("rate"), Key: secret}
	return config, must(config.Shape())
}

// pairLimit is how many keys a pair of buffers takes at most of which one warms up.
func pairLimit(bits int, rate float64) int { return int(halfKeys(float64(bits), rate)) / 2 * 2 }

// subjectOf is a filter of as many bits as the others, that has the rate where it is full, and A² a
// window of n.
func subjectOf(at claim.Parameters) subject {
	n, rate := at.Int("n"), at.Float("rate")
	config, size := shapeOfA2(at)
	bits := size.Bits
	doubly, single := pairLimit(bits, rate), int(2*halfKeys(float64(bits), rate))
	// over returns the mean rate of a buffer of some bits, between two numbers of keys.
	over := func(bits, k int, from, to float64) (rate float64) {
		const steps = 1000
		for i := range steps {
			rate += classical(float64(bits), float64(k), from+(to-from)*(float64(i)+0.5)/steps) /
				steps
		}
		return rate
	}
	modelled := func(limit int, way way) func(*rand.Rand) forgetful {
		return func(*rand.Rand) forgetful { return buffersOf(bits, limit, way) }
	}
	hashes := func(limit int, way way) int {
		return buffersOf(bits, limit, way).first.Shape().Hashes
	}
	either := func(k int) float64 {
		full := classical(float64(bits/2), float64(k), float64(n))
		return 1 - (1-full)*(1-over(bits/2, k, 0, float64(n)))
	}
	switch at.Text("filter") {
	case oursOfA2:
		return subject{oursOfA2, func(*rand.Rand) forgetful { return must(a2.New(config)) }, n,
			2*n - 1, either(size.Hashes)}
	case atFull:
		return subject{"A², full at its capacity", modelled(n, literally), n - 1, 2*n - 3,
			either(hashes(n, literally))}
	case aboveIt:
		return subject{"A², full above its capacity", modelled(n+1, literally), n, 2*n - 1,
			either(hashes(n+1, literally))}
	case warmUp:
		return subject{warmUp, modelled(doubly, warmed), doubly/2 - 1, doubly - 2,
			over(bits/2, hashes(doubly, warmed), float64(doubly)/2, float64(doubly))}
	case flush:
		return subject{"one buffer, flushed", modelled(single, flushed), -1, single - 2,
			over(bits, hashes(single, flushed), 0, float64(single))}
	}
	shape := must(stable.New(stable.Config{Members: n, Rate: rate, Key: secret})).Shape()
	return subject{name: stably,
		make: func(rng *rand.Rand) forgetful { return stableOf(rng, shape) }}
}

// windowGaps are numbers of others since a key.
var windowGaps = func() (all []float64) {
	for gap := 0.; gap <= 1600; gap += 100 {
		all = append(all, gap)
	}
	return all
}()

// window is what a filter finds, by the gap, and its rate.
type window struct {
	found []float64
	rate  float64
}

func windows(run *trials.Run, at claim.Parameters) (string, []window) {
	const looks, queries = 25, 1000
	n, s := at.Int("n"), subjectOf(at)
	return repeated(run, "windows "+s.name, 200, 24, func(rng *rand.Rand) window {
		f, stream := s.make(rng), []uint64(nil)
		r := window{found: make([]float64, len(windowGaps))}
		insert := func(keys int) {
			for range keys {
				stream = append(stream, rng.Uint64())
				must(f.InsertHash(stream[len(stream)-1]))
			}
		}
		insert(6*n + rng.IntN(4*n))
		for range looks {
			insert(1 + rng.IntN(n/4))
			for i, gap := range windowGaps {
				if f.QueryHash(stream[len(stream)-1-int(gap)]) {
					r.found[i] += 1. / looks
				}
			}
			for range queries {
				if f.QueryHash(rng.Uint64()) {
					r.rate += 1. / looks / queries
				}
			}
		}
		return r
	})
}

// order is after how many others keys go, at least and at most, and the part of them that go while
// an older one is present.
type order struct{ least, most, overtaken float64 }

func orders(run *trials.Run, at claim.Parameters) (string, []order) {
	n, s := at.Int("n"), subjectOf(at)
	return repeated(run, "certain "+s.name, 20, 2, func(rng *rand.Rand) (r order) {
		f, window := s.make(rng), 12*n
		stream, gone := make([]uint64, 3*window), make([]int, 3*window)
		workload.Fill(rng, stream)
		oldest := 0 // of those that are present
		r.least = float64(window)
		for now, hash := range stream {
			must(f.InsertHash(hash))
			leaves := false // the oldest of those that go leaves an older one behind
			for at := oldest; at <= now; at++ {
				switch {
				case gone[at] > 0:
				case f.QueryHash(stream[at]):
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
		r.overtaken /= 3 * float64(window)
		return r
	})
}

// fullRates are those of A² where both buffers are full, and of a pair where the first is.
type fullRates struct{ both, pair float64 }

func fullBuffers(run *trials.Run, at claim.Parameters) (string, []fullRates) {
	const queries = 20_000
	config, size := shapeOfA2(at)
	n, limit := at.Int("n"), pairLimit(size.Bits, config.Rate)
	return repeated(run, fmt.Sprint("buffered ", config.Rate), 100, 12,
		func(rng *rand.Rand) (r fullRates) {
			f := must(a2.New(config))
			for range 19 * n / 10 {
				must(f.InsertHash(rng.Uint64()))
			}
			for f.State().Members < float64(2*n) {
				must(f.InsertHash(rng.Uint64()))
			}
			r.both = asked(rng, queries, f)
			pair := buffersOf(size.Bits, limit, warmed)
			for turns := 0; turns < 2 || pair.held < limit-1; {
				held := pair.held
				if must(pair.InsertHash(rng.Uint64())); pair.held < held {
					turns++
				}
			}
			r.pair = asked(rng, queries, pair.first)
			return r
		})
}

// ratesOfA2 returns the rate of A² where both buffers are full, by their k_a.
func rateOfA2(at claim.Parameters) float64 {
	_, size := shapeOfA2(at)
	full := classical(float64(size.Bits/2), float64(size.Hashes), at.Float("n"))
	return 1 - (1-full)*(1-full)
}

// apart are the parts of a window's keys that only one buffer has.
type apart struct{ first, second float64 }

func inOne(run *trials.Run, at claim.Parameters) (string, []apart) {
	_, size := shapeOfA2(at)
	n := at.Int("n")
	return repeated(run, "apart", 100, 10, func(rng *rand.Rand) (r apart) {
		b := buffersOf(size.Bits, n, literally)
		window := make([]uint64, n)
		for range 3*n + rng.IntN(n) {
			hash := rng.Uint64()
			must(b.InsertHash(hash))
			window = append(window[1:], hash)
		}
		for _, hash := range window[1:] { // which are present for certain
			switch first, second := b.first.QueryHash(hash), b.second.QueryHash(hash); {
			case !second:
				r.first += 1 / float64(n)
			case !first:
				r.second += 1 / float64(n)
			}
		}
		return r
	})
}

// unfilled are the parts of ten turns in which no buffer is full: of all, and since the first.
func unfilled(run *trials.Run, at claim.Parameters) (string, [][2]float64) {
	config, _ := shapeOfA2(at)
	return repeated(run, "always full", 50, 5, func(rng *rand.Rand) (none [2]float64) {
		f := must(a2.New(config))
		inserts := 10 * config.Members
		for range inserts {
			must(f.InsertHash(rng.Uint64()))
			if s := f.Stats(); s.First.Keys < config.Members && s.Second.Keys < config.Members {
				none[0] += 1 / float64(inserts)
				none[1] += float64(min(s.Turns, 1)) / float64(inserts)
			}
		}
		return none
	})
}

// optimum is what the formulas of k_a and n_a give in m bits.
type optimum struct {
	real, k float64 // k_a, and how it is rounded
	best    int     // whole k_a
	most    float64 // keys of a buffer with it
	n       float64 // n_a
}

func optimumOf(at claim.Parameters) (o optimum) {
	m, f := at.Float("m"), at.Float("rate")
	capacity := func(k int) float64 {
		return -m / 2 / float64(k) * math.Log1p(-math.Pow(each(f), 1/float64(k)))
	}
	for o.best = 1; capacity(o.best+1) > capacity(o.best); {
		o.best++
	}
	o.real, o.most = -math.Log2(each(f)), capacity(o.best)
	o.k = o.real
	if round, found := roundings[at.Text("k_a")]; found {
		o.k = round(o.real)
	}
	o.n = m / 2 / o.k * math.Ln2
	return o
}

func ofOptimumA2(f func(o optimum) float64) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 { return f(optimumOf(at)) }
}

// windowed is the section on aging, and that on A².
func windowed() claim.Quantities {
	ofSubject := func(f func(s *subject, at claim.Parameters) float64) claim.Formulas {
		return claim.Formulas{exact: func(at claim.Parameters) float64 {
			if at.Text("filter") == stably {
				return math.NaN()
			}
			s := subjectOf(at)
			return f(&s, at)
		}}
	}
	ofOrder := func(
		u claim.Unit,
		number func(o *order) float64,
		formulas claim.Formulas,
	) claim.Quantity {
		return claim.Quantity{Unit: u, Formulas: formulas,
			Trials: claim.Measured(orders, func(o *order, _ claim.Parameters) float64 {
				return number(o)
			}).Of(func(at claim.Parameters) int { return 36 * at.Int("n") })}
	}
	both := claim.Measured(fullBuffers,
		func(r *fullRates, _ claim.Parameters) float64 { return r.both })
	only := func(number func(a *apart) float64) claim.Quantity {
		return claim.Quantity{Unit: claim.Share, Trials: claim.Measured(inOne,
			func(a *apart, _ claim.Parameters) float64 { return number(a) })}
	}
	rateOf := func(at claim.Parameters) float64 { return at.Float("rate") }
	return claim.Quantities{
		"bits per key of A², less those of a counting filter and a queue of its members": computed(
			claim.Number, restored, func(at claim.Parameters) float64 {
				rate := at.Float("rate")
				return 2*optimalBits(each(rate)) - 4*optimalBits(rate) - 64
			}),
		"keys that are found": measured(
			claim.Measured(windows, func(w *window, at claim.Parameters) float64 {
				return w.found[slices.Index(windowGaps, at.Float("others"))]
			}), meanField, func(at claim.Parameters) float64 {
				s := subjectOf(at)
				return s.found(at.Int("others"))
			}),
		"rate, in the mean over time": measured(
			claim.Measured(windows, func(w *window, _ claim.Parameters) float64 {
				return w.rate
			}), meanField, func(at claim.Parameters) float64 { return subjectOf(at).rates }),
		"others after which every key is present": ofOrder(claim.Number,
			func(o *order) float64 { return o.least },
			ofSubject(func(s *subject, _ claim.Parameters) float64 { return float64(s.sure) })),
		"others after which some key is present": ofOrder(claim.Number,
			func(o *order) float64 { return o.most },
			ofSubject(func(s *subject, _ claim.Parameters) float64 { return float64(s.last) })),
		"others after which the last key goes, less those after which the first goes": ofOrder(
			claim.Number, func(o *order) float64 { return o.most - o.least },
			ofSubject(func(s *subject, _ claim.Parameters) float64 {
				return float64(s.last - s.sure)
			})),
		"keys that go while an older one is present": ofOrder(claim.Share,
			func(o *order) float64 { return o.overtaken }, nil),
		"rate when both are full, as a multiple of its formula": {
			Trials: multiple(both, rateOfA2),
			Formulas: claim.Formulas{meanField: func(at claim.Parameters) float64 {
				return at.Float("rate") / rateOfA2(at)
			}}},
		"rate of A² when both are full": {Unit: claim.Share, Trials: both,
			Formulas: claim.Formulas{meanField: rateOf, restored: rateOfA2}},
		"rate of double buffering when the first is full": measured(
			claim.Measured(fullBuffers,
				func(r *fullRates, _ claim.Parameters) float64 { return r.pair }), meanField,
			func(at claim.Parameters) float64 {
				_, size := shapeOfA2(at)
				limit := pairLimit(size.Bits, at.Float("rate"))
				k := buffersOf(size.Bits, limit, warmed).first.Shape().Hashes
				return classical(float64(size.Bits/2), float64(k), float64(limit))
			}),
		"certain window at equal bits, as a multiple of double buffering's, less 1": {
			Formulas: claim.Formulas{
				exact: func(at claim.Parameters) float64 {
					_, size := shapeOfA2(at)
					return at.Float("n")/float64(pairLimit(size.Bits, at.Float("rate"))/2) - 1
				},
				windowOfA2: func(at claim.Parameters) float64 {
					rate := at.Float("rate")
					return 2*math.Log(rate)/math.Log(each(rate)) - 1
				},
			}},
		"keys of the window that only the first has": only(
			func(a *apart) float64 { return a.first }),
		"keys of the window that only the second has": only(
			func(a *apart) float64 { return a.second }),
		"part of ten turns in which none is": {Unit: claim.Share, Trials: claim.Measured(unfilled,
			func(none *[2]float64, at claim.Parameters) float64 {
				if at.Text("since") == "the start" {
					return none[0]
				}
				return none[1]
			}).Of(func(at claim.Parameters) int { return 10 * at.Int("n") })},
		"n_a by its formula, as a multiple of the most keys of any whole k_a": {
			Formulas: claim.Formulas{
				exact:      ofOptimumA2(func(o optimum) float64 { return o.n / o.most }),
				"k_a":      ofOptimumA2(func(o optimum) float64 { return o.real }),
				"best k_a": ofOptimumA2(func(o optimum) float64 { return float64(o.best) }),
				"most":     ofOptimumA2(func(o optimum) float64 { return o.most }),
			}},
		"n_a by its formula, as a multiple of that of filter/family/a2 with as many bits": {
			Formulas: claim.Formulas{
				exact: func(at claim.Parameters) float64 {
					_, size := shapeOfA2(at)
					return halfKeys(float64(size.Bits), each(at.Float("rate"))) / at.Float("n")
				},
				"its k_a": func(at claim.Parameters) float64 {
					_, size := shapeOfA2(at)
					return float64(size.Hashes)
				},
				"k_a": func(at claim.Parameters) float64 {
					return -math.Log2(each(at.Float("rate")))
				},
			}},
		"rate with n_a and k_a by their formulas, as a multiple of the rate that they are for": {
			Formulas: claim.Formulas{
				exact: func(at claim.Parameters) float64 {
					o := optimumOf(at)
					full := classical(at.Float("m")/2, o.k, math.Floor(o.n))
					return (1 - (1-full)*(1-full)) / at.Float("rate")
				},
				"k_a":      ofOptimumA2(func(o optimum) float64 { return o.k }),
				"real k_a": ofOptimumA2(func(o optimum) float64 { return o.real }),
			}},
	}
}

func windowedFigures() []claim.Plot {
	return []claim.Plot{
		{
			Name: "windows", Where: "section A2",
			Title: "Windows of equal bits (13,240) and rates when full (1 %): marks simulated, " +
				"lines expected",
			Width: 460, Height: 300, Columns: 1, Panels: []claim.Panel{{
				X: "inserts of others since", Y: "keys that are found", By: "others",
				At: windowGaps, Part: true, Curves: claim.Curves("%s", "filter",
					[]string{oursOfA2, warmUp, flush}, claim.Curve{
						Quantity: "keys that are found", Theory: meanField,
						Parameters: claim.Parameters{"n": 600, "rate": 0.01}})}},
		},
		{
			Name: "buffers", Where: "section A2",
			Title: "A² and a pair of buffers, of equal bits and as many keys: marks simulated, " +
				"lines expected",
			Width: 420, Height: 280, Columns: 1, Panels: []claim.Panel{{
				X: "rate that A² is made for", Y: "rate of false positives when full", By: "rate",
				At: []float64{0.1, 0.05, 0.01, 0.002}, Log: true, Curves: []claim.Curve{
					{Name: "A²", Quantity: "rate of A² when both are full", Theory: meanField,
						Parameters: claim.Parameters{"n": 1000}},
					{Name: warmUp, Quantity: "rate of double buffering when the first is full",
						Theory: meanField, Parameters: claim.Parameters{"n": 1000}}},
				Look: logPercents}},
		},
	}
}
