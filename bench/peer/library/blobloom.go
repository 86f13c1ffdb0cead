package library

import (
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/greatroar/blobloom"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func blobloomFilter() peer.Peer {
	size := peer.BlockSize(blobloom.BlockBits / 8)
	return peer.Peer{
		Name: "blobloom", Module: "github.com/greatroar/blobloom",
		Note: "blobloom.Filter: blocks of 512 bits, k as Optimize chooses it; Has and Add a " +
			"hash",
		Prehashed: true, Hash: xxHash64, Merges: true,
		Size: size.Bytes,
		Begin: func(members int, bits float64) peer.Builder {
			asked := uint64(math.Ceil(float64(members) * bits))
			_, hashes := blobloom.Optimize(blobloom.Config{Capacity: uint64(members),
				FPRate: optimalRate(bits), MaxBits: asked})
			filter := blobloom.New(asked, hashes)
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
			queryKeys := func(keys [][]byte) (count int) {
				for _, key := range keys {
					count += peer.One(filter.Has(xxhash.Sum64(key)))
				}
				return count
			}
			queryStrings := func(keys []string) (count int) {
				for _, key := range keys {
					count += peer.One(filter.Has(xxhash.Sum64String(key)))
				}
				return count
			}
			insertKeys := func(keys [][]byte) int {
				for _, key := range keys {
					filter.Add(xxhash.Sum64(key))
				}
				return len(keys)
			}
			rate := func(members int) float64 {
				return blobloom.FPRate(uint64(members), filter.NumBits(), hashes)
			}
			return peer.Growing(growing{static{query, int(filter.NumBits() / 8), rate,
				keyed{queryKeys, queryStrings, insertKeys, nil}}, takingAll(insert)})
		},
	}
}
