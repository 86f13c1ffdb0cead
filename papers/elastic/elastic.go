// Package elastic is no API: it reproduces "Elastic Bloom Filter: Deletable and Expandable Filter
// Using Elastic Fingerprints" by Wu, He, Yan, Wu, Yang, Ruas, Zhang and Cui, IEEE Transactions on
// Computers, 2021.
//
// README.md has what is found. Package original is the filter, and the peers of its
// figures are models, in peers.go. The paper is at hand as a text without its pictures, so its
// published values are those of its sentences. Speed is counted in operations: bits, counters and
// buckets that are read or written. Random hashes stand for the flows of its traces.
package elastic

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// The parameters of Table 1.
const (
	hashes    = 5
	bucket    = 8
	logBits   = 15
	threshold = 0.2
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "elastic",
		Title: "Wu, He, Yan, Wu, Yang, Ruas, Zhang, Cui: Elastic Bloom Filter: Deletable and " +
			"Expandable Filter Using Elastic Fingerprints. IEEE Transactions on Computers, 2021",
		Values: []func(*trials.Run) claim.Value{
			whiteList, figure1, figure2, duplicates, rateOfHalf, merge, groups, whileItGrows,
			lemma41, theorem41, equation3, hashesForRate, bitsForRate, mostBits, intervals, bound,
			linear, beginning, figure3, figure4, figure5, speeds, figure8a, figure8b, figure9a,
			figure9b,
		},
	}
}

// number is how many trials there are, of which a short run takes a part.
func number(run *trials.Run, full, short int) int {
	if run.Short {
		return short
	}
	return full
}

// must panics where what always holds in this package does not.
func must(holds bool) {
	if !holds {
		panic("elastic: a filter does not do what it has to")
	}
}

// part returns the part of the bits that is set with some fingerprints per bit, kn/m, and perBit
// the fingerprints with which it is.
func part(perBit float64) float64 { return -math.Expm1(-perBit) }

func perBit(set float64) float64 { return -math.Log1p(-set) }

// bitsRead returns the bits that a query of a non-member reads, up to the first that is not set.
func bitsRead(set, k float64) float64 { return (1 - math.Pow(set, k)) / (1 - set) }

// large returns the paper's filter of 2^log bits, with a threshold.
func large(log int, threshold float64) *original.Filter {
	c := original.Default()
	c.Log, c.Threshold = log, threshold
	return original.New(c)
}

// logFor returns the logarithm of the bits of which members set the threshold at most, from a first
// size on.
func logFor(log, members int) int {
	for float64(members)*hashes/math.Exp2(float64(log)) > perBit(threshold) {
		log++
	}
	return log
}

// insert inserts some keys, and returns their hashes.
func insert(rng *rand.Rand, f *original.Filter, keys int) []uint64 {
	all := make([]uint64, keys)
	for i := range all {
		all[i] = rng.Uint64()
		must(f.Insert(all[i]))
	}
	return all
}

// slowBits returns the bits of the buckets of a filter of 2^log bits by Table 1.
func slowBits(log int, tree bool) float64 {
	c := original.Default()
	if !tree {
		c.Branches = 0
	}
	return c.SlowBits(log)
}
