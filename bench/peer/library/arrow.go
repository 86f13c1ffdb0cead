package library

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	arrowBlockBytes = 32
	arrowMaxBytes   = 128 << 20
)

func arrow() peer.Peer {
	const module = "github.com/apache/arrow-go/v18"
	bytes := func(members int, bits float64) int64 {
		return max(arrowBlockBytes, powerOfTwo(float64(members)*bits/8))
	}
	return peer.Peer{
		Name: "arrow-go", Module: module, Version: version(module),
		Note: "metadata.NewBloomFilter: Parquet's split blocks of 256 bits, k = 8, in a power of two up to 128 MiB; " +
			"CheckBulk, which allocates its answers, and InsertBulk",
		Prehashed: true, Allocates: true,
		MaxBytes: arrowMaxBytes, Doubles: true,
		Size: bytes,
		Begin: func(members int, bits float64) peer.Builder {
			filter := metadata.NewBloomFilter(uint32(bytes(members, bits)), arrowMaxBytes, memory.NewGoAllocator())
			return peer.Growing{Inserter: &arrowFilter{filter, filter.(bulkChecker)}}
		},
	}
}

// bulkChecker is what arrow-go's filters have beyond its interface for builders.
type bulkChecker interface{ CheckBulk(hashes []uint64) []bool }

type arrowFilter struct {
	filter metadata.BloomFilterBuilder
	bulk   bulkChecker
}

func (f *arrowFilter) QueryHashBatch(keys, hits []uint64) (present int) {
	answers := f.bulk.CheckBulk(keys)
	for i := 0; i < len(answers); i += 64 {
		word := uint64(0)
		for j, yes := range answers[i:min(i+64, len(answers))] {
			word |= one(yes) << (j & 63)
		}
		present += bits.OnesCount64(word)
		if hits != nil {
			hits[i/64] = word
		}
	}
	return present
}

func (f *arrowFilter) State() filter.State { return filter.State{Bytes: int(f.filter.Size())} }

func (f *arrowFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	f.filter.InsertBulk(keys)
	return len(keys), nil
}

func (f *arrowFilter) ExpectedRate(members int) float64 {
	return expected.Rate(members, int(f.filter.Size()/arrowBlockBytes), splitBlock)
}
