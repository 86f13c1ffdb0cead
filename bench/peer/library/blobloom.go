package library

import (
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/greatroar/blobloom"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func blobloomFilter() peer.Peer { return blobloomUnder(xxHash64, xxhash.Sum64) }

// blobloomUnder is the filter with keys of bytes hashed by the given function.
func blobloomUnder(name string, hash func(key []byte) uint64) peer.Peer {
	size := peer.BlockSize(blobloom.BlockBits / 8)
	return peer.Peer{
		Name: "blobloom", Module: "github.com/greatroar/blobloom",
		Note: "blobloom.Filter: blocks of 512 bits, k as Optimize chooses it; Has and Add a " +
			"hash",
		Prehashed: true, Hash: name, Merges: true,
		Size: size.Bytes,
		Begin: func(members int, bits float64) peer.Builder {
			asked := uint64(math.Ceil(float64(members) * bits))
			_, hashes := blobloom.Optimize(blobloom.Config{Capacity: uint64(members),
				FPRate: optimalRate(bits), MaxBits: asked})
			filter := blobloom.New(asked, hashes)
			query := func(keys []uint64) (present uint64) {
				for i, key := range keys {
					present |= peer.One(filter.Has(key)) << (i & 63)
				}
				return present
			}
			insert := func(keys []uint64) {
				for _, key := range keys {
					filter.Add(key)
				}
			}
			queryKeys := func(keys [][]byte) (present uint64) {
				for i, key := range keys {
					present |= peer.One(filter.Has(hash(key))) << (i & 63)
				}
				return present
			}
			insertKeys := func(keys [][]byte) int {
				for _, key := range keys {
					filter.Add(hash(key))
				}
				return len(keys)
			}
			rate := func(members int) float64 {
				return blobloom.FPRate(uint64(members), filter.NumBits(), hashes)
			}
			return peer.Growing(growing{static{scan(query), int(filter.NumBits() / 8), rate,
				keyed{query: queryKeys, insert: insertKeys}}, takingAll(insert)})
		},
	}
}

// blobloomUnderOurHash is the filter with keys of bytes hashed as those of our filters are.
func blobloomUnderOurHash() peer.Peer {
	secret := peer.OurHash.New()
	p := blobloomUnder(peer.OurHash.String(), secret.Hash)
	p.Table, p.Name, p.Keyed = p.Name, p.Name+"-siphash", true
	return p
}
