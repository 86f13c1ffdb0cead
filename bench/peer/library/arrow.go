package library

import (
	"math/bits"

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
			query := func(keys, present []uint64) int {
				return checkBulk(filter.(bulkChecker), keys, present)
			}
			bytes := int(filter.Size())
			// which its Hasher is
			of := static{query, bytes, splitBlocks(bytes / blockBytes), keyed{sum: xxhashes}}
			return peer.Growing(growing{of, takingAll(filter.InsertBulk)})
		},
	}
}

// checkBulk is the query of a filter of arrow-go, whose interface for builders lacks it. As a
// literal that captures the filter it takes a tenth more time.
func checkBulk(filter bulkChecker, keys, present []uint64) (count int) {
	answers := filter.CheckBulk(keys)
	for i := 0; i < len(answers); i += 64 {
		word := uint64(0)
		for j, yes := range answers[i:min(i+64, len(answers))] {
			word |= peer.One(yes) << (j & 63)
		}
		count += bits.OnesCount64(word)
		if present != nil {
			present[i/64] = word
		}
	}
	return count
}

type bulkChecker interface{ CheckBulk(hashes []uint64) []bool }
