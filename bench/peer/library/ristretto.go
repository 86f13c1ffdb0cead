package library

import (
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/dgraph-io/ristretto/v2/z"
)

func ristretto() peer.Peer {
	const module = "github.com/dgraph-io/ristretto/v2"
	// Its constructor doubles what is above a power of two by the least bit: so it gets whole bits.
	size := func(members int, bits float64) int64 { return max(512, powerOfTwo(float64(members)*bits)) }
	return peer.Peer{
		Name: "ristretto", Module: module, Version: version(module),
		Note:      "z.Bloom: one array of bits, a power of two, k = ceil(b ln 2) of the bits asked for; Has and Add a key",
		Prehashed: true, Doubles: true,
		Size: func(members int, bits float64) int64 { return size(members, bits) / 8 },
		Begin: func(members int, bits float64) peer.Builder {
			k := optimalHashes(bits)
			return peer.Growing{Inserter: &ristrettoFilter{z.NewBloomFilter(float64(size(members, bits)), float64(k)), k}}
		},
	}
}

type ristrettoFilter struct {
	filter *z.Bloom
	k      int
}

func (f *ristrettoFilter) query64(keys []uint64) (present uint64) {
	for i, key := range keys {
		present |= one(f.filter.Has(key)) << (i & 63)
	}
	return present
}

func (f *ristrettoFilter) QueryHashBatch(keys, hits []uint64) int {
	return peer.Scan(keys, hits, f.query64)
}

// ristrettoHeader is what TotalSize adds to the bits.
const ristrettoHeader = 5 * 8

func (f *ristrettoFilter) State() filter.State {
	return filter.State{Bytes: int(f.filter.TotalSize()) - ristrettoHeader}
}

func (f *ristrettoFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	for _, key := range keys {
		f.filter.Add(key)
	}
	return len(keys), nil
}

func (f *ristrettoFilter) ExpectedRate(members int) float64 {
	return plainRate(float64(8*f.State().Bytes), float64(f.k), members)
}
