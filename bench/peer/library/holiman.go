package library

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	bloomfilter "github.com/holiman/bloomfilter/v2"
)

func holimanBloom() peer.Peer {
	const module = "github.com/holiman/bloomfilter/v2"
	size := func(members int, bits float64) uint64 {
		return max(bloomfilter.MMin, uint64(math.Ceil(float64(members)*bits)))
	}
	return peer.Peer{
		Name: "holiman", Module: module, Version: version(module),
		Note:      "bloomfilter.Filter: one array of bits, k = ceil(b ln 2), behind a lock; ContainsHash and AddHash a key",
		Prehashed: true,
		Size:      func(members int, bits float64) int64 { return int64(size(members, bits)+63) / 64 * 8 },
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
			return peer.Growing{Inserter: holimanFilter{filter}}
		},
	}
}

type holimanFilter struct{ filter *bloomfilter.Filter }

func (f holimanFilter) query64(keys []uint64) (present uint64) {
	for i, key := range keys {
		present |= one(f.filter.ContainsHash(key)) << (i & 63)
	}
	return present
}

func (f holimanFilter) QueryHashBatch(keys, hits []uint64) int {
	return peer.Scan(keys, hits, f.query64)
}
func (f holimanFilter) State() filter.State {
	return filter.State{Bytes: int(f.filter.M()+63) / 64 * 8}
}

func (f holimanFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	for _, key := range keys {
		f.filter.AddHash(key)
	}
	return len(keys), nil
}

func (f holimanFilter) ExpectedRate(members int) float64 {
	return plainRate(float64(f.filter.M()), float64(f.filter.K()), members)
}
