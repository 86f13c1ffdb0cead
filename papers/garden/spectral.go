package garden

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// load is kn/m of all spectral filters.
const load = 0.7

// estimates are the counts of all members of a stream by minimum selection, minimal increase and
// recurring minimum: how many are wrong, and too low; and the part that is wrong by the formula of
// a Bloom error.
type estimates struct {
	keys, formula float64
	wrong, under  [3]float64
}

const spectralFilters = "20,000 draws of 2,000 keys by Zipf's law, k = 5, kn/m = 0.7"

func estimated(run *trials.Run, skew float64) []estimates {
	const keys, draws, k = 2000, 20_000, 5
	return trials.Recall(run, fmt.Sprint("spectral ", skew), run.Times(200, 40),
		func(rng *rand.Rand) (o estimates) {
			stream := must(workload.Zipf(keys, skew, rng.Uint64()))
			hashes, times := make([]uint64, draws), map[uint64]uint64{}
			stream.Fill(hashes)
			for _, hash := range hashes {
				times[hash]++
			}
			c := spectral.Config{Members: len(times), Hashes: k, Width: 16, Key: secret,
				Rate: math.Pow(-math.Expm1(-load), k)}
			ms := must(spectral.NewSelection(c))
			for i, f := range []filter.Counter{ms, must(spectral.NewIncrease(c)),
				must(spectral.NewRecurring(c))} {
				must(f.InsertHashBatch(hashes, nil))
				for hash, want := range times {
					switch count := f.CountHash(hash); {
					case count < want:
						o.under[i]++
						fallthrough
					case count > want:
						o.wrong[i]++
					}
				}
			}
			o.keys = float64(len(times))
			o.formula = o.keys * size{ms.Shape().Counters, k, len(times)}.classical()
			return o
		})
}

var skews = []float64{0, 0.4, 0.8, 1.2}

func keysOf(o *estimates) float64 { return o.keys }

func selection(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Counts of minimum selection that are wrong, by a Bloom error's formula",
		Where: `section Spectral: "Cohen and Matias claim that", where the formula is lost`,
		Unit:  claim.Number, Trial: spectralFilters}
	for _, skew := range skews {
		all := estimated(run, skew)
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("skew ", skew),
			Published: "implied 1 ± 0.05", Interval: claim.Ratio(
				trials.Column(all, func(o *estimates) float64 { return o.wrong[0] }),
				trials.Column(all, func(o *estimates) float64 { return o.formula }))})
	}
	return v
}

func otherAlgorithms(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Counts of minimal increase and recurring minimum that are wrong",
		Where: `section Spectral: "Cohen and Matias claim that", of minimal increase, where the ` +
			`formula is lost; recurring minimum "has usually better error rates"`,
		Trial: spectralFilters}
	for i, name := range []string{"minimal increase", "recurring minimum"} {
		for _, skew := range skews {
			all := estimated(run, skew)
			fewer := trials.Column(all,
				func(o *estimates) float64 { return o.wrong[i+1] - o.wrong[0] })
			v.Cells = append(v.Cells, claim.Cell{Row: name + ", less minimum selection",
				Column: fmt.Sprint("skew ", skew), Published: string(claim.Lower),
				Interval: claim.Ratio(fewer, trials.Column(all, keysOf))})
		}
	}
	return v
}

func lowCounts(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Counts that are too low", Trial: spectralFilters, Formula: exact,
		Rule:  claim.Never,
		Where: `section Spectral: "Cohen and Matias claim that", where the formula is lost`}
	for i, name := range []string{"minimum selection", "minimal increase"} {
		for _, skew := range skews {
			all := estimated(run, skew)
			v.Cells = append(v.Cells, claim.Cell{Row: name, Column: fmt.Sprint("skew ", skew),
				Published: none, Formula: new(0.), Interval: claim.Among(
					trials.Column(all, func(o *estimates) float64 { return o.under[i] }),
					trials.Column(all, keysOf))})
		}
	}
	return v
}

// singlePart is the part of the keys with a single minimum where each has come as often: one of its
// counters has some number of other keys, and all others have more.
func singlePart(load float64, k int) (part float64) {
	more, chance := 1.0, math.Exp(-load)
	for n := range 100 {
		more = max(0, more-chance)
		part += float64(float64(k) * chance * math.Pow(more, float64(k-1)))
		chance *= load / float64(n+1)
	}
	return part
}

func singleMinima(run *trials.Run) claim.Value {
	const n = 5000
	v := claim.Value{Name: "Keys with a single minimum", Rule: claim.Around, Readings: true,
		Where:   `section Spectral: "this applies to approximately 20% of the items"`,
		Formula: meanField, Trial: "5,000 keys that came as often as each other, kn/m = 0.7",
		Why: "it depends on k and on the load: the article tells neither"}
	for _, k := range []int{4, 5} {
		m := int(math.Round(float64(n*k) / load))
		parts := trials.Recall(run, fmt.Sprint("single minima ", k), run.Times(400, 40),
			func(rng *rand.Rand) (part float64) {
				f, keys := newCounters(m, k, false), make([]uint64, n)
				workload.Fill(rng, keys)
				for _, key := range keys {
					f.add(key, 1)
				}
				for _, key := range keys {
					least, times := f.least(key, endless), 0
					for _, cell := range f.positions(key) {
						if f.cells[cell] == least {
							times++
						}
					}
					if times == 1 {
						part += 1. / n
					}
				}
				return part
			})
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("k = ", k), Published: "20 %",
			Formula:  new(singlePart(float64(k*(n-1))/float64(m), k)),
			Interval: claim.Mean(parts)})
	}
	return v
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

func sections(run *trials.Run) claim.Value {
	v := claim.Value{Name: "The rate with a section for each hash, by that without",
		Where: `section Spectral: minimum selection is "conceptually isomorphic to the Count-Min ` +
			`Sketch" with sections`,
		Unit: claim.Number, Formula: exact, Trial: "cells of n members, m/n = 10"}
	type pair struct{ with, without float64 }
	for _, k := range []int{2, 5, 7} {
		for _, n := range []int{14, 560} {
			s := size{10 * n, k, n}
			all := trials.Recall(run, fmt.Sprint("sections ", s), run.Times(2_000_000/n, 100_000/n),
				func(rng *rand.Rand) pair {
					with, without := newCounters(s.m, k, true), newCounters(s.m, k, false)
					for range n {
						with.add(rng.Uint64(), 1)
						without.add(rng.Uint64(), 1)
					}
					return pair{with.rate(), without.rate()}
				})
			v.Cells = append(v.Cells, claim.Cell{Row: s.String(), Published: "implied 1 ± 0.01",
				Formula: new(s.sectioned() / s.rate()), Interval: claim.Ratio(
					trials.Column(all, func(o *pair) float64 { return o.with }),
					trials.Column(all, func(o *pair) float64 { return o.without }))})
		}
	}
	small := size{140, 7, 14}
	v.Why = fmt.Sprintf("with sections the cells of a key differ, so more cells are used, and the "+
		"rate is (1-(1-k/m)^n)^k: with 140 cells and 7 hashes %s, and not %s",
		quantity.Percent(small.sectioned()), quantity.Percent(small.rate()))
	return v
}

// sectioned is the rate with sections.
func (s size) sectioned() float64 {
	k := float64(s.k)
	return math.Pow(-math.Expm1(float64(s.n)*math.Log1p(-k/float64(s.m))), k)
}

// What the sketch has: depth sections of width cells.
const (
	width = 272 // e/0.01
	depth = 5   // ln 1/0.0067
)

// middle is the median of a key's cells of a sketch, each times a factor.
func (c *counters) middle(hash uint64, factor func(hash uint64, section int) int64) float64 {
	var estimates [depth]int64
	for section, cell := range c.positions(hash) {
		estimates[section] = c.cells[cell] * factor(hash, section)
	}
	slices.Sort(estimates[:])
	return float64(estimates[depth/2])
}

// sign returns 1 or -1.
func sign(hash uint64, section int) int64 {
	return 1 - 2*int64(bits.OnesCount64(workload.Mix(hash+uint64(section)))&1)
}

func unsigned(uint64, int) int64 { return 1 }

func median(run *trials.Run) claim.Value {
	const keys, draws = 10_000, 50_000
	v := claim.Value{Name: "Mean error of the median, by N/width", Unit: claim.Number,
		Where: `section Spectral: the Fast-AMS sketch "by taking the median of the counters ` +
			`instead of their minimum"`,
		Trial: "50,000 draws of 10,000 keys by Zipf's law, in 5 sections of 272 cells",
		Why: "without signs all other keys of a cell add to it, and the median adds more than " +
			"the minimum; the Fast-AMS sketch sums with signs, which the sentence leaves out: it " +
			"has as many above as below", Readings: true}
	type errors struct{ plain, signed float64 }
	for _, skew := range []float64{0.5, 1, 1.3} {
		all := trials.Recall(run, fmt.Sprint("median ", skew), run.Times(200, 8),
			func(rng *rand.Rand) (o errors) {
				hashes, times := multiset(rng, keys, draws, skew)
				plain, signed := newCounters(width*depth, depth, true),
					newCounters(width*depth, depth, true)
				for i, hash := range hashes {
					plain.add(hash, times[i])
					for section, cell := range signed.positions(hash) {
						signed.cells[cell] += times[i] * sign(hash, section)
					}
				}
				unit := float64(draws) / width * float64(len(hashes))
				for i, hash := range hashes {
					o.plain += (plain.middle(hash, unsigned) - float64(times[i])) / unit
					o.signed += (signed.middle(hash, sign) - float64(times[i])) / unit
				}
				return o
			})
		for _, c := range []claim.Cell{
			{Row: "counters as they are", Interval: claim.Mean(
				trials.Column(all, func(o *errors) float64 { return o.plain }))},
			{Row: "sums with signs", Interval: claim.Mean(
				trials.Column(all, func(o *errors) float64 { return o.signed }))},
		} {
			c.Column, c.Published = fmt.Sprint("skew ", skew), "implied 0 ± 0.01"
			v.Cells = append(v.Cells, c)
		}
	}
	return v
}
