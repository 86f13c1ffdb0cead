package garden

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	variable "github.com/bloomlane/bloomlane/internal/counters"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

const (
	spectralKeys   = 2000 // to draw from
	spectralDraws  = 10   // for each
	spectralHashes = 5
)

// spectralKinds are the three algorithms, in the order of their results.
var spectralKinds = []string{"MS", "MI", "RM"}

// spectralOf are filters of as many primary counters for n members at a load of kn/m.
func spectralOf(n int, load float64) (all [3]filter.Counter, m float64) {
	c := spectral.Config{
		// which is wide enough, and fast
		Members: n, Hashes: spectralHashes, Width: 16, Key: secret,
		Rate: math.Pow(-math.Expm1(-load), spectralHashes),
	}
	ms := must(spectral.NewSelection(c))
	return [3]filter.Counter{ms, must(spectral.NewIncrease(c)), must(spectral.NewRecurring(c))},
		float64(ms.Shape().Counters)
}

// miscounted is what the counts of all members of a stream have: of each algorithm, and in theory
// of MS.
type miscounted struct {
	wrong, under, size [3]float64 // parts of the members, and the mean error
	formula            float64
}

func miscount(rng *rand.Rand, skew, load float64) (r miscounted) {
	stream := must(workload.Zipf(spectralKeys, skew, rng.Uint64()))
	hashes, times := make([]uint64, spectralKeys*spectralDraws), map[uint64]uint64{}
	stream.Fill(hashes)
	for _, hash := range hashes {
		times[hash]++
	}
	n := float64(len(times))
	all, m := spectralOf(len(times), load)
	for i, f := range all {
		must(f.InsertHashBatch(hashes, nil))
		for hash, want := range times {
			switch got := f.CountHash(hash); {
			case got > want:
				r.wrong[i] += 1 / n
				r.size[i] += float64(got-want) / n
			case got < want:
				r.wrong[i] += 1 / n
				r.under[i] += 1 / n
				r.size[i] += float64(want-got) / n
			}
		}
	}
	r.formula = classical(m, spectralHashes, n)
	return r
}

// meanNoise is the mean error of minimum selection in m counters: the sum over x of the probability
// that all k of a key have x or more of others, which is a compound Poisson distribution, by
// Panjer's recursion. The members came as often as a tail says.
func meanNoise(members int, came bitwise.Tail, m, k float64) (mean float64) {
	load := (float64(members) - 1) * k / m
	chance, parts := []float64{math.Exp(-load)}, []float64{0}
	left := 1 - chance[0]
	for s := uint64(1); left > 0.01; s++ {
		mean += math.Pow(left, k)
		p := 0.0
		parts = append(parts, came(s)-came(s+1))
		for n := uint64(1); n <= s; n++ {
			p += float64(n) * parts[n] * chance[s-n]
		}
		chance = append(chance, p*load/float64(s))
		left -= chance[s]
	}
	return mean
}

// singlePart is the part of the keys with a single minimum where each has come as often: one of its
// counters has some number of other keys, and all others have more.
func singlePart(load float64, k int) (part float64) {
	more, chance := 1.0, math.Exp(-load)
	for n := range 100 {
		more = max(0, more-chance)
		part += float64(k) * chance * math.Pow(more, float64(k-1))
		chance *= load / float64(n+1)
	}
	return part
}

// singles are the parts of keys with a single minimum.
func singles(run *trials.Run, at claim.Parameters) (string, []float64) {
	n, k := at.Int("n"), at.Int("k")
	return repeated(run, fmt.Sprint("single ", k), 400, 12, func(rng *rand.Rand) float64 {
		f, keys := newCounters(singleCells(at), k, false), make([]uint64, n)
		workload.Fill(rng, keys)
		for _, key := range keys {
			f.add(key, 1)
		}
		single := 0
		for _, key := range keys {
			var own [16]int
			least, times := int64(endless), 0
			for _, cell := range f.positions(own[:0], key) {
				switch value := f.cells[cell]; {
				case value < least:
					least, times = value, 1
				case value == least:
					times++
				}
			}
			if times == 1 {
				single++
			}
		}
		return float64(single) / float64(n)
	})
}

func singleCells(at claim.Parameters) int {
	return int(math.Round(at.Float("n") * at.Float("k") / at.Float("load")))
}

// stored is bits per counter: of the codes, with their index, of the entropy, and of the lengths in
// binary.
type stored struct{ codes, indexed, entropy, binary float64 }

// codedOf returns the sizes of counters, by the mean number of keys per counter and of draws per
// key.
func codedOf(rng *rand.Rand, counters uint64, load, draws, skew float64) (s stored) {
	a := variable.New(variable.ShapeOf(counters), 1)
	_, empty := a.Count()
	m := float64(a.Counters())
	n := uint64(load * m)
	stream := must(workload.Zipf(n, skew, rng.Uint64()))
	if draws == 1 {
		for range n {
			a.Raise(a.At(rng.Uint64()), 1)
		}
	} else {
		for range uint64(draws * float64(n)) {
			a.Raise(a.At(stream.Hash(stream.Next())), 1)
		}
	}
	frequency := map[uint64]float64{}
	for i := range a.Counters() {
		value := a.Get(a.Index(i))
		frequency[value]++
		s.binary += float64(max(1, bits.Len64(max(value, 1)-1))) / m
	}
	for _, n := range frequency {
		s.entropy -= n / m * math.Log2(n/m)
	}
	_, size := a.Count()
	s.indexed = float64(size) / m
	s.codes = (float64(size-empty) + m) / m
	return s
}

func coded(run *trials.Run, at claim.Parameters) (string, []stored) {
	load, draws, skew := at.Float("keys per counter"), at.Float("draws per key"), at.Float("skew")
	counters := uint64(1 << 15)
	if run.Short {
		counters /= 2
	}
	return repeated(run, fmt.Sprint("coded ", load, draws, skew), 20, 2,
		func(rng *rand.Rand) stored { return codedOf(rng, counters, load, draws, skew) })
}

// onceEach returns the mean length of the code of a Poisson distributed counter, and its entropy.
func onceEach(load float64) (length, entropy float64) {
	chance := math.Exp(-load)
	for n := range uint64(60) {
		length += chance * float64(variable.Length(n))
		if chance > 0 {
			entropy -= chance * math.Log2(chance)
		}
		chance *= load / float64(n+1)
	}
	return length, entropy
}

func miscounts(run *trials.Run, at claim.Parameters) (string, []miscounted) {
	skew, load := at.Float("skew"), at.Float("load")
	return repeated(run, fmt.Sprint("spectral ", skew, load), 200, 8,
		func(rng *rand.Rand) miscounted { return miscount(rng, skew, load) })
}

// ofSelection is a formula for minimum selection, of as many members as are expected.
func ofSelection(
	f func(members int, came bitwise.Tail, m float64) float64,
) func(claim.Parameters) float64 {
	return func(at claim.Parameters) float64 {
		if at.Text("algorithm") != spectralKinds[0] {
			return math.NaN()
		}
		n, came := cameBy(spectralKeys, spectralKeys*spectralDraws, at.Float("skew"))
		_, m := spectralOf(n, at.Float("load"))
		return f(n, came, m)
	}
}

// spectra is the section on the spectral filter, but for its sketches.
func spectra() claim.Quantities {
	of := func(numbers func(*miscounted) *[3]float64) claim.Trials {
		return claim.Measured(miscounts, func(r *miscounted, at claim.Parameters) float64 {
			return numbers(r)[slices.Index(spectralKinds, at.Text("algorithm"))]
		})
	}
	wrong := of(func(r *miscounted) *[3]float64 { return &r.wrong })
	ofCoded := func(number func(*stored) float64, once func(load float64) float64) claim.Quantity {
		return claim.Quantity{
			Trials: claim.Measured(coded, func(s *stored, _ claim.Parameters) float64 {
				return number(s)
			}),
			Formulas: claim.Formulas{meanField: func(at claim.Parameters) float64 {
				if at.Int("draws per key") != 1 {
					return math.NaN()
				}
				return once(at.Float("keys per counter"))
			}},
		}
	}
	unknown := func(float64) float64 { return math.NaN() }
	return claim.Quantities{
		"counts of a spectral filter that are wrong": measured(wrong, meanField,
			ofSelection(func(n int, _ bitwise.Tail, m float64) float64 {
				return expected.RateOfBits(float64(n-1), m, spectralHashes)
			})),
		"mean error of a spectral filter's count": {
			Trials: of(func(r *miscounted) *[3]float64 { return &r.size }),
			Formulas: claim.Formulas{meanField: ofSelection(
				func(n int, came bitwise.Tail, m float64) float64 {
					return meanNoise(n, came, m, spectralHashes)
				})},
		},
		"counts of a spectral filter that are under": {Unit: claim.Share,
			Trials: of(func(r *miscounted) *[3]float64 { return &r.under }).Of(
				members(spectralKeys, spectralKeys*spectralDraws))},
		"counts of a spectral filter that are wrong, as a multiple of the formula": {
			Trials: wrong.By(claim.Measured(miscounts,
				func(r *miscounted, _ claim.Parameters) float64 { return r.formula }))},
		"keys with a single minimum": measured(claim.Measured(singles, itself), meanField,
			func(at claim.Parameters) float64 {
				k := at.Int("k")
				return singlePart((at.Float("n")-1)*float64(k)/float64(singleCells(at)), k)
			}),
		"bits per counter, of the codes": ofCoded(func(s *stored) float64 { return s.codes },
			func(load float64) float64 { length, _ := onceEach(load); return length }),
		"bits per counter, with their index": ofCoded(
			func(s *stored) float64 { return s.indexed }, unknown),
		"bits per counter, entropy": ofCoded(func(s *stored) float64 { return s.entropy },
			func(load float64) float64 { _, entropy := onceEach(load); return entropy }),
		"bits per counter, in binary, without ends": ofCoded(
			func(s *stored) float64 { return s.binary }, unknown),
	}
}

func spectraFigures() []claim.Plot {
	errors := func(title, x, by string, values []float64, fixed string, at float64) []claim.Panel {
		panel := func(y, quantity string) claim.Panel {
			curves := claim.Curves("%s", "algorithm", spectralKinds, claim.Curve{
				Quantity: quantity, Parameters: claim.Parameters{"k": spectralHashes, fixed: at}})
			curves[0].Theory = meanField
			return claim.Panel{Title: title, X: x, Y: y, By: by, At: values, Log: true,
				Curves: curves}
		}
		return []claim.Panel{
			panel("counts that are wrong", "counts of a spectral filter that are wrong"),
			panel("mean error", "mean error of a spectral filter's count")}
	}
	sizes := func(
		title, x, by string,
		values []float64,
		at claim.Parameters,
		theory string,
		look func(*chart.Panel),
	) claim.Panel {
		return claim.Panel{Title: title, X: x, Y: "bits per counter", By: by, At: values,
			Look: look, Curves: []claim.Curve{
				{Name: "codes", Quantity: "bits per counter, of the codes", Theory: theory,
					Parameters: at},
				{Name: "codes and index", Quantity: "bits per counter, with their index",
					Parameters: at},
				{Name: "entropy", Quantity: "bits per counter, entropy", Theory: theory,
					Parameters: at},
				{Name: "⌈log2⌉, without ends",
					Quantity: "bits per counter, in binary, without ends", Parameters: at}}}
	}
	return []claim.Plot{
		{
			Name: "spectral", Where: "section Spectral",
			Title: fmt.Sprintf("Counts of minimum selection, minimal increase and recurring "+
				"minimum (k = %d, primary counters alike): marks simulated, lines expected",
				spectralHashes),
			Width: 330, Height: 260, Columns: 2, Panels: append(
				errors("kn/m = 0.7", "skew", "skew", []float64{0, 0.4, 0.8, 1.2}, "load", 0.7),
				errors("skew 0.8", "load, kn/m", "load", []float64{0.4, 0.7, 1, 1.4, 2}, "skew",
					0.8)...),
		},
		{
			Name: "coded", Where: `section Spectral: "the fancy data-structure"`,
			Title: "Counters of variable length, beside their entropy: marks simulated, lines " +
				"expected",
			Width: 330, Height: 260, Columns: 2, Panels: []claim.Panel{
				sizes("keys once each", "keys per counter", "keys per counter",
					[]float64{0.125, 0.25, 0.5, math.Ln2, 1, 1.5, 2, 3},
					claim.Parameters{"draws per key": 1, "skew": 0}, meanField,
					func(p *chart.Panel) { tickX(0, 1, 2, 3)(p); p.X.Min = 0 }),
				sizes("10 draws for each key, ln 2 keys per counter", "skew", "skew",
					[]float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5},
					claim.Parameters{"draws per key": spectralDraws,
						"keys per counter": math.Ln2}, "", nil)},
		},
	}
}
