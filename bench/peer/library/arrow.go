package library

import (
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func arrow() peer.Peer {
	const (
		blockBytes = 32
		maxBytes   = 128 << 20
	)
	size := func(members int, bits float64) int64 {
		return max(blockBytes, powerOfTwo(float64(members)*bits/8))
	}
	return peer.Peer{
		Name: "arrow-go", Module: "github.com/apache/arrow-go/v18",
		Note: "metadata.NewBloomFilter: Parquet's split blocks of 256 bits, k = 8, " +
			"in a power of two up to 128 MiB; CheckBulk, which allocates its answers, and " +
			"InsertBulk",
		Prehashed: true, Allocates: true, Hash: xxHash64,
		MaxBytes: maxBytes, Doubles: true,
		Size: size,
		Begin: func(members int, bits float64) peer.Builder {
			filter := metadata.NewBloomFilter(uint32(size(members, bits)), maxBytes,
				memory.NewGoAllocator())
			query := func(keys []uint64) int {
				return checkBulk(filter.(bulkChecker), keys)
			}
			queryKeys := func(keys [][]byte) (count int) {
				hashed(keys, func(hashes []uint64) int {
					count += query(hashes)
					return len(hashes)
				})
				return count
			}
			bytes := int(filter.Size())
			// xxHash64 is its Hasher.
			of := static{query, bytes, splitBlocks(bytes / blockBytes), keyed{query: queryKeys}}
			return peer.Growing(growing{of, takingAll(filter.InsertBulk)})
		},
	}
}

// checkBulk is the query of a filter of arrow-go, whose interface for builders lacks it. As a
// literal that captures the filter it takes a tenth more time.
func checkBulk(filter bulkChecker, keys []uint64) (count int) {
	for _, yes := range filter.CheckBulk(keys) {
		count += peer.One(yes)
	}
	return count
}

type bulkChecker interface{ CheckBulk(hashes []uint64) []bool }
