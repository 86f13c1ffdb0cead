package challenge

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The pseudo code's filter: three hashes with seeds, modulo 512.
var placeSeeds = []byte{17, 29, 71}

func place(element, seed byte) int {
	h := fnv.New32a()
	h.Write([]byte{seed, element, element ^ seed})
	return int(h.Sum32() % 512)
}

// foundAfterInserts returns how many of ten elements the pseudo code's contains finds, after each
// was inserted with a hash.
func foundAfterInserts(hash func(element, seed byte) int) claim.Value {
	const elements = 10
	set, found := map[int]bool{}, 0.0
	for n := range byte(elements) {
		for _, seed := range placeSeeds {
			set[hash(n, seed)] = true
		}
	}
	for n := range byte(elements) {
		if !slices.ContainsFunc(placeSeeds, func(seed byte) bool { return !set[place(n, seed)] }) {
			found++
		}
	}
	return claim.Value{Unit: claim.Number, Rule: claim.Exactly, Formula: "run once",
		Cells: []claim.Cell{{Published: "implied 10", Formula: &found}}}
}

func insertAsPrinted(*trials.Run) claim.Value {
	v := foundAfterInserts(func(_, seed byte) int { return place(seed, seed) })
	v.Name = "Elements of ten that are found after they are inserted, as printed"
	v.Where = `lines 41-49: in insert "s = some hash of s given the seed"`
	v.Why = "a misprint: all elements set the same bits"
	return v
}

func insertCorrected(*trials.Run) claim.Value {
	v := foundAfterInserts(place)
	v.Name = "Elements of ten that are found after they are inserted, corrected"
	v.Where = `lines 41-49: "some hash of" n, as contains has it in line 57`
	return v
}

// murmur3 is MurmurHash3_x86_32 of a word, its least significant byte first, from what it makes of
// the word before it meets a seed: another word for each.
func murmur3(seed, mixed uint32) uint32 {
	h := bits.RotateLeft32(seed^mixed, 13)*5 + 0xe6546b64
	h ^= 4 // bytes
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func mix(word uint32) uint32 { return bits.RotateLeft32(word*0xcc9e2d51, 15) * 0x1b873593 }

// indexOf is the document's index of a word that is mixed, in a filter of m bits.
func indexOf(seed, mixed uint32, m uint64) uint64 { return uint64(murmur3(seed, mixed)) % m }

func guaranteed(run *trials.Run) claim.Value {
	const n = 10_000
	v := claim.Value{Name: "Non-members that are found with the document's m and k",
		Where: `line 25: "guaranteeing a probability P of a false positive"`, Rule: claim.Around,
		Formula: formula, Trial: "filters of 10,000 sources"}
	for _, p := range []float64{1e-2, 1e-3, 1e-4} {
		queries := 200 / p
		founds := trials.Recall(run, fmt.Sprint("guaranteed ", p), run.Times(64, 16),
			func(rng *rand.Rand) (found float64) {
				f := grown(rng, n, p)
				for range n {
					must(f.InsertHash(rng.Uint64()))
				}
				for range int(queries) {
					if f.QueryHash(rng.Uint64()) {
						found += 1 / queries
					}
				}
				return found
			})
		m := math.Ceil(n * perElement(p))
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("P = ", p),
			Published: "implied " + quantity.Percent(p), Interval: claim.MeanShare(founds),
			Formula: new(rateOf(m, float64(hashesFor(m/n)), n))})
	}
	return v
}

func wholeHashes(*trials.Run) claim.Value {
	v := claim.Value{Name: "The rate by the formula, by P", Unit: claim.Number, Formula: formula,
		Where:    "line 25: k = (m/n) ln 2, which is 9.97 for P = 0.001",
		Readings: true, Why: "k is too low where it is cut, as most languages convert it"}
	for _, k := range []float64{10, 9} {
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("k = ", k),
			Published: "implied 1 ± 0.005",
			Formula:   new(rateOf(math.Ceil(10_000*perElement(standard)), k, 10_000) / standard)})
	}
	return v
}

// reduced is the rate of a filter with hashes of some bits modulo m, with n elements: some places
// have one hash more than the others.
func reduced(bits int, m, k, n float64) float64 {
	all := math.Exp2(float64(bits))
	each := math.Floor(all / m)
	more := all - float64(each*m)
	set := 0.0 // of the hashes, those that lead to a place that is set
	for _, places := range []struct{ number, hashes float64 }{{more, each + 1}, {m - more, each}} {
		part := places.hashes / all
		set += float64(places.number * part * -math.Expm1(k*n*math.Log1p(-part)))
	}
	return math.Pow(set, k)
}

func moduloHashes(*trials.Run) claim.Value {
	v := claim.Value{Name: "The rate with hashes modulo m, by the document's formula",
		Where: `line 41: "a 32-bit hash that is then reduced by modulo m"`, Unit: claim.Number,
		Rule: claim.Around, Formula: "some places have one hash more than others"}
	for _, share := range []float64{1. / 64, 0.75, 1, 1.5, 2, 4} {
		m := share * math.Exp2(32)
		n, k := math.Floor(m/perElement(standard)), float64(hashesFor(perElement(standard)))
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("m/2^32 = ", share),
			Published: "implied 1", Formula: new(reduced(32, m, k, n) / rateOf(m, k, n))})
	}
	v.Why = fmt.Sprintf("some places have more hashes than others, at three quarters of 2^32 %.3f "+
		"times the rate; beyond 2^32, with %s elements or more, some bits have none: %.2f times "+
		"the rate at twice as many bits as hashes", *v.Cells[1].Formula,
		quantity.Count(int(math.Exp2(32)/perElement(standard))+1), *v.Cells[4].Formula)
	return v
}

func seeds(run *trials.Run) claim.Value {
	const pairs = 1000
	m := uint64(math.Ceil(10_000 * perElement(standard)))
	shared := trials.Recall(run, "seeds", run.Times(100, 20), func(rng *rand.Rand) (part float64) {
		for range pairs { // the document's seeds are 0 to 2147483647
			x, a, b := mix(rng.Uint32()), uint32(rng.Int32()), uint32(rng.Int32())
			y := x ^ a ^ b
			if indexOf(a, x, m) == indexOf(b, y, m) && indexOf(b, x, m) == indexOf(a, y, m) {
				part += 1. / pairs
			}
		}
		return part
	})
	return claim.Value{Name: "Sources, a difference of two seeds apart, that share two indexes",
		Where: `line 27: seeds make "each one to produce a unique and independent index"`,
		Rule:  claim.Never, Trial: "the document's hashes of a word, for 10,000 elements",
		Cells: []claim.Cell{{Published: none, Interval: claim.MeanShare(shared)}},
		Why: "MurmurHash3 takes the exclusive or of the seed and what it made of the first word, " +
			"and all else follows from that; of 10,000 sources few are so far apart"}
}
