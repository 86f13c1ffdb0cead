package challenge

import (
	_ "embed"
	"hash/fnv"
	"slices"

	"github.com/bloomlane/bloomlane/papers/claim"
)

//go:embed claims.tsv
var claimTable string

var quantities = claim.Quantities{
	"elements that are found after they are inserted": {Formulas: claim.Formulas{
		"the hash of the seed": foundAfterInserts(
			func(_, seed byte) int { return place(seed, seed) }),
		"the hash of the element": foundAfterInserts(place),
	}},
}

// The pseudo code's filter: k = 3 hashes with seeds, modulo m = 512.
var placeSeeds = []byte{17, 29, 71}

func place(element, seed byte) int {
	h := fnv.New32a()
	h.Write([]byte{seed, element, element ^ seed})
	return int(h.Sum32() % 512)
}

// foundAfterInserts returns how many of n elements the pseudo code's contains finds, after each was
// inserted with a hash.
func foundAfterInserts(hash func(element, seed byte) int) func(claim.Parameters) float64 {
	return func(at claim.Parameters) (found float64) {
		set := map[int]bool{}
		for n := range byte(at.Int("n")) {
			for _, seed := range placeSeeds {
				set[hash(n, seed)] = true
			}
		}
		for n := range byte(at.Int("n")) {
			if !slices.ContainsFunc(placeSeeds,
				func(seed byte) bool { return !set[place(n, seed)] }) {
				found++
			}
		}
		return found
	}
}
