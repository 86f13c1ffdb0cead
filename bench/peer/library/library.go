package library

import (
	"math"
	"math/bits"

	"github.com/bloomlane/bloomlane/bench/peer"
)

// All returns the filters of other libraries that find all their members.
func All() []peer.Peer {
	return versioned(constructors...)
}

// constructors are called through this list. Of a call by name the compiler makes a part of the
// caller, and with it of the loops over a library's calls: there it would not inline those, which
// takes two to four times as long as in a program.
var constructors = []func() peer.Peer{
	parquet, arrow, blobloomFilter, bitsAndBlooms, holimanBloom, ristretto,
	pebbleTable, binaryFuse8,
	seiflotfy, panmari, linvon, boomDeletable, boomCounting,
}

// OfStreams returns those for streams of keys that come again: one forgets, the others are a
// [peer.Counter].
func OfStreams() []peer.Peer { return versioned(boomStable, boomCountMin) }

func versioned(constructors ...func() peer.Peer) (all []peer.Peer) {
	of := versions()
	for _, construct := range constructors {
		p := construct()
		p.Version = of[p.Module]
		all = append(all, p)
	}
	return all
}

// powerOfTwo returns the least power of two that is no less than n.
func powerOfTwo(n float64) int64 {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len64(uint64(math.Ceil(n))-1)
}

// optimalHashes is the number of hash functions that most libraries choose for a number of bits per
// key.
func optimalHashes(bitsPerKey float64) int { return int(math.Ceil(bitsPerKey * math.Ln2)) }

// optimalRate is the false-positive rate for which most libraries choose this number of bits per
// key.
func optimalRate(bitsPerKey float64) float64 { return math.Exp(-bitsPerKey * math.Ln2 * math.Ln2) }

// textbookRate returns the false-positive rate to expect of a Bloom filter of size bits and k hash
// functions.
func textbookRate(size, k float64) func(members int) float64 {
	return func(members int) float64 { return math.Pow(-math.Expm1(-k*float64(members)/size), k) }
}
