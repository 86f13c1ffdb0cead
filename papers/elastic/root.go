// Package elastic is no API: it reproduces "Elastic Bloom Filter: Deletable and Expandable Filter
// Using Elastic Fingerprints" by Wu, He, Yan, Wu, Yang, Ruas, Zhang and Cui, IEEE Transactions on
// Computers, 2021.
//
// Package original is its filter. The peers of its figures are models, in peers.go, and formulas,
// in aleph.go. docs/papers/elastic.md has what is found.
package elastic

import (
	"embed"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
)

//go:embed claims.tsv figures.tsv findings.md
var files embed.FS

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "elastic",
		Title: "Wu, He, Yan, Wu, Yang, Ruas, Zhang, Cui: Elastic Bloom Filter: Deletable and " +
			"Expandable Filter Using Elastic Fingerprints. IEEE Transactions on Computers, 2021",
		Files: files,
		Quantities: func(run *trials.Run) (claim.Quantities, error) {
			s := study{run}
			return claim.Join(worked(), described(), theorems(), s.overflows(), s.growths(),
				s.moves(), s.slow(), s.loads(), s.sentences(), s.forms()), nil
		},
		Lists: map[string][]float64{"members": membersTo(mostMembers)},
	}
}

// The names of formulas.
const (
	exact     = "exact"
	meanField = "mean field" // takes buckets and bits as independent
)

// The readings of a formula that is misprinted.
const (
	asPrinted = "as printed"
	corrected = "corrected"
)

// study is what the quantities of a run share.
type study struct{ run *trials.Run }

// number returns a number of trials, of which a short run takes a part.
func (s study) number(full, short int) int {
	if s.run.Short {
		return short
	}
	return full
}

// fixed are the parameters that trials of a name have, and do not read.
var fixed = map[string]claim.Parameters{
	"rates":        {"k": hashes, "set": 0.5},
	"expansions":   {"k": hashes, "set": threshold},
	"lazy":         {"m": 1 << 10},
	"sets":         {"m": 1 << 13, "n": 1000, "w": 16},
	"compressions": {"m": 1 << 12},
	"counting":     {"k": hashes, "m": 1 << 12, "n": 100},
	"lists":        {"m": 1 << 9, "listed": 2000, "friendly": 200_000},
}

// repeated returns trials without parameters but those that are fixed.
func repeated(
	name string,
	full, short int,
	trial func(rng *rand.Rand) claim.Outcome,
) *claim.Simulation {
	return &claim.Simulation{Name: claim.Named(name), Times: claim.Times(full, short),
		Fixed: fixed[name],
		Trial: func(rng *rand.Rand, _ claim.Parameters) claim.Outcome { return trial(rng) }}
}

// computed is a quantity that has a formula only.
func computed(f claim.Formula) claim.Quantity {
	return claim.Computed(claim.Number, exact, f)
}

// must panics where what always holds in this package does not.
func must(holds bool) {
	if !holds {
		panic("elastic: a filter does not do what it has to")
	}
}

// The parameters of Table 1.
const (
	hashes    = 5
	bucket    = 8
	logBits   = 15
	threshold = 0.2
)

// part returns the part of the bits that is set with some fingerprints per bit, kn/m, and perBit
// the fingerprints with which it is.
func part(perBit float64) float64 { return -math.Expm1(-perBit) }

func perBit(set float64) float64 { return -math.Log1p(-set) }

// bitsRead returns the bits that a query of a non-member reads, up to the first that is not set.
func bitsRead(set, k float64) float64 { return (1 - math.Pow(set, k)) / (1 - set) }

// loadOf returns the fingerprints per bit of a claim: kn/m, or those with which a part is set.
func loadOf(point claim.Parameters) float64 {
	load, set := point.Float("kn/m"), point.Float("set")
	if !math.IsNaN(load) {
		return load
	}
	return perBit(set)
}

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
