package library

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"
	bloomfilter "github.com/holiman/bloomfilter/v2"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func holimanBloom() peer.Peer {
	size := func(members int, bits float64) uint64 {
		return max(bloomfilter.MMin, uint64(math.Ceil(float64(members)*bits)))
	}
	bytes := func(bits uint64) int64 { return int64(bits+63) / 64 * 8 }
	return peer.Peer{
		Name: "holiman", Module: "github.com/holiman/bloomfilter/v2",
		Note: "bloomfilter.Filter: one array of bits, k = ceil(b ln 2), behind a lock; " +
			"ContainsHash and AddHash a key",
		Prehashed: true, Hash: xxHash64, Merges: true,
		Size: func(members int, bits float64) int64 { return bytes(size(members, bits)) },
		Begin: func(members int, bits float64) peer.Builder {
			// Its own constructor has the seeds from the system: runs would differ.
			rng := rand.New(rand.NewPCG(1, 2))
			seeds := make([]uint64, optimalHashes(bits))
			for i := range seeds {
				seeds[i] = rng.Uint64()
			}
			filter, err := bloomfilter.NewWithKeys(size(members, bits), seeds)
			if err != nil { // of too few bits or seeds, or equal seeds
				panic(fmt.Sprintf("peer: holiman: %v", err))
			}
			query := func(keys []uint64) (count int) {
				for _, key := range keys {
					count += peer.One(filter.ContainsHash(key))
				}
				return count
			}
			insert := func(keys []uint64) {
				for _, key := range keys {
					filter.AddHash(key)
				}
			}
			queryKeys := func(keys [][]byte) (count int) {
				for _, key := range keys {
					count += peer.One(filter.ContainsHash(xxhash.Sum64(key)))
				}
				return count
			}
			insertKeys := func(keys [][]byte) int {
				for _, key := range keys {
					filter.AddHash(xxhash.Sum64(key))
				}
				return len(keys)
			}
			return peer.Growing(textbook(query, insert, int(bytes(filter.M())), filter.M(),
				filter.K(), keyed{query: queryKeys, insert: insertKeys}))
		},
	}
}
