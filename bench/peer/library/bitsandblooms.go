package library

import (
	"math"

	"github.com/bits-and-blooms/bloom/v3"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func bitsAndBlooms() peer.Peer {
	size := func(members int, bits float64) uint { return uint(math.Ceil(float64(members) * bits)) }
	return peer.Peer{
		Name: "bits-and-blooms", Module: "github.com/bits-and-blooms/bloom/v3",
		Note: "bloom.BloomFilter: one array of bits, k = ceil(b ln 2), murmur hash; Test and " +
			"Add a key (hashes can be asked for, but not added)",
		Hash: murmur, Merges: true,
		Size: func(members int, bits float64) int64 {
			return int64(size(members, bits)+63) / 64 * 8
		},
		Begin: func(members int, bits float64) peer.Builder {
			filter := bloom.New(size(members, bits), uint(optimalHashes(bits)))
			rate := textbookRate(float64(filter.Cap()), float64(filter.K()))
			return peer.Growing(ofKeys(bitsFilter{filter}, 8*len(filter.BitSet().Words()), rate))
		},
	}
}

type bitsFilter struct{ *bloom.BloomFilter }

func (f bitsFilter) Lookup(key []byte) bool { return f.Test(key) }
func (f bitsFilter) Insert(key []byte) bool { f.Add(key); return true }
