package encodings

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
)

// State is what a table of blocks is worth.
type State struct {
	Rate         float64 // of false positives
	Deletability float64 // share of the members whose delete would clear a bit
}

// Churn fills a table with members at a number of bits per key, replaces all of them, the oldest
// first, a number of times, and returns what the table is worth after each of the turnovers, which
// ascend.
func Churn(
	rng *rand.Rand,
	e *Encoding,
	members int,
	bitsPerKey float64,
	turnovers []int,
) (states []State) {
	blocks := make([]Block, int(float64(members)*bitsPerKey/(fallback.Lanes*laneBits)))
	keys := make([]uint64, members)
	find := func(key uint64) *Block { return &blocks[fallback.Index(key, uint64(len(blocks)))] }
	come := func(i int) {
		keys[i] = rng.Uint64()
		e.Insert(find(keys[i]), fallback.Spread(keys[i]))
	}
	for i := range keys {
		come(i)
	}
	made := 0
	for _, until := range turnovers {
		for ; made < until; made++ {
			for i, key := range keys {
				e.Delete(find(key), fallback.Spread(key))
				come(i)
			}
		}
		var s State
		for i := range blocks {
			s.Rate += e.Rate(&blocks[i]) / float64(len(blocks))
		}
		for _, key := range keys {
			b := *find(key) // a copy
			if e.Delete(&b, fallback.Spread(key)) == fallback.Deleted {
				s.Deletability += 1 / float64(members)
			}
		}
		states = append(states, s)
	}
	return states
}
