package library

import (
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/parquet-go/parquet-go/bloom"
)

// splitBlock is Parquet's split block: 8 words of 32 bits, in each of which a key owns a bit.
var splitBlock = expected.Lanes{Count: 8, Bits: 32}

func parquet() peer.Peer {
	const module = "github.com/parquet-go/parquet-go"
	size := peer.BlockSize(bloom.BlockSize)
	return peer.Peer{
		Name: "parquet-go", Module: module, Version: version(module),
		Note:      "bloom.SplitBlockFilter: Parquet's split blocks of 256 bits, k = 8; Check a key, InsertBulk",
		Prehashed: true,
		Size:      size.Bytes,
		Begin: func(members int, bits float64) peer.Builder {
			return peer.Growing{Inserter: parquetFilter(make(bloom.SplitBlockFilter, size.Blocks(members, bits)))}
		},
	}
}

type parquetFilter bloom.SplitBlockFilter

func (f parquetFilter) query64(keys []uint64) (present uint64) {
	filter := bloom.SplitBlockFilter(f)
	for i, key := range keys {
		present |= one(filter.Check(key)) << (i & 63)
	}
	return present
}

func (f parquetFilter) QueryHashBatch(keys, hits []uint64) int {
	return peer.Scan(keys, hits, f.query64)
}
func (f parquetFilter) State() filter.State { return filter.State{Bytes: len(f) * bloom.BlockSize} }

func (f parquetFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	bloom.SplitBlockFilter(f).InsertBulk(keys)
	return len(keys), nil
}

func (f parquetFilter) ExpectedRate(members int) float64 {
	return expected.Rate(members, len(f), splitBlock)
}
