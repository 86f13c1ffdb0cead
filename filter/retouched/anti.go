package retouched

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
)

// Anti is the other way to be rid of false positives: the anti-Bloom filter that the paper's
// section VII-A compares with. What the filter of exceptions finds is not present, whatever the
// main filter says. Both are of one key. It can take exceptions later, and takes memory for them:
// with a rate f of its own the filter of
// |B| exceptions has |B| log2(1/f)/ln 2 bits, and a part f of the members is lost.
type Anti struct{ Main, Exceptions filter.Querier }

// QueryHash reports whether the main filter finds the key of a hash, and the filter of exceptions
// does not.
func (a Anti) QueryHash(hash uint64) bool {
	return a.Main.QueryHash(hash) && !a.Exceptions.QueryHash(hash)
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (a Anti) QueryHashBatch(hashes, present []uint64) (count int) {
	filter.RequirePresent("QueryHashBatch", len(hashes), present)
	if present == nil {
		present = make([]uint64, filter.Words(len(hashes)))
	}
	count = a.Main.QueryHashBatch(hashes, present)
	for i, word := range present[:filter.Words(len(hashes))] {
		for ; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			if a.Exceptions.QueryHash(hashes[64*i+bit]) {
				present[i] &^= 1 << bit
				count--
			}
		}
	}
	return count
}

// State returns the memory of both filters, the members that are expected to be found, the main
// filter's fill and the rate of both: see [filter.State].
func (a Anti) State() filter.State {
	s, exceptions := a.Main.State(), a.Exceptions.State()
	s.Bytes += exceptions.Bytes
	s.Members *= 1 - exceptions.Rate
	s.Rate *= 1 - exceptions.Rate
	return s
}
