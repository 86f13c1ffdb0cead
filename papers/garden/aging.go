package garden

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/a2"
	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
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

func (b *buffers) InsertHashBatch(hashes, _ []uint64) (int, error) {
	for _, hash := range hashes {
		must(b.InsertHash(hash))
	}
	return len(hashes), nil
}

func (b *buffers) QueryHash(hash uint64) bool {
	return b.first.QueryHash(hash) || b.way == literally && b.second.QueryHash(hash)
}

func (b *buffers) QueryHashBatch(hashes, _ []uint64) (present int) {
	for _, hash := range hashes {
		if b.QueryHash(hash) {
			present++
		}
	}
	return present
}

// windowOfA2 is equation 8 of filter/family/a2, less 1.
const windowOfA2 = "2 log2 f / log2 f_a - 1"

// each returns f_a, equation 2 of filter/family/a2: the rate of a buffer, where that of both is f;
// and both the reverse, of buffers with rates of their own.
func each(f float64) float64 { return 1 - math.Sqrt(1-f) }

func both(first, second float64) float64 { return 1 - (1-first)*(1-second) }

// halfKeys is how many keys half of some bits take at a rate, half of them set.
func halfKeys(bits, rate float64) float64 { return bits / 2 * math.Ln2 / -math.Log2(rate) }

// subject is a filter that forgets, and what is expected of it.
type subject struct {
	name  string // of its trials
	make  func(rng *rand.Rand) set
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

// shapeOfA2 is that for a window of n keys and a rate.
func shapeOfA2(at claim.Parameters) (a2.Config, a2.Shape) {
	config := a2.Config{Members: at.Int("n"), Rate: at.Float("rate"), Key: secret}
	return config, must(config.Shape())
}

// ofA2 is a formula of it.
func ofA2(f func(size a2.Shape, rate float64) float64) claim.Formula {
	return func(at claim.Parameters) float64 {
		_, size := shapeOfA2(at)
		return f(size, at.Float("rate"))
	}
}

// pairLimit is how many keys a pair of buffers takes at most of which one warms up.
func pairLimit(bits int, rate float64) int { return int(halfKeys(float64(bits), rate)) / 2 * 2 }

// meanRate returns the mean rate of a buffer of some bits, between two numbers of keys.
func meanRate(bits, k, from, to int) (rate float64) {
	const steps = 1000
	for i := range steps {
		rate += classical(float64(bits), float64(k), float64(from)+float64(to-from)*
			(float64(i)+0.5)/steps) / steps
	}
	return rate
}

// subjectOf is a filter of as many bits as the others, that has the rate where it is full. The
// window of A² is n.
func subjectOf(point claim.Parameters) subject {
	n, rate := point.Int("n"), point.Float("rate")
	config, size := shapeOfA2(point)
	bits := size.Bits
	modelled := func(name string, limit int, way way) (s subject, hashes int) {
		return subject{name: name, make: func(*rand.Rand) set {
			return buffersOf(bits, limit, way)
		}}, buffersOf(bits, limit, way).first.Shape().Hashes
	}
	ofPair := func(s subject, k, sure int) subject { // of A²: one is full
		s.sure, s.last = sure, 2*sure-1
		full := classical(float64(bits/2), float64(k), float64(n))
		s.rates = both(full, meanRate(bits/2, k, 0, n))
		return s
	}
	switch point.Word("filter", oursOfA2, atFull, aboveIt, warmUp, flush, stably) {
	case oursOfA2:
		return ofPair(subject{name: oursOfA2, make: func(*rand.Rand) set {
			return must(a2.New(config))
		}}, size.Hashes, n)
	case atFull:
		s, k := modelled("A², full at its capacity", n, literally)
		return ofPair(s, k, n-1)
	case aboveIt:
		s, k := modelled("A², full above its capacity", n+1, literally)
		return ofPair(s, k, n)
	case warmUp:
		limit := pairLimit(bits, rate)
		s, k := modelled(warmUp, limit, warmed)
		s.sure, s.last, s.rates = limit/2-1, limit-2, meanRate(bits/2, k, limit/2, limit)
		return s
	case flush:
		limit := int(2 * halfKeys(float64(bits), rate))
		s, k := modelled("one buffer, flushed", limit, flushed)
		s.sure, s.last, s.rates = -1, limit-2, meanRate(bits, k, 0, limit)
		return s
	}
	shape := must(stable.New(stable.Config{Members: n, Rate: rate, Key: secret})).Shape()
	return subject{name: stably,
		make: func(rng *rand.Rand) set { return stableOf(rng, shape) }}
}

func subjectName(at claim.Parameters) string { return subjectOf(at).name }

// windowGaps are numbers of others since a key.
var windowGaps = func() (all []float64) {
	for gap := 0.; gap <= 1600; gap += 100 {
		all = append(all, gap)
	}
	return all
}()

// windows is what a filter finds, by the gap, and its rate.
var windows = claim.Simulation{
	Name: claim.NamedBy("windows ", subjectName), Times: claim.Times(200, 24),
	Point: claim.Along("others", windowGaps),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		const looks, queries = 25, 1000
		n, f := at.Int("n"), subjectOf(at).make(rng)
		found, rate := make([]float64, len(windowGaps)), 0.0
		stream := fill(rng, f, 6*n+rng.IntN(4*n))
		for range looks {
			stream = append(stream, fill(rng, f, 1+rng.IntN(n/4))...)
			for i, gap := range windowGaps {
				if f.QueryHash(stream[len(stream)-1-int(gap)]) {
					found[i] += 1. / looks
				}
			}
			rate += rateOf(rng, f, queries) / looks
		}
		return claim.Outcome{"found": found, "rate": {rate}}
	},
}

// orders is after how many others keys go, at least and at most, and the part of them that go while
// an older one is present.
var orders = claim.Simulation{
	Name: claim.NamedBy("certain ", subjectName), Times: claim.Times(20, 2),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		f, window := subjectOf(at).make(rng), 12*at.Int("n")
		stream, gone := make([]uint64, 3*window), make([]int, 3*window)
		workload.Fill(rng, stream)
		oldest, overtaken := 0, 0.0 // of those that are present
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
						overtaken++
					}
				}
			}
			for oldest <= now && gone[oldest] > 0 {
				oldest++
			}
		}
		least, most := float64(window), 0.0
		for at := window; at < 2*window; at++ {
			others := float64(gone[at] - at - 1)
			least, most = min(least, others), max(most, others)
		}
		return claim.Outcome{"least": {least}, "most": {most}, "apart": {most - least},
			"overtaken": {overtaken / (3 * float64(window))}}
	},
}

// fullBuffers are the rates of A² where both buffers are full, and of a pair where the first is.
var fullBuffers = claim.Simulation{
	Name: claim.Named("buffered %v", "rate"), Times: claim.Times(100, 12),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		const queries = 20_000
		config, size := shapeOfA2(at)
		f, n := must(a2.New(config)), at.Int("n")
		fill(rng, f, 19*n/10)
		for f.State().Members < float64(2*n) {
			fill(rng, f, 1)
		}
		both := rateOf(rng, f, queries)
		limit := pairLimit(size.Bits, config.Rate)
		pair := buffersOf(size.Bits, limit, warmed)
		for turns := 0; turns < 2 || pair.held < limit-1; {
			held := pair.held
			if must(pair.InsertHash(rng.Uint64())); pair.held < held {
				turns++
			}
		}
		return claim.Outcome{"both": {both}, "pair": {rateOf(rng, pair.first, queries)}}
	},
}

// apart are the parts of a window's keys that only one buffer has.
var apart = claim.Simulation{
	Name: claim.Named("apart"), Times: claim.Times(100, 10),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		_, size := shapeOfA2(at)
		n := at.Int("n")
		b, window := buffersOf(size.Bits, n, literally), make([]uint64, n)
		for range 3*n + rng.IntN(n) {
			hash := rng.Uint64()
			must(b.InsertHash(hash))
			window = append(window[1:], hash)
		}
		only := map[[2]bool]float64{}
		for _, hash := range window[1:] { // which are present for certain
			only[[2]bool{b.first.QueryHash(hash), b.second.QueryHash(hash)}] += 1 / float64(n)
		}
		return claim.Outcome{"first": {only[[2]bool{true, false}]},
			"second": {only[[2]bool{false, true}]}}
	},
}

// unfilled are the parts of ten turns in which no buffer is full: of all, and since the first.
var unfilled = claim.Simulation{
	Name: claim.Named("always full"), Times: claim.Times(50, 5),
	Point: claim.Along("since", []string{"the start", "the first turn"}),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		config, _ := shapeOfA2(at)
		f, none := must(a2.New(config)), make([]float64, 2)
		inserts := 10 * config.Members
		for range inserts {
			fill(rng, f, 1)
			if s := f.Stats(); s.First.Keys < config.Members && s.Second.Keys < config.Members {
				none[0] += 1 / float64(inserts)
				none[1] += float64(min(s.Turns, 1)) / float64(inserts)
			}
		}
		return claim.Outcome{"none": none}
	},
}

// optimum is what the formulas of k_a and n_a give in m bits.
type optimum struct {
	real, k float64 // k_a, and how it is rounded
	best    int     // whole k_a
	most    float64 // keys of a buffer with it
	n       float64 // n_a
}

func optimumOf(point claim.Parameters) (o optimum) {
	m, f := point.Float("m"), each(point.Float("rate"))
	capacity := func(k int) float64 {
		return -m / 2 / float64(k) * math.Log1p(-math.Pow(f, 1/float64(k)))
	}
	for o.best = 1; capacity(o.best+1) > capacity(o.best); {
		o.best++
	}
	o.real, o.most = -math.Log2(f), capacity(o.best)
	o.k = o.real
	way := point.Word("k_a", "", "not rounded", "rounded", "rounded down")
	if round, found := roundings[way]; found {
		o.k = round(o.real)
	}
	o.n = m / 2 / o.k * math.Ln2
	return o
}

func ofOptimumA2(f func(o optimum) float64) claim.Formula {
	return func(at claim.Parameters) float64 { return f(optimumOf(at)) }
}

// windowed is the section on aging, and that on A².
func windowed() claim.Quantities {
	ofSubject := func(f func(s *subject, at claim.Parameters) float64) claim.Formula {
		return func(at claim.Parameters) float64 {
			s := subjectOf(at)
			return f(&s, at)
		}
	}
	ordered := func(number string, f func(s *subject) int) claim.Quantity {
		return claim.Quantity{Trials: orders.Mean(number), Formulas: claim.Formulas{
			exact: ofSubject(func(s *subject, at claim.Parameters) float64 {
				if at.Text("filter") == stably {
					return math.NaN()
				}
				return float64(f(s))
			})}}
	}
	full := ofA2(func(s a2.Shape, _ float64) float64 {
		rate := classical(float64(s.Bits/2), float64(s.Hashes), float64(s.Window))
		return both(rate, rate)
	})
	fewer := claim.Computed(claim.Number, restored, func(at claim.Parameters) float64 {
		rate := at.Float("rate")
		return 2*optimalBits(each(rate)) - 4*optimalBits(rate) - 64
	})
	rateOf, bothFull := given("rate"), fullBuffers.Mean("both")
	return claim.Quantities{
		"bits per key of A², less those of a counting filter and a queue of its members": fewer,
		"keys that are found": measured(windows.Mean("found"), meanField,
			ofSubject(func(s *subject, at claim.Parameters) float64 {
				present := s.present(at.Int("others"))
				return present + (1-present)*s.rates // and false positives
			})),
		"rate, in the mean over time": measured(windows.Mean("rate"), meanField,
			ofSubject(func(s *subject, _ claim.Parameters) float64 { return s.rates })),
		"others after which every key is present": ordered("least",
			func(s *subject) int { return s.sure }),
		"others after which some key is present": ordered("most",
			func(s *subject) int { return s.last }),
		"others after which the last key goes, less those after which the first goes": ordered(
			"apart", func(s *subject) int { return s.last - s.sure }),
		"keys that go while an older one is present": orders.Mean("overtaken").Of(
			func(at claim.Parameters) int { return 36 * at.Int("n") }).Share(),
		"rate when both are full, as a multiple of its formula": {
			Trials:   multiple(bothFull, full),
			Formulas: claim.Formulas{meanField: divided(rateOf, full)}},
		"rate of A² when both are full": {Unit: claim.Share, Trials: bothFull,
			Formulas: claim.Formulas{meanField: rateOf, restored: full}},
		"rate of double buffering when the first is full": measured(fullBuffers.Mean("pair"),
			meanField, ofA2(func(s a2.Shape, rate float64) float64 {
				limit := pairLimit(s.Bits, rate)
				k := buffersOf(s.Bits, limit, warmed).first.Shape().Hashes
				return classical(float64(s.Bits/2), float64(k), float64(limit))
			})),
		"certain window at equal bits, as a multiple of double buffering's, less 1": {
			Formulas: claim.Formulas{
				exact: ofA2(func(s a2.Shape, rate float64) float64 {
					return float64(s.Window)/float64(pairLimit(s.Bits, rate)/2) - 1
				}),
				windowOfA2: func(at claim.Parameters) float64 {
					rate := at.Float("rate")
					return 2*math.Log(rate)/math.Log(each(rate)) - 1
				},
			}},
		"keys of the window that only the first has":  apart.Mean("first").Share(),
		"keys of the window that only the second has": apart.Mean("second").Share(),
		"part of ten turns in which none is": unfilled.Mean("none").Of(
			func(at claim.Parameters) int { return 10 * at.Int("n") }).Share(),
		"n_a by its formula, as a multiple of the most keys of any whole k_a": {
			Formulas: claim.Formulas{
				exact:      ofOptimumA2(func(o optimum) float64 { return o.n / o.most }),
				"k_a":      ofOptimumA2(func(o optimum) float64 { return o.real }),
				"best k_a": ofOptimumA2(func(o optimum) float64 { return float64(o.best) }),
				"most":     ofOptimumA2(func(o optimum) float64 { return o.most }),
			}},
		"n_a by its formula, as a multiple of that of filter/family/a2 with as many bits": {
			Formulas: claim.Formulas{
				exact: ofA2(func(s a2.Shape, rate float64) float64 {
					return halfKeys(float64(s.Bits), each(rate)) / float64(s.Window)
				}),
				"its k_a": ofA2(func(s a2.Shape, _ float64) float64 { return float64(s.Hashes) }),
				"k_a": func(at claim.Parameters) float64 {
					return -math.Log2(each(at.Float("rate")))
				},
			}},
		"rate with n_a and k_a by their formulas, as a multiple of the rate that they are for": {
			Formulas: claim.Formulas{
				exact: func(at claim.Parameters) float64 {
					o := optimumOf(at)
					full := classical(at.Float("m")/2, o.k, math.Floor(o.n))
					return both(full, full) / at.Float("rate")
				},
				"k_a":      ofOptimumA2(func(o optimum) float64 { return o.k }),
				"real k_a": ofOptimumA2(func(o optimum) float64 { return o.real }),
			}},
	}
}
