package measure

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// bitsPerKey is what the tables of arenas are filled to, at which a table of Block512 answers 0.21
// % of non-members wrongly.
const bitsPerKey = 16

// members are a set of hashes that is not stored: member i is a random place in the i-th of count
// equal parts of the hash space, so that each block has the same number of them.
type members struct{ log2 int } // of their count

// membersOf returns the members of a table whose bytes are a power of two.
func membersOf(bytes int64) members {
	return members{bits.Len64(uint64(bytes)*8/bitsPerKey) - 1}
}

func (m members) count() int { return 1 << m.log2 }

func (m members) hash(i uint64) uint64 { return i<<(64-m.log2) | workload.Mix(i)>>m.log2 }

// shuffled returns the i-th number below 1<<log2 in an order without a pattern; i counts modulo
// that.
func shuffled(i uint64, log2 int) uint64 {
	// Each step is a bijection of numbers with this many bits.
	mask := uint64(1)<<log2 - 1
	for _, odd := range []uint64{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9} {
		i = i * odd & mask
		i ^= i >> (log2/2 + 1)
	}
	return i
}
