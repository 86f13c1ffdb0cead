package elastic

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// ratioOf is the p of the proof of Theorem 4.2, by what follows on what.
func ratioOf(at claim.Parameters) float64 {
	keep := func(set float64) float64 { return math.Log1p(-set) }
	return map[string]float64{
		"an expansion after an expansion":   2,
		"a compression after an expansion":  2 * keep(threshold/4) / keep(threshold),
		"an expansion after a compression":  keep(threshold) / keep(threshold/4) / 2,
		"a compression after a compression": 0.5,
	}[at.Text("event")]
}

// history is what growths and the ways back took.
type history struct {
	worst float64 // members by the operations from one event to the next, at most
	// buckets that are read per insert of the first growth, and per operation of all
	growth, moved      float64
	negatives, deletes float64 // members that a delete did not find, of all deletes
}

// turns grows a filter to 16 times its size and back, four times.
func turns(rng *rand.Rand, log int) (h history) {
	c := original.Default()
	c.Log = log
	f := must(original.New(c))
	var members []uint64
	operations, since, was := 0, 0, f.Log()
	step := func(insert bool) {
		if insert {
			hash := rng.Uint64()
			must(0, f.Insert(hash))
			members = append(members, hash)
		} else {
			i := rng.IntN(len(members))
			if h.deletes++; !f.Delete(members[i]) {
				h.negatives++
			}
			members[i] = members[len(members)-1]
			members = members[:len(members)-1]
		}
		operations, since = operations+1, since+1
		if f.Log() != was {
			h.worst = max(h.worst, float64(len(members))/float64(since))
			since, was = 0, f.Log()
		}
	}
	for range 4 {
		for f.Log() < log+4 {
			step(true)
		}
		if h.growth == 0 {
			h.growth = float64(f.Accesses.Moved) / float64(operations)
		}
		for f.Log() > log {
			step(false)
		}
	}
	h.moved = float64(f.Accesses.Moved) / float64(operations)
	return h
}

// moves is Theorem 4.2: how many operations there are from one expansion or compression to the
// next.
func (s study) moves() claim.Quantities {
	log := s.number(13, 10)
	of := func(name string, log int) simulation[history] {
		return repeated(name, 8, func(rng *rand.Rand) history { return turns(rng, log) })
	}
	all, smaller := of("theorem 4.2", log), of("theorem 4.2, smaller", log-2)
	moved := func(h *history) float64 { return h.moved }
	return claim.Quantities{
		"p": computed(ratioOf),
		"p, how far inside of 1/2 to 2": computed(func(at claim.Parameters) float64 {
			// from the inside of the intervals, which lie between
			p := ratioOf(at)
			apart := min(math.Abs(p-0.5), math.Abs(p-2))
			if p < 0.5 || p > 2 {
				return -apart
			}
			return apart
		}),
		"|p/(1-p)|": computed(func(at claim.Parameters) float64 {
			return math.Abs(ratioOf(at) / (1 - ratioOf(at)))
		}),
		"members, as a multiple of the operations since the last expansion or compression, " +
			"at most": {Trials: mean(all, func(h *history) float64 { return h.worst })},
		"buckets that expansions read, per insert, right after the last one": {
			Trials: mean(all, func(h *history) float64 { return h.growth }),
			Formulas: claim.Formulas{"2 k / -ln(1 - Ω), less the first size": constant(
				2 * hashes / perBit(threshold) * (1 - math.Exp2(-4)))}},
		"buckets that are read, per operation of growth and back, as a multiple of those of a " +
			"quarter of the members": {Trials: mean(all, moved).By(mean(smaller, moved))},
		"deletes that did not find their member": share(all,
			func(h *history) (hits, cases float64) { return h.negatives, h.deletes }),
	}
}

// slowBits returns the bits of the buckets of a filter of 2^log bits by Table 1: each slot has a
// fingerprint and a bit that tells its length.
func slowBits(log int, tree bool) float64 {
	const width, branches = 32, 3
	m, slot := math.Exp2(float64(log)), float64(width-log+1)
	bits := m * bucket * slot
	if tree {
		bits += math.Ceil(m/branches) * bucket * (slot + 2)
	}
	return bits
}

// The sizes of Fig. 8a.
const first8a, most8a = 12, 22

// forms8a are the ways to count the slow memory.
var forms8a = map[string]func(log int) float64{
	"buckets and their tree": func(log int) float64 { return slowBits(log, true) },
	"buckets":                func(log int) float64 { return slowBits(log, false) },
	"fingerprints that are stored": func(log int) float64 {
		return perBit(threshold) * math.Exp2(float64(log)) * float64(32-log+1)
	},
}

// bitsOf is the slow memory of a claim's form, or of counters of some bits.
func bitsOf(at claim.Parameters, log int) float64 {
	if form, found := forms8a[at.Text("of")]; found {
		return form(log)
	}
	return at.Float("width") * math.Exp2(most8a)
}

// smaller counts the sizes at which a claim's form takes less than its counters.
func smaller(at claim.Parameters) (sizes float64) {
	for log := first8a; log <= most8a; log++ {
		if bitsOf(at, log) < at.Float("width")*math.Exp2(most8a) {
			sizes++
		}
	}
	return sizes
}

// byCounters is the memory of a claim's form with the most bits, as a multiple of its counters'.
func byCounters(at claim.Parameters) float64 {
	return bitsOf(at, most8a) / at.Float("width") / math.Exp2(most8a)
}

// work is what three ways to double a filter take.
type work struct{ normal, lazy, longest, rebuilt, after float64 }

// by returns the accesses of a claim's way.
func (w *work) by(at claim.Parameters) float64 {
	switch at.Text("way") {
	case "a rebuild":
		return w.rebuilt
	case "a lazy update":
		return w.lazy
	case "the longest call of a lazy update":
		return w.longest
	}
	return w.normal
}

// log8b is the logarithm of the bits of Fig. 8b.
func (s study) log8b() int { return s.number(13, 10) }

// doubled are the trials of Fig. 8b.
func (s study) doubled(run *trials.Run, at claim.Parameters) (string, []work) {
	load, log := loadOf(at), s.log8b()
	name := fmt.Sprint("Fig. 8b ", load)
	return name, trials.Recall(run, name, s.number(20, 6), func(rng *rand.Rand) (w work) {
		of := func(log int, lazy bool) *original.Filter {
			c := original.Default()
			c.Log, c.Most, c.Threshold, c.Lazy = log, log+1, 1, lazy
			return must(original.New(c))
		}
		f, g := of(log, false), of(log, true)
		members := insert(rng, f, int(load*math.Exp2(float64(log))/hashes))
		h := of(log+1, false)
		for _, hash := range members {
			must(0, errors.Join(g.Insert(hash), h.Insert(hash)))
		}
		must(0, errors.Join(f.Expand(), g.Expand()))
		w.normal = float64(f.Accesses.Moved + hashes*len(members))
		w.lazy = float64(g.Accesses.Moved)
		w.rebuilt = float64(h.Accesses.Fast + h.Accesses.Slow)
		for g.Updating() {
			before := g.Accesses.Moved
			insert(rng, g, 1)
			w.longest = max(w.longest, float64(g.Accesses.Moved-before))
		}
		w.after = float64(g.Accesses.Moved) / float64(f.Accesses.Moved)
		return w
	})
}

// perBitOf is what figure 8b shows.
const perBitOf = "bits and buckets per bit of the filter"

// slow is Fig. 8: the slow memory, and the work to double a filter.
func (s study) slow() claim.Quantities {
	gib := func(bits float64) claim.Quantity { return computed(constant(bits / 8 / (1 << 30))) }
	done := claim.Measured(s.doubled, (*work).by)
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
		"bits that are set with ten million members": {Unit: claim.Share,
			Formulas: claim.Formulas{exact: constant(-math.Expm1(-5e7 / (1 << 28)))}},
		"GiB of buckets":                gib(slowBits(28, false)),
		"GiB of buckets and their tree": gib(slowBits(28, true)),
		"the same while it grows":       gib(slowBits(28, true) + slowBits(27, true)),
		"bits of the fingerprints that are left": computed(func(at claim.Parameters) float64 {
			return 32 - at.Float("log")
		}),

		"bits and buckets":            {Trials: done},
		"log of the bits and buckets": {Trials: logs(done)},
		perBitOf: {Trials: claim.Measured(s.doubled,
			func(w *work, at claim.Parameters) float64 {
				return w.by(at) / math.Exp2(float64(s.log8b()))
			})},
		"buckets that a lazy update updates in all, as a multiple of those of a normal one": {
			Trials: mean(s.doubled, func(w *work) float64 { return w.after })},
	}
}

func slowPlots() []claim.Plot {
	memory := claim.Curves("%s", "of", []string{"buckets and their tree", "buckets",
		"fingerprints that are stored"}, claim.Curve{})
	memory = append(memory, claim.Curves("counters of %d bits", "width", []int{4, 8, 32},
		claim.Curve{})...)
	for i := range memory {
		memory[i].Quantity, memory[i].Theory, memory[i].Computed = "MiB of slow memory", exact, true
	}
	panel := claim.Panel{X: "log2 of the bits in fast memory", Y: "MiB of slow memory", By: "log",
		Log: true, Curves: memory}
	for log := first8a; log <= most8a; log++ {
		panel.At = append(panel.At, float64(log))
	}
	return []claim.Plot{{
		Name: "slow", Where: "section 5.4",
		Title:   "Slow memory as the filter grows, beside 2^22 counters",
		Columns: 1, Width: 420, Height: 280, Panels: []claim.Panel{panel},
	}, {
		Name: "expansions", Where: "section 5.4", Title: "Work to double a filter",
		Columns: 1, Width: 420, Height: 280, Panels: []claim.Panel{{
			X: "fingerprints per bucket", Y: perBitOf, By: "kn/m", Log: true,
			At: []float64{perBit(threshold), 0.5, 1.5, 2, 3},
			Curves: claim.Curves("%s", "way", []string{"a normal expansion",
				"the longest call of a lazy update", "a rebuild"}, claim.Curve{Quantity: perBitOf}),
			Look: func(p *chart.Panel) {
				p.X.Tick.Marker = chart.Ticks(quantity.Number, 0.5, 1, 1.5, 2, 2.5, 3)
			}}},
	}}
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
	const hashes = 8
	f := must(original.New(original.Config{
		Log: s.log, Most: s.log, Hashes: hashes, Width: 32, Bucket: s.size,
		Branches: s.branches, Threshold: 1,
	}))
	for f.Insert(rng.Uint64()) == nil {
	}
	return hashes * f.Cardinality() / s.slots()
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
				for j, b := range beyond {
					if i+j < len(next) {
						next[i+j] += a * b
					}
				}
			}
			sum = next
		}
		fit := 0.0
		for _, p := range sum {
			fit += p
		}
		all := math.Pow(min(fit, 1), groups)
		if fits += all * step; all < 1e-6 {
			return fits * math.Exp2(float64(s.log)) / s.slots()
		}
	}
}

// loads is Fig. 9: how full buckets are where the first one overflows.
func (s study) loads() claim.Quantities {
	load := claim.Measured(func(run *trials.Run, at claim.Parameters) (string, []float64) {
		of := shapeOf(at)
		name := fmt.Sprint("load ", of)
		if run.Short && of.log > 12 {
			return name, nil
		}
		return name, trials.Recall(run, name, s.number(200, 60), of.load)
	}, func(v *float64, _ claim.Parameters) float64 { return *v })
	return claim.Quantities{
		"load": {Unit: claim.Share, Trials: load, Formulas: claim.Formulas{
			meanField: func(at claim.Parameters) float64 { return shapeOf(at).expectedLoad() }}},
		"log of the load": {Trials: logs(load)},
		"buckets of level 2": computed(func(at claim.Parameters) float64 {
			return float64(shapeOf(at).groups())
		}),
		"log of the fingerprints before one overflows": {
			Trials: func(run *trials.Run, at claim.Parameters) claim.Sample {
				sample := logs(load)(run, at)
				for i := range sample.Values {
					sample.Values[i] += math.Log(shapeOf(at).slots())
				}
				return sample
			}},
	}
}

func loadsPlot() claim.Plot {
	var curves []claim.Curve
	for _, branches := range []int{0, 2, 3, 4, 8} {
		name := fmt.Sprintf("%d branches", branches)
		if branches == 0 {
			name = "no tree"
		}
		curves = append(curves, claim.Curve{Name: name, Quantity: "load", Theory: meanField,
			Parameters: claim.Parameters{"branches": branches, "log": 10, "S": bucket}})
	}
	return claim.Plot{Name: "loads", Where: "section 5.5",
		Title: "Slots that are used where the first bucket overflows: marks simulated, lines by " +
			"Poisson's law",
		Columns: 2, Width: 380, Height: 260, Panels: []claim.Panel{
			{Title: "by the filter's size, S = 8 (Fig. 9a)", X: "log2 of the bits", Y: "load",
				By: "log", At: []float64{8, 10, 12, 14}, Sparse: true, Curves: curves,
				Look: func(p *chart.Panel) {
					p.X.Tick.Marker = chart.Ticks(quantity.Number, 8, 10, 12, 14)
				}},
			{Title: "by the bucket's size (Fig. 9b)", X: "slots of a bucket, S", Y: "load",
				By: "S", At: []float64{2, 4, 8, 16, 32}, Sparse: true, Curves: curves,
				Look: logarithmicX(2, 4, 8, 16, 32)},
		}}
}
