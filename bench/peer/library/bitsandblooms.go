package library

import (
	"encoding/binary"
	"math"

	"github.com/bits-and-blooms/bloom/v3"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func bitsAndBlooms() peer.Peer {
	size := func(members int, bits float64) uint { return uint(math.Ceil(float64(members) * bits)) }
	return peer.Peer{
		Name: "bits-and-blooms", Module: "github.com/bits-and-blooms/bloom/v3",
		Note: "bloom.BloomFilter: one array of bits, k = ceil(b ln 2), murmur hash; Test and Add a key " +
			"(hashes can be asked for, but not added)",
		Hash: murmur,
		Size: func(members int, bits float64) int64 { return int64(size(members, bits)+63) / 64 * 8 },
		Begin: func(members int, bits float64) peer.Builder {
			filter := bloom.New(size(members, bits), uint(optimalHashes(bits)))
			query := func(keys []uint64) (present uint64) {
				var bytes [8]byte
				for i, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					present |= one(filter.Test(bytes[:])) << (i & 63)
				}
				return present
			}
			insert := func(keys []uint64) {
				var bytes [8]byte
				for _, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					filter.Add(bytes[:])
				}
			}
			of := keyed{
				query: func(keys [][]byte) (present uint64) {
					for i, key := range keys {
						present |= one(filter.Test(key)) << (i & 63)
					}
					return present
				},
				insert: takingAll(func(keys [][]byte) {
					for _, key := range keys {
						filter.Add(key)
					}
				}),
			}
			return peer.Growing(textbook(query, insert, 8*len(filter.BitSet().Words()), filter.Cap(), filter.K(), of))
		},
	}
}
