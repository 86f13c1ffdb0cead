package library

import (
	"encoding/binary"
	"math"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
)

func bitsAndBlooms() peer.Peer {
	const module = "github.com/bits-and-blooms/bloom/v3"
	size := func(members int, bits float64) uint { return uint(math.Ceil(float64(members) * bits)) }
	return peer.Peer{
		Name: "bits-and-blooms", Module: module, Version: version(module),
		Note: "bloom.BloomFilter: one array of bits, k = ceil(b ln 2), murmur hash; Test and Add a key (hashes can be asked for, but not added)",
		Size: func(members int, bits float64) int64 { return int64(size(members, bits)+63) / 64 * 8 },
		Begin: func(members int, bits float64) peer.Builder {
			return peer.Growing{Inserter: bitsAndBloomsFilter{bloom.New(size(members, bits), uint(optimalHashes(bits)))}}
		},
	}
}

type bitsAndBloomsFilter struct{ filter *bloom.BloomFilter }

func (f bitsAndBloomsFilter) query64(keys []uint64) (present uint64) {
	var bytes [8]byte
	for i, key := range keys {
		binary.LittleEndian.PutUint64(bytes[:], key)
		present |= one(f.filter.Test(bytes[:])) << (i & 63)
	}
	return present
}

func (f bitsAndBloomsFilter) QueryHashBatch(keys, hits []uint64) int {
	return peer.Scan(keys, hits, f.query64)
}
func (f bitsAndBloomsFilter) State() filter.State {
	return filter.State{Bytes: 8 * len(f.filter.BitSet().Words())}
}

func (f bitsAndBloomsFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	var bytes [8]byte
	for _, key := range keys {
		binary.LittleEndian.PutUint64(bytes[:], key)
		f.filter.Add(bytes[:])
	}
	return len(keys), nil
}

func (f bitsAndBloomsFilter) ExpectedRate(members int) float64 {
	return plainRate(float64(f.filter.Cap()), float64(f.filter.K()), members)
}
