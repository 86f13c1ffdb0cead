package library

import (
	"fmt"
	"math"

	"github.com/FastFilter/xorfilter"
	"github.com/cespare/xxhash/v2"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func binaryFuse8() peer.Peer {
	return peer.Peer{
		Name: "BinaryFuse8", Module: "github.com/FastFilter/xorfilter",
		Note: "xorfilter.BinaryFuse8: fingerprints of 8 bits, about 9 bits per key; Contains " +
			"a key; built once, of all members, with about 33 bytes of memory per key",
		Prehashed: true, Static: true, Fixed: true, Hash: xxHash64,
		MaxBytes: 1 << 32, // its indices have 32 bits
		Size: func(members int, _ float64) int64 {
			n := float64(max(2, members))
			factor := max(1.125, 0.875+0.25*math.Log(1e6)/math.Log(n))
			return int64(math.Ceil(n * factor)) // it rounds up to a segment
		},
		Extra: 8 + 9 + 15, // the keys, an order of them, and counts and sums a fingerprint
		Begin: func(members int, _ float64) peer.Builder {
			all := make([]uint64, 0, members)
			insert := func(keys []uint64) { all = append(all, keys...) }
			insertBytes := func(keys [][]byte) {
				hashed(keys, func(hashes []uint64) int {
					insert(hashes)
					return len(hashes)
				})
			}
			return builder{insert, insertBytes, func() (f static, err error) {
				filter, err := xorfilter.PopulateBinaryFuse8(all)
				if err != nil {
					return f, fmt.Errorf("BinaryFuse8 of %d keys: %w", len(all), err)
				}
				all = nil
				query := func(keys []uint64) (count int) {
					for _, key := range keys {
						count += peer.One(filter.Contains(key))
					}
					return count
				}
				queryKeys := func(keys [][]byte) (count int) {
					for _, key := range keys {
						count += peer.One(filter.Contains(xxhash.Sum64(key)))
					}
					return count
				}
				rate := func(int) float64 { return 1.0 / 256 }
				return static{query, len(filter.Fingerprints), rate,
					keyed{query: queryKeys}}, nil
			}}
		},
	}
}
