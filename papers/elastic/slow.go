package elastic

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
)

// ratioOf is the p of the proof of Theorem 4.2, by what follows on what.
func ratioOf(point claim.Parameters) float64 {
	keep := func(set float64) float64 { return math.Log1p(-set) }
	return claim.Pick(point, "event", map[string]float64{
		"an expansion after an expansion":   2,
		"a compression after an expansion":  2 * keep(threshold/4) / keep(threshold),
		"an expansion after a compression":  keep(threshold) / keep(threshold/4) / 2,
		"a compression after a compression": 0.5,
	})
}

// turns grows a filter to 16 times its size and back, four times. It returns the members by the
// operations from one expansion or compression to the next, at most; the buckets that are read per
// insert of the first growth, and per operation of all; and the deletes that did not find their
// member.
func turns(name string, log int) *claim.Simulation {
	return repeated(name, 8, 8, func(rng *rand.Rand) claim.Outcome {
		f := large(log, threshold)
		var members []uint64
		var worst, growth, negatives, deletes float64
		operations, since, was := 0, 0, f.Log()
		count := func() {
			operations, since = operations+1, since+1
			if f.Log() != was {
				worst = max(worst, float64(len(members))/float64(since))
				since, was = 0, f.Log()
			}
		}
		for range 4 {
			for f.Log() < log+4 {
				members = append(members, insert(rng, f, 1)...)
				count()
			}
			if growth == 0 {
				growth = float64(f.Accesses.Moved) / float64(operations)
			}
			for f.Log() > log {
				i := rng.IntN(len(members))
				if deletes++; !f.Delete(members[i]) {
					negatives++
				}
				members[i] = members[len(members)-1]
				members = members[:len(members)-1]
				count()
			}
		}
		return claim.Outcome{"worst": {worst}, "growth": {growth},
			"moved":     {float64(f.Accesses.Moved) / float64(operations)},
			"negatives": {negatives}, "deletes": {deletes}}
	})
}

// moves is Theorem 4.2: how many operations there are from one expansion or compression to the
// next.
func (s study) moves() claim.Quantities {
	log := s.number(13, 10)
	all, smaller := turns("theorem 4.2", log), turns("theorem 4.2, smaller", log-2)
	return claim.Quantities{
		"p": computed(ratioOf),
		"p, how far inside of 1/2 to 2": computed(func(at claim.Parameters) float64 {
			// from the inside of the intervals, which lie between
			p := ratioOf(at)
			return math.Copysign(min(math.Abs(p-0.5), math.Abs(p-2)), (p-0.5)*(2-p))
		}),
		"|p/(1-p)|": computed(func(at claim.Parameters) float64 {
			return math.Abs(ratioOf(at) / (1 - ratioOf(at)))
		}),
		"members, as a multiple of the operations since the last expansion or compression, " +
			"at most": {Trials: all.Mean("worst")},
		"buckets that expansions read, per insert, right after the last one": {
			Trials: all.Mean("growth"),
			Formulas: claim.Formulas{"2 k / -ln(1 - Ω), less the first size": claim.Constant(
				2 * hashes / perBit(threshold) * (1 - math.Exp2(-4)))}},
		"buckets that are read, per operation of growth and back, as a multiple of those of a " +
			"quarter of the members": {Trials: all.Mean("moved").By(smaller.Mean("moved"))},
		"deletes that did not find their member": {Unit: claim.Share,
			Trials: all.Among("negatives", "deletes")},
	}
}

// slowBits returns the bits of the buckets of a filter of 2^log bits by Table 1.
func slowBits(log int, tree bool) float64 {
	c := original.Default()
	if !tree {
		c.Branches = 0
	}
	return c.SlowBits(log)
}

// The sizes of Fig. 8a.
const first8a, most8a = 12, 22

// bitsOf is the slow memory of a claim's form, or of its counters where it has no form.
func bitsOf(point claim.Parameters, log int) float64 {
	const tree, buckets = "buckets and their tree", "buckets"
	const stored = "fingerprints that are stored"
	switch point.Word("of", "", tree, buckets, stored) {
	case tree:
		return slowBits(log, true)
	case buckets:
		return slowBits(log, false)
	case stored:
		return perBit(threshold) * math.Exp2(float64(log)) * float64(32-log+1)
	}
	return countersOf(point)
}

func countersOf(at claim.Parameters) float64 { return at.Float("width") * math.Exp2(most8a) }

// smaller counts the sizes at which a claim's form takes less than its counters.
func smaller(at claim.Parameters) (sizes float64) {
	for log := first8a; log <= most8a; log++ {
		if bitsOf(at, log) < countersOf(at) {
			sizes++
		}
	}
	return sizes
}

// byCounters is the memory of a claim's form with the most bits, as a multiple of its counters'.
func byCounters(at claim.Parameters) float64 { return bitsOf(at, most8a) / countersOf(at) }

// ways are those to double a filter.
var ways = []string{"a normal expansion", "a lazy update", "the longest call of a lazy update",
	"a rebuild"}

// doubled are the trials of Fig. 8b: what the ways to double a filter of 2^log bits access, and all
// of a lazy update.
func (s study) doubled(log int) *claim.Simulation {
	newFilter := func(log int, lazy bool) *original.Filter {
		c := original.Default()
		c.Log, c.Most, c.Threshold, c.Lazy = log, log+1, 1, lazy
		return original.New(c)
	}
	return &claim.Simulation{
		Name:  claim.NamedBy("Fig. 8b ", loadOf),
		Times: claim.Times(20, 6), Point: claim.Along("way", ways),
		Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
			f, g, h := newFilter(log, false), newFilter(log, true), newFilter(log+1, false)
			members := insert(rng, f, int(loadOf(at)*math.Exp2(float64(log))/hashes))
			for _, hash := range members {
				must(g.Insert(hash) && h.Insert(hash))
			}
			must(f.Expand() && g.Expand())
			normal, lazy, longest := f.Accesses.Moved, g.Accesses.Moved, 0
			for g.Updating() {
				before := g.Accesses.Moved
				insert(rng, g, 1)
				longest = max(longest, g.Accesses.Moved-before)
			}
			work := []float64{float64(normal + hashes*len(members)), float64(lazy),
				float64(longest), float64(h.Accesses.Fast + h.Accesses.Slow)}
			return claim.Outcome{"work": work,
				"after": {float64(g.Accesses.Moved) / float64(normal)}}
		},
	}
}

// perBitOf is what figure 8b shows.
const perBitOf = "bits and buckets per bit of the filter"

// slow is Fig. 8: the slow memory, and the work to double a filter.
func (s study) slow() claim.Quantities {
	tenMillion := claim.Parameters{"log": 28, "n": 10_000_000}
	gib := func(bits float64) claim.Quantity {
		return computed(claim.Constant(bits / 8 / (1 << 30))).Fixed(tenMillion)
	}
	log := s.number(13, 10)
	doubled := s.doubled(log)
	work := doubled.Mean("work")
	return claim.Quantities{
		"MiB of slow memory": computed(func(at claim.Parameters) float64 {
			return bitsOf(at, at.Int("log")) / 8 / (1 << 20)
		}),
		"sizes at which it takes less": computed(smaller),
		"sizes at which it does, less half of them": computed(func(at claim.Parameters) float64 {
			return smaller(at) - (most8a-first8a+1)/2.
		}),
		"memory by that of the counters, with the most bits": computed(byCounters),
		"log of the memory by that of the counters, with the most bits": computed(
			func(at claim.Parameters) float64 { return math.Log(byCounters(at)) }),
		"bits that are set with ten million members": claim.Quantity{Unit: claim.Share,
			Formulas: claim.Formulas{exact: claim.Constant(part(5e7 / (1 << 28)))}}.
			Fixed(tenMillion),
		"GiB of buckets":                gib(slowBits(28, false)),
		"GiB of buckets and their tree": gib(slowBits(28, true)),
		"the same while it grows":       gib(slowBits(28, true) + slowBits(27, true)),
		"bits of the fingerprints that are left": computed(func(at claim.Parameters) float64 {
			return 32 - at.Float("log")
		}).Fixed(claim.Parameters{"n": 10_000_000}),

		"bits and buckets":            {Trials: work},
		"log of the bits and buckets": {Trials: work.Log()},
		perBitOf: {Trials: work.To(func(v float64, _ claim.Parameters) float64 {
			return v / math.Exp2(float64(log))
		})},
		"buckets that a lazy update updates in all, as a multiple of those of a normal one": {
			Trials: doubled.Mean("after")},
	}
}

// shape is a size of buckets, and how many share one of level 2; 0 if there is none.
type shape struct{ log, size, branches int }

func shapeOf(at claim.Parameters) shape {
	s := shape{at.Int("log"), at.Int("S"), at.Int("branches")}
	if s.size == 0 {
		s.size = bucket
	}
	return s
}

func (s shape) groups() int {
	if s.branches == 0 {
		return 0
	}
	return (1<<s.log + s.branches - 1) / s.branches
}

func (s shape) slots() float64 { return float64(s.size) * float64(1<<s.log+s.groups()) }

// load fills buckets until one overflows, and returns the part of the slots that are used: 8
// hashes, as in section 5.5.
func (s shape) load(rng *rand.Rand) float64 {
	f := original.New(original.Config{Log: s.log, Most: s.log, Hashes: 8, Width: 32, Bucket: s.size,
		Branches: s.branches, Threshold: 1})
	for f.Insert(rng.Uint64()) {
	}
	return 8 * f.Cardinality() / s.slots()
}

// expectedLoad is the mean of that, with fingerprints one by one: loads of buckets are Poisson's,
// and the buckets that share one of level 2 overflow where what they have beyond their own slots is
// more than it has.
func (s shape) expectedLoad() float64 {
	groups, each := float64(int(1)<<s.log), 1
	if s.branches > 0 {
		groups, each = groups/float64(s.branches), s.branches
	}
	const step = 0.01
	fits := 0.0
	for mean := step / 2; ; mean += step {
		of := distuv.Poisson{Lambda: mean}
		beyond := []float64{of.CDF(float64(s.size))}
		for j := 1; j <= s.size && s.branches > 0; j++ {
			beyond = append(beyond, of.Prob(float64(s.size+j)))
		}
		sum := []float64{1}
		for range each {
			next := make([]float64, min(len(sum)+len(beyond)-1, s.size+1))
			for i, a := range sum {
				for j, b := range beyond[:min(len(beyond), len(next)-i)] {
					next[i+j] += a * b
				}
			}
			sum = next
		}
		all := math.Pow(min(floats.Sum(sum), 1), groups)
		if fits += all * step; all < 1e-6 {
			return fits * math.Exp2(float64(s.log)) / s.slots()
		}
	}
}

// loads is Fig. 9: how full buckets are where the first one overflows.
func (s study) loads() claim.Quantities {
	loaded := claim.Simulation{
		Name: claim.NamedBy("load ", shapeOf),
		Times: func(at claim.Parameters) (full, short int) {
			if at.Int("log") > 12 {
				return 200, 0
			}
			return 200, 60
		},
		Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
			return claim.Outcome{"load": {shapeOf(at).load(rng)}}
		},
	}
	load := loaded.Mean("load")
	return claim.Quantities{
		"load": {Unit: claim.Share, Trials: load, Formulas: claim.Formulas{
			meanField: func(at claim.Parameters) float64 { return shapeOf(at).expectedLoad() }}},
		"log of the load": {Trials: load.Log()},
		"buckets of level 2": computed(func(at claim.Parameters) float64 {
			return float64(shapeOf(at).groups())
		}),
		"log of the fingerprints before one overflows": {Trials: load.Log().To(
			func(v float64, at claim.Parameters) float64 {
				return v + math.Log(shapeOf(at).slots())
			})},
	}
}
