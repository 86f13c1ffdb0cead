package library

import (
	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go/bloom"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/internal/expected"
)

func parquet() peer.Peer {
	size := peer.BlockSize(bloom.BlockSize)
	return peer.Peer{
		Name: "parquet-go", Module: "github.com/parquet-go/parquet-go",
		Note: "bloom.SplitBlockFilter: Parquet's split blocks of 256 bits, k = 8; Check a " +
			"key, InsertBulk",
		Prehashed: true, Hash: xxHash64,
		Size: size.Bytes,
		Begin: func(members int, bits float64) peer.Builder {
			filter := make(bloom.SplitBlockFilter, size.Blocks(members, bits))
			query := func(keys []uint64) (count int) {
				for _, key := range keys {
					count += peer.One(filter.Check(key))
				}
				return count
			}
			queryKeys := func(keys [][]byte) (count int) {
				for _, key := range keys {
					count += peer.One(filter.Check(xxhash.Sum64(key)))
				}
				return count
			}
			queryStrings := func(keys []string) (count int) {
				for _, key := range keys {
					count += peer.One(filter.Check(xxhash.Sum64String(key)))
				}
				return count
			}
			of := static{query, len(filter) * bloom.BlockSize, splitBlocks(len(filter)),
				keyed{query: queryKeys, strings: queryStrings}}
			return peer.Growing(growing{of, takingAll(filter.InsertBulk)})
		},
	}
}

// splitBlocks returns the rate to expect of Parquet's split blocks: 8 words of 32 bits, in each of
// which a key owns a bit.
func splitBlocks(blocks int) func(members int) float64 {
	return func(members int) float64 {
		return expected.Rate(members, blocks, expected.Lanes{Count: 8, Bits: 32})
	}
}
