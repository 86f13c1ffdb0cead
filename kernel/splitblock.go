package kernel

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// SplitBlock is a block of Parquet's split block Bloom filter: 8 lanes of 32 bits, lane 0 first, in
// each of which a key owns one bit. It has no collision lane, so nothing is deleted from it.
type SplitBlock [8]uint32

// SplitBlockTable is the bitset of Parquet's split block Bloom filter. Its hashes are xxHash64 of a
// value's plain encoding: package filter/parquet makes them. Any slice of at most [MaxSplitBlocks]
// will do, as with [Table256].
type SplitBlockTable []SplitBlock

// MaxSplitBlocks is the number of blocks of the largest table that Parquet has: a header counts its
// bytes in an int32.
const MaxSplitBlocks = (1<<31 - 1) / splitBlockBytes

const splitBlockBytes = int(unsafe.Sizeof(SplitBlock{}))

// NewSplitBlockTable returns an empty table of nblocks blocks that starts at a cache line. It
// panics where nblocks is below 1 or above [MaxSplitBlocks], or, where an int has 32 bits, above
// half of that.
func NewSplitBlockTable(nblocks int) SplitBlockTable {
	if nblocks < 1 || nblocks > MaxSplitBlocks {
		panic(fmt.Sprintf("kernel: a new table of %d split blocks: the number must be in 1..%d",
			nblocks, MaxSplitBlocks))
	}
	requireSize(nblocks, splitBlockBytes)
	return newTable[SplitBlock](nblocks)
}

// SplitBlockTableOfBytes returns the table whose bitset is the bytes, as Parquet has them in a file
// behind the filter's header. It panics where they are not one to [MaxSplitBlocks] whole blocks of
// 32 bytes.
func SplitBlockTableOfBytes(bitset []byte) SplitBlockTable {
	if len(bitset)%splitBlockBytes != 0 {
		panic(fmt.Sprintf("kernel: a bitset of %d bytes, want a multiple of %d", len(bitset),
			splitBlockBytes))
	}
	t := NewSplitBlockTable(len(bitset) / splitBlockBytes)
	for i := range t {
		for lane := range t[i] {
			t[i][lane] = binary.LittleEndian.Uint32(bitset)
			bitset = bitset[4:]
		}
	}
	return t
}

// AppendBytes appends the bitset of the table, as Parquet has it in a file: lane by lane, each
// little-endian.
func (t SplitBlockTable) AppendBytes(bitset []byte) []byte {
	for i := range t {
		for _, lane := range t[i] {
			bitset = binary.LittleEndian.AppendUint32(bitset, lane)
		}
	}
	return bitset
}

// Query reports whether the hash h is present: true for every member, and for a false positive.
// Like Insert and Add it is one call of assembly, and so small that it is inlined: written by way
// of another function it is not.
func (t SplitBlockTable) Query(h uint64) bool {
	return asm.QueryKeySplit((*[8]uint32)(&t[h>>32*uint64(len(t))>>32]), uint32(h))
}

// Insert inserts the hash h and reports whether it was present before.
func (t SplitBlockTable) Insert(h uint64) bool {
	return asm.InsertKeySplit((*[8]uint32)(&t[h>>32*uint64(len(t))>>32]), uint32(h))
}

// Add is Insert for whoever does not ask whether it was present.
func (t SplitBlockTable) Add(h uint64) {
	asm.AddKeySplit((*[8]uint32)(&t[h>>32*uint64(len(t))>>32]), uint32(h))
}

// Prefetch is [Table512.Prefetch].
func (t SplitBlockTable) Prefetch(h uint64) {
	dispatch.PrefetchSplit((*[8]uint32)(unsafe.SliceData(t)), len(t), h)
}

// QueryBatch queries the hashes: bit i of hits[i/64] says whether hashes[i] is present. It returns
// the number present.
func (t SplitBlockTable) QueryBatch(hashes, hits []uint64) int {
	return dispatch.QueryBatchSplit(dispatch.Lanes(t), hashes, hits)
}

// InsertBatch inserts the hashes: bit i of hits[i/64] says whether hashes[i] was present just
// before its own insert. It returns the number that were.
func (t SplitBlockTable) InsertBatch(hashes, hits []uint64) int {
	return dispatch.InsertBatchSplit(dispatch.Lanes(t), hashes, hits)
}

// AddBatch is InsertBatch for whoever does not ask what was present: it takes less time where the
// table is in the cache.
func (t SplitBlockTable) AddBatch(hashes []uint64) {
	dispatch.AddBatchSplit(dispatch.Lanes(t),
		hashes)
}

// Merge merges the table u into t, which then is the table of all the inserts. It panics where the
// lengths differ, or where u is t.
func (t SplitBlockTable) Merge(u SplitBlockTable) {
	dispatch.MergeSplit(dispatch.Lanes(t), dispatch.Lanes(u))
}

// Fold is [Table512.Fold]: t becomes the table of u's inserts, in half as many blocks.
func (t SplitBlockTable) Fold(u SplitBlockTable) {
	requireHalf(len(t), len(u))
	fallback.FoldSplit(dispatch.Lanes(t), dispatch.Lanes(u))
}

// Intersect is [Table512.Intersect]: a hash is present then just where it was present in both.
func (t SplitBlockTable) Intersect(u SplitBlockTable) {
	requireEqual("Intersect", len(t), len(u))
	fallback.Intersect(dispatch.Lanes(t), dispatch.Lanes(u))
}

// Replace is [Table512.Replace]: the blocks from first on become those of part, beside goroutines
// that query. A query finds each hash that is in the old block and in the new one.
func (t SplitBlockTable) Replace(first int, part SplitBlockTable) {
	if len(part) > 0 {
		requireBlocks("Replace", first, first+len(part), len(t))
		fallback.Replace(dispatch.Lanes(t[first:]), dispatch.Lanes(part))
	}
}

// Count returns the number of bits that are set, of 256 a block.
func (t SplitBlockTable) Count() (ones int) {
	for i := range t {
		for _, lane := range t[i] {
			ones += bits.OnesCount32(lane)
		}
	}
	return ones
}

// Reset empties the table.
func (t SplitBlockTable) Reset() { clear(t) }
