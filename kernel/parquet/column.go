package parquet

import (
	"fmt"

	"github.com/bloomlane/bloomlane/kernel"
)

// groupValues is how many values are hashed at a time. Their hashes are 8 KiB on the stack, in the
// first-level cache. It is a multiple of 64, so that each group begins at a word of answers.
const groupValues = 1024

// Insert inserts the values of a column. It panics if t has no block and there are values.
func Insert[V Fixed](t kernel.SplitBlockTable, values []V) {
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		HashBatch(values[:n], hashes[:])
		t.AddBatch(hashes[:n])
		values = values[n:]
	}
}

// Query queries the values of a column and returns how many are present. Bit i%64 of present[i/64]
// says whether values[i] is. present may be nil; otherwise it has at least one word per 64 values.
// It panics before it writes any hit if present is too short, or if t has no block.
func Query[V Fixed](t kernel.SplitBlockTable, values []V, present []uint64) (count int) {
	requireAnswers(t, len(values), present)
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		HashBatch(values[:n], hashes[:])
		count += t.QueryBatch(hashes[:n], present)
		values, present = values[n:], behind(present)
	}
	return count
}

// InsertBytes is [Insert] for byte arrays.
func InsertBytes[V Bytes](t kernel.SplitBlockTable, values []V) {
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		hashBytes(hashes[:n], values)
		t.AddBatch(hashes[:n])
		values = values[n:]
	}
}

// QueryBytes is [Query] for byte arrays.
func QueryBytes[V Bytes](t kernel.SplitBlockTable, values []V, present []uint64) (count int) {
	requireAnswers(t, len(values), present)
	var hashes [groupValues]uint64
	for len(values) > 0 {
		n := min(len(values), groupValues)
		hashBytes(hashes[:n], values)
		count += t.QueryBatch(hashes[:n], present)
		values, present = values[n:], behind(present)
	}
	return count
}

// InsertOffsets is [Insert] for byte arrays in one buffer: value i is
// data[offsets[i]:offsets[i+1]], so there is one offset more than values. It panics before it
// inserts any value if an offset is less than the one before it, or beyond data.
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

// QueryOffsets is [Query] for byte arrays in one buffer, in the form of [InsertOffsets].
func QueryOffsets[O int32 | int64](
	t kernel.SplitBlockTable,
	data []byte,
	offsets []O,
	present []uint64,
) (count int) {
	requireOffsets(data, offsets)
	requireAnswers(t, len(offsets)-1, present)
	var hashes [groupValues]uint64
	for len(offsets) > 1 {
		n := min(len(offsets)-1, groupValues)
		hashOffsets(hashes[:n], data, offsets)
		count += t.QueryBatch(hashes[:n], present)
		offsets, present = offsets[n:], behind(present)
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

// behind returns the words of answers after those of a whole group.
func behind(present []uint64) []uint64 { return present[min(groupValues/64, len(present)):] }

// requireAnswers panics before the first group is queried if a later group would.
func requireAnswers(t kernel.SplitBlockTable, values int, present []uint64) {
	if values > 0 && len(t) == 0 {
		panic(fmt.Sprintf("parquet: a table of 0 blocks cannot take %d values", values))
	}
	if words := (values + 63) / 64; present != nil && len(present) < words {
		panic(fmt.Sprintf("parquet: present has %d words, %d values need %d", len(present),
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
