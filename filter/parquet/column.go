package parquet

import (
	"fmt"

	"github.com/bloomlane/bloomlane/kernel"
)

// groupValues is the number of values that are hashed before their hashes are used, while these lie
// in the first-level cache: 8 KiB on the stack. It is a multiple of 64, so that each group begins a
// word of hits.
const groupValues = 1024

// Insert inserts the values of a column.
func Insert[V Fixed](t kernel.SplitBlockTable, values []V) {
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		HashBatch(hashes[:], values[:n])
		t.AddBatch(hashes[:n])
		values = values[n:]
	}
}

// Query queries the values of a column: bit i of hits[i/64] says whether values[i] is present, as
// [kernel.SplitBlockTable.QueryBatch] has it; hits may be nil. It returns the number present.
func Query[V Fixed](t kernel.SplitBlockTable, values []V, hits []uint64) (count int) {
	requireHits(t, len(values), hits)
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		HashBatch(hashes[:], values[:n])
		count += t.QueryBatch(hashes[:n], hits)
		values, hits = values[n:], behind(hits)
	}
	return count
}

// InsertBytes is [Insert] of byte arrays.
func InsertBytes[V Bytes](t kernel.SplitBlockTable, values []V) {
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		hashBytes(hashes[:n], values)
		t.AddBatch(hashes[:n])
		values = values[n:]
	}
}

// QueryBytes is [Query] of byte arrays.
func QueryBytes[V Bytes](t kernel.SplitBlockTable, values []V, hits []uint64) (count int) {
	requireHits(t, len(values), hits)
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		hashBytes(hashes[:n], values)
		count += t.QueryBatch(hashes[:n], hits)
		values, hits = values[n:], behind(hits)
	}
	return count
}

// InsertOffsets is [Insert] of byte arrays in one buffer: value i is data[offsets[i]:offsets[i+1]],
// so that there is an offset more than values. It panics, before it inserts any, where an offset is
// below the one before it or beyond data.
func InsertOffsets[O int32 | int64](t kernel.SplitBlockTable, data []byte, offsets []O) {
	requireOffsets(data, offsets)
	var hashes [groupValues]uint64
	for len(offsets) > 1 {
		n := min(len(offsets)-1, groupValues)
		hashOffsets(hashes[:n], data, offsets)
		t.AddBatch(hashes[:n])
		offsets = offsets[n:]
	}
}

// QueryOffsets is [Query] of byte arrays in one buffer, as [InsertOffsets] has them.
func QueryOffsets[O int32 | int64](t kernel.SplitBlockTable, data []byte, offsets []O,
	hits []uint64) (count int) {
	requireOffsets(data, offsets)
	requireHits(t, len(offsets)-1, hits)
	var hashes [groupValues]uint64
	for len(offsets) > 1 {
		n := min(len(offsets)-1, groupValues)
		hashOffsets(hashes[:n], data, offsets)
		count += t.QueryBatch(hashes[:n], hits)
		offsets, hits = offsets[n:], behind(hits)
	}
	return count
}

func hashBytes[V Bytes](hashes []uint64, values []V) {
	for i := range hashes {
		hashes[i] = HashBytes(values[i])
	}
}

func hashOffsets[O int32 | int64](hashes []uint64, data []byte, offsets []O) {
	for i := range hashes {
		hashes[i] = HashBytes(data[offsets[i]:offsets[i+1]])
	}
}

// behind returns the words of hits behind those of a whole group.
func behind(hits []uint64) []uint64 { return hits[min(groupValues/64, len(hits)):] }

// requireHits panics before a group is queried where a later one would.
func requireHits(t kernel.SplitBlockTable, values int, hits []uint64) {
	if values > 0 && len(t) == 0 {
		panic(fmt.Sprintf("parquet: a table of 0 blocks cannot take %d values", values))
	}
	if words := (values + 63) / 64; hits != nil && len(hits) < words {
		panic(fmt.Sprintf("parquet: hits has %d words, %d values need %d", len(hits),
			values, words))
	}
}

func requireOffsets[O int32 | int64](data []byte, offsets []O) {
	last := O(0)
	for i, offset := range offsets {
		if offset < last || int64(offset) > int64(len(data)) {
			panic(fmt.Sprintf("parquet: offset %d is %d, want one in %d..%d", i, offset,
				last, len(data)))
		}
		last = offset
	}
}
