package garden

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What the sketches count, and their size: of e/width of the occurrences, and e^-depth of the keys.
const (
	sketchKeys  = 10_000
	sketchDraws = 50_000
	sketchWidth = 272 // e/0.01
	sketchDepth = 5   // ln 1/0.0067
)

// newCountMin returns the sketch of Cormode and Muthukrishnan ("An Improved Data Stream Summary:
// The Count-Min Sketch and its Applications", 2005): depth sections of width cells.
func newCountMin() *counters { return newCounters(sketchWidth*sketchDepth, sketchDepth, true) }

// signed is the Fast-AMS sketch (Cormode and Garofalakis, "Sketching Streams Through the Net",
// 2005; the estimate of a count is that of Charikar, Chen and Farach-Colton, 2002): a key adds to
// one cell of each section, with a sign that it has there.
type signed struct{ *counters }

// sign returns 1 or -1.
func (s signed) sign(hash uint64, section int) int64 {
	return 1 - 2*int64(bits.OnesCount64(workload.Mix(hash+uint64(section)))&1)
}

func (s signed) add(hash uint64, times int64) {
	for section, cell := range s.positions(hash) {
		s.cells[cell] += times * s.sign(hash, section)
	}
}

// count is the estimate: the median of the sections'.
func (s signed) count(hash uint64) float64 { return s.median(hash, s.sign) }

// median is that of a key's cells, each times a factor.
func (c *counters) median(hash uint64, factor func(hash uint64, section int) int64) float64 {
	var estimates [sketchDepth]int64
	for section, cell := range c.positions(hash) {
		estimates[section] = c.cells[cell] * factor(hash, section)
	}
	slices.Sort(estimates[:])
	return float64(estimates[sketchDepth/2])
}

// middle is the median of the counters without signs.
func (c *counters) middle(hash uint64) float64 {
	return c.median(hash, func(uint64, int) int64 { return 1 })
}

// square is the estimate of the sum of the squares of all counts: the median of the sections'.
func (s signed) square() float64 {
	var sums [sketchDepth]int64
	for i, cell := range s.cells {
		sums[i/sketchWidth] += cell * cell
	}
	slices.Sort(sums[:])
	return float64(sums[sketchDepth/2])
}

// rate returns the false-positive rate of cells: the chance that those of a key are all above 0.
func (c *counters) rate() float64 {
	sections := 1
	if c.sectioned {
		sections = c.hashes
	}
	rate, size := 1.0, len(c.cells)/sections
	for section := range slices.Chunk(c.cells, size) {
		used := 0
		for _, cell := range section {
			if cell > 0 {
				used++
			}
		}
		rate *= float64(used) / float64(size)
	}
	return math.Pow(rate, float64(c.hashes/sections))
}

// cellsPerKey is that of filters with sections and without.
const cellsPerKey = 10

// isomorphic are the rates of these.
var isomorphic = claim.Simulation{
	Name: claim.Named("isomorphic %v %v", "k", "n"),
	Times: func(at claim.Parameters) (full, short int) {
		return 2_000_000 / at.Int("n"), 100_000 / at.Int("n")
	},
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		rate := func(sectioned bool) float64 {
			c := newCounters(cellsPerKey*at.Int("n"), at.Int("k"), sectioned)
			for range at.Int("n") {
				c.add(rng.Uint64(), 1)
			}
			return c.rate()
		}
		return claim.Outcome{"with": {rate(true)}, "without": {rate(false)}}
	},
}

func withSections(at claim.Parameters) float64 {
	k, n := at.Float("k"), at.Float("n")
	return math.Pow(-math.Expm1(n*math.Log1p(-k/(cellsPerKey*n))), k)
}

func withoutSections(at claim.Parameters) float64 {
	return expected.RateOfBits(at.Float("n"), cellsPerKey*at.Float("n"), at.Int("k"))
}

// multiples are those of an error that is expected, of N/width or √(F2/width).
var multiples = []float64{0.25, 0.5, 0.75, 1, 1.5, 2, math.E, 4}

// above adds a part to the multiples that an error is above.
func above(parts []float64, part, off, unit float64) {
	for i, multiple := range multiples {
		if off > multiple*unit {
			parts[i] += part
		}
	}
}

// sketched are the errors of the sketches' counts of each key of a stream: the counts of the
// minimum that are too low; the parts of the keys with an error above the multiples, of the minimum
// in sections, of that without, and of the median with signs; of these parts those that are
// bounded, less the bounds; mean errors in N/width; and the estimate of F2, as a multiple of it.
var sketched = claim.Simulation{
	Name:  claim.Named("sketches %v", "skew"),
	Times: claim.Times(200, 8),
	Point: claim.Along("multiple", multiples),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		hashes, times := multiset(rng, sketchKeys, sketchDraws, at.Float("skew"))
		min, ams := newCountMin(), signed{newCountMin()}
		whole := newCounters(sketchWidth*sketchDepth, sketchDepth, false)
		squares := 0.0
		for i, hash := range hashes {
			min.add(hash, times[i])
			whole.add(hash, times[i])
			ams.add(hash, times[i])
			squares += float64(times[i] * times[i])
		}
		const unit = float64(sketchDraws) / sketchWidth
		keys := float64(len(hashes))
		var below, first float64
		var least, all, median [8]float64
		var mean [4]float64
		for i, hash := range hashes {
			off := [4]float64{
				float64(min.least(hash, endless) - times[i]),
				float64(whole.least(hash, endless) - times[i]),
				ams.count(hash) - float64(times[i]), min.middle(hash) - float64(times[i]),
			}
			if off[0] < 0 {
				below++
			}
			if float64(min.cells[min.positions(hash)[0]]-times[i]) > math.E*unit {
				first += 1 / keys
			}
			for j := range off {
				mean[j] += off[j] / unit / keys
			}
			above(least[:], 1/keys, off[0], unit)
			above(all[:], 1/keys, off[1], unit)
			above(median[:], 1/keys, math.Abs(off[2]), math.Sqrt(squares/sketchWidth))
		}
		return claim.Outcome{"keys": {keys}, "below": {below}, "least": least[:], "whole": all[:],
			"median": median[:], "over ε": {least[6] - math.Exp(-sketchDepth)},
			"over ε in one": {first - 1/math.E}, "over 2": {median[5] - chebyshev(2)},
			"mean": {mean[0]}, "mean without": {mean[1]}, "sums with signs": {mean[2]},
			"counters as they are": {mean[3]}, "square": {ams.square() / squares}}
	},
}

// markov is the bound of count-min, and chebyshev that of fast-AMS: the median is off where half of
// the sections are, of which each is with 1/multiple^2 at most.
func markov(multiple float64) float64 { return math.Min(1, math.Pow(multiple, -sketchDepth)) }

func chebyshev(multiple float64) float64 {
	return trials.Tail((sketchDepth+1)/2, sketchDepth, math.Min(1, 1/(multiple*multiple)))
}

// worst are streams that are near the bounds: of keys that came as often as each other, as few as
// make an error that counts where a non-member shares a cell with one.
type worst struct {
	name  string
	keys  int     // N/keys is an error that counts
	bound float64 // of the part of the non-members that have it
}

var worsts = map[string]worst{
	"count-min": {"count-min, ε = e/width, δ = e^-depth", 100, math.Exp(-sketchDepth)},
	"fast-AMS":  {"fast-AMS, ε = 2/√width, δ by Chebyshev", 67, chebyshev(2)},
}

func worstOf(at claim.Parameters) worst { return claim.Pick(at, "sketch", worsts) }

// beyond are the parts of non-members with an error that counts.
var beyond = claim.Simulation{
	Name:  func(at claim.Parameters) string { return "worst " + worstOf(at).name },
	Times: claim.Times(500, 50),
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		const queries = 2000
		min, ams, part := newCountMin(), signed{newCountMin()}, 0.0
		for range worstOf(point).keys {
			hash := rng.Uint64()
			min.add(hash, 1)
			ams.add(hash, 1)
		}
		signs := point.Text("sketch") == "fast-AMS"
		for range queries {
			hash := rng.Uint64()
			if signs && ams.count(hash) != 0 || !signs && min.least(hash, endless) > 0 {
				part += 1. / queries
			}
		}
		return claim.Outcome{"part": {part}}
	},
}

// shared returns the probability that a cell of a non-member has a number of the keys.
func shared(keys, others int) float64 {
	return trials.Tail(others, float64(keys), 1./sketchWidth) -
		trials.Tail(others+1, float64(keys), 1./sketchWidth)
}

// beyondOf is the same, expected.
func beyondOf(at claim.Parameters) float64 {
	keys := worstOf(at).keys
	other := 1 - shared(keys, 0)
	if at.Text("sketch") == "count-min" {
		return math.Pow(other, sketchDepth)
	}
	// above in three sections or more, or below
	for others := 2; others < 12; others += 2 { // which may have the sum 0
		other -= shared(keys, others) * (trials.Tail(others/2, float64(others), 0.5) -
			trials.Tail(others/2+1, float64(others), 0.5))
	}
	return 2 * trials.Tail(3, sketchDepth, other/2)
}

// sketches is what the section on the spectral filter says of sketches: its cells in sections, one
// a hash.
func sketches() claim.Quantities {
	bounded := func(number string, bound func(float64) float64) claim.Quantity {
		return measured(sketched.Mean(number), "bound", func(at claim.Parameters) float64 {
			return bound(at.Float("multiple"))
		})
	}
	bound := func(at claim.Parameters) float64 { return worstOf(at).bound }
	part := beyond.Mean("part")
	return claim.Quantities{
		"rate with sections, as a multiple of that without": {
			Trials:   isomorphic.Mean("with").By(isomorphic.Mean("without")),
			Formulas: claim.Formulas{exact: divided(withSections, withoutSections)}},
		"cells of a filter": claim.Computed(claim.Number, exact,
			func(at claim.Parameters) float64 { return cellsPerKey * at.Float("n") }),
		"rate in a sketch": {Unit: claim.Share, Formulas: claim.Formulas{
			"with sections": withSections, "without sections": withoutSections}},
		"keys with an error above a multiple of N/width": bounded("least", markov),
		"the same without sections":                      bounded("whole", markov),
		"keys with an error of fast-AMS above a multiple of √(F2/width)": bounded("median",
			chebyshev),
		"keys that count-min counts less often than they came": measured(
			sketched.Counted("below", "keys"), exact, never),
		"keys with an error above ε = e/width of all occurrences, less δ = e^-depth": sketched.
			Mean("over ε").Share(),
		"the same of one section, less δ = 1/e": sketched.
			Mean("over ε in one").Share(),
		"keys with an error of fast-AMS above 2 √(F2/width), less Chebyshev's bound": sketched.
			Mean("over 2").Share(),
		"mean error with sections, as a multiple of that without": {
			Trials: sketched.Mean("mean").By(sketched.Mean("mean without"))},
		"mean error of the median, as a multiple of N/width": {
			Trials: sketched.MeanBy("counters")},
		"its sum of the squares of all counts, as a multiple of what it is": {
			Trials: sketched.Mean("square")},
		"non-members with an error above ε": measured(part, exact, beyondOf),
		"non-members with an error above ε, less δ": measured(part.To(
			func(part float64, at claim.Parameters) float64 { return part - bound(at) }),
			exact, less(beyondOf, bound)),
	}
}
