package garden

import (
	"maps"
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

// miscounts is what the counts of all members of a stream have, of each algorithm: those that are
// wrong, or too low, and the mean error; and the part that is wrong by the formula for MS.
var miscounts = claim.Simulation{
	Name:  claim.Named("spectral %v %v", "skew", "load"),
	Times: claim.Times(200, 8), Point: claim.Along("algorithm", spectralKinds),
	Fixed: claim.Parameters{"k": spectralHashes},
	Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
		stream := must(workload.Zipf(spectralKeys, point.Float("skew"), rng.Uint64()))
		hashes, times := make([]uint64, spectralKeys*spectralDraws), map[uint64]uint64{}
		stream.Fill(hashes)
		for _, hash := range hashes {
			times[hash]++
		}
		n := float64(len(times))
		all, m := spectralOf(len(times), point.Float("load"))
		var wrong, under, size [3]float64
		for i, f := range all {
			must(f.InsertHashBatch(hashes, nil))
			for hash, want := range times {
				off := float64(f.CountHash(hash)) - float64(want)
				if off != 0 {
					wrong[i]++
				}
				if off < 0 {
					under[i]++
				}
				size[i] += math.Abs(off)
			}
			wrong[i], under[i], size[i] = wrong[i]/n, under[i]/n, size[i]/n
		}
		return claim.Outcome{"wrong": wrong[:], "under": under[:], "size": size[:],
			"formula": {classical(m, spectralHashes, n)}}
	},
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
var singles = claim.Simulation{
	Name: claim.Named("single %v", "k"), Times: claim.Times(400, 12),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		f, keys := newCounters(singleCells(at), at.Int("k"), false), make([]uint64, at.Int("n"))
		workload.Fill(rng, keys)
		for _, key := range keys {
			f.add(key, 1)
		}
		single := 0.0
		for _, key := range keys {
			least, times := int64(endless), 0
			for _, cell := range f.positions(key) {
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
		return claim.Outcome{"part": {single / float64(len(keys))}}
	},
}

func singleCells(at claim.Parameters) int {
	return int(math.Round(at.Float("n") * at.Float("k") / at.Float("load")))
}

// coded is bits per counter, by the mean number of keys per counter and of draws per key: of the
// codes, with their index, of the entropy, and of the lengths in binary.
func coded(short bool) *claim.Simulation {
	counters := uint64(1 << 15)
	if short {
		counters /= 2
	}
	return &claim.Simulation{
		Name:  claim.Named("coded %v %v %v", "keys per counter", "draws per key", "skew"),
		Times: claim.Times(20, 2),
		Trial: func(rng *rand.Rand, point claim.Parameters) claim.Outcome {
			a := variable.New(variable.ShapeOf(counters), 1)
			_, empty := a.Count()
			m, draws := float64(a.Counters()), point.Float("draws per key")
			n := uint64(point.Float("keys per counter") * m)
			stream := must(workload.Zipf(n, point.Float("skew"), rng.Uint64()))
			for range uint64(draws * float64(n)) {
				hash := rng.Uint64 // of a key that comes once
				if draws != 1 {
					hash = func() uint64 { return stream.Hash(stream.Next()) }
				}
				a.Raise(a.At(hash()), 1)
			}
			frequency := map[uint64]float64{}
			binary, entropy := 0.0, 0.0
			for i := range a.Counters() {
				value := a.Get(a.Index(i))
				frequency[value]++
				binary += float64(max(1, bits.Len64(max(value, 1)-1))) / m
			}
			// A sum depends on its order.
			for _, value := range slices.Sorted(maps.Keys(frequency)) {
				n := frequency[value]
				entropy -= n / m * math.Log2(n/m)
			}
			_, size := a.Count()
			return claim.Outcome{"codes": {(float64(size-empty) + m) / m},
				"indexed": {float64(size) / m}, "entropy": {entropy}, "binary": {binary}}
		},
	}
}

// onceEach returns the mean of a number of a Poisson distributed counter's values and their
// chances.
func onceEach(number func(value uint64, chance float64) float64) claim.Formulas {
	return claim.Formulas{meanField: func(point claim.Parameters) (mean float64) {
		if point.Int("draws per key") != 1 {
			return math.NaN()
		}
		load := point.Float("keys per counter")
		chance := math.Exp(-load)
		for n := range uint64(60) {
			if chance > 0 {
				mean += chance * number(n, chance)
			}
			chance *= load / float64(n+1)
		}
		return mean
	}}
}

// ofSelection is a formula for minimum selection, of as many members as are expected.
func ofSelection(f func(members int, came bitwise.Tail, m float64) float64) claim.Formula {
	return func(point claim.Parameters) float64 {
		if point.Text("algorithm") != spectralKinds[0] {
			return math.NaN()
		}
		c := cameBy(draws{law{spectralKeys, point.Float("skew")}, spectralKeys * spectralDraws})
		_, m := spectralOf(c.members, point.Float("load"))
		return f(c.members, c.tail, m)
	}
}

// spectra is the section on the spectral filter, but for its sketches.
func spectra(short bool) claim.Quantities {
	coded, wrong := coded(short), miscounts.Mean("wrong")
	return claim.Quantities{
		"counts of a spectral filter that are wrong": measured(wrong, meanField,
			ofSelection(func(n int, _ bitwise.Tail, m float64) float64 {
				return expected.RateOfBits(float64(n-1), m, spectralHashes)
			})),
		"mean error of a spectral filter's count": {Trials: miscounts.Mean("size"),
			Formulas: claim.Formulas{meanField: ofSelection(
				func(n int, came bitwise.Tail, m float64) float64 {
					return meanNoise(n, came, m, spectralHashes)
				})}},
		"counts of a spectral filter that are under": miscounts.Mean("under").Of(
			members(spectralKeys, spectralKeys*spectralDraws)).Share(),
		"counts of a spectral filter that are wrong, as a multiple of the formula": {
			Trials: wrong.By(miscounts.Mean("formula"))},
		"keys with a single minimum": measured(singles.Mean("part"), meanField,
			func(at claim.Parameters) float64 {
				k := at.Int("k")
				return singlePart((at.Float("n")-1)*float64(k)/float64(singleCells(at)), k)
			}),
		"bits per counter, of the codes": {Trials: coded.Mean("codes"), Formulas: onceEach(
			func(value uint64, _ float64) float64 { return float64(variable.Length(value)) })},
		"bits per counter, with their index": {Trials: coded.Mean("indexed")},
		"bits per counter, entropy": {Trials: coded.Mean("entropy"), Formulas: onceEach(
			func(_ uint64, chance float64) float64 { return -math.Log2(chance) })},
		"bits per counter, in binary, without ends": {Trials: coded.Mean("binary")},
	}
}
