package library

import (
	"github.com/dgraph-io/ristretto/v2/z"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func ristretto() peer.Peer {
	const header = 5 * 8 // what TotalSize adds to the bits
	// Its constructor doubles what is above a power of two by the least bit: so it gets whole bits.
	size := func(members int, bits float64) int64 {
		return max(512, powerOfTwo(float64(members)*bits))
	}
	return peer.Peer{
		Name: "ristretto", Module: "github.com/dgraph-io/ristretto/v2",
		Note: "z.Bloom: one array of bits, a power of two, k = ceil(b ln 2) of the bits " +
			"asked for; Has and Add a key",
		Prehashed: true, Doubles: true, Hash: "the runtime's", Keyed: true,
		Size: func(members int, bits float64) int64 { return size(members, bits) / 8 },
		Begin: func(members int, bits float64) peer.Builder {
			k := optimalHashes(bits)
			filter := z.NewBloomFilter(float64(size(members, bits)), float64(k))
			query := func(keys []uint64) (count int) {
				for _, key := range keys {
					count += peer.One(filter.Has(key))
				}
				return count
			}
			insert := func(keys []uint64) {
				for _, key := range keys {
					filter.Add(key)
				}
			}
			bytes := int(filter.TotalSize()) - header
			queryKeys := func(keys [][]byte) (count int) {
				for _, key := range keys {
					count += peer.One(filter.Has(z.MemHash(key)))
				}
				return count
			}
			insertKeys := func(keys [][]byte) int {
				for _, key := range keys {
					filter.Add(z.MemHash(key))
				}
				return len(keys)
			}
			return peer.Growing(textbook(query, insert, bytes, 8*bytes, k,
				keyed{query: queryKeys, insert: insertKeys}))
		},
	}
}
