package retouched

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// Anti is the alternative to a retouched filter: the anti-Bloom filter of the paper's section
// VII-A. A key that the filter of Exceptions finds is not present, whatever the Main filter says.
// Both filters must have the same hash key. Exceptions can be added later, and need memory: with a
// rate f of its own, a filter of n exceptions has n log2(1/f)/ln 2 bits, and a part f of the
// members is lost.
type Anti struct{ Main, Exceptions filter.Querier }

// QueryHash reports whether the main filter finds the key of a hash and the filter of exceptions
// does not.
func (a Anti) QueryHash(hash uint64) bool {
	return a.Main.QueryHash(hash) && !a.Exceptions.QueryHash(hash)
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (a Anti) QueryHashBatch(hashes, present []uint64) (count int) {
	base.RequirePresent("QueryHashBatch", len(hashes), present)
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

// State returns the memory of both filters, the members that are expected to be found, the fill of
// the main filter and the rate of both together: see [filter.State].
func (a Anti) State() filter.State {
	s, exceptions := a.Main.State(), a.Exceptions.State()
	s.Bytes += exceptions.Bytes
	s.Members *= 1 - exceptions.Rate
	s.Rate *= 1 - exceptions.Rate
	return s
}
