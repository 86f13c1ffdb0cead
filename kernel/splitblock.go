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

// SplitBlock is a block of Parquet's split block Bloom filter: 8 lanes of 32 bits, lane 0 first. A
// key sets one bit in each lane. There is no collision lane, so keys cannot be deleted.
type SplitBlock [8]uint32

// SplitBlockTable is the bitset of Parquet's split block Bloom filter, bit for bit. It takes
// xxHash64 hashes of the plain encoding of values, which package kernel/parquet computes. It needs
// 10.5 bits per key for 1 % of false positives; docs/theory/kernel.md has other rates. Any slice of
// 1 to [MaxSplitBlocks] blocks works as a table. It does not convert to [Table256], whose blocks
// have another layout.
type SplitBlockTable []SplitBlock

// MaxSplitBlocks is the largest number of blocks of a SplitBlockTable. The header of a filter in a
// Parquet file counts the bytes in an int32.
const MaxSplitBlocks = (1<<31 - 1) / splitBlockBytes

const splitBlockBytes = int(unsafe.Sizeof(SplitBlock{}))

// NewSplitBlockTable returns an empty table of nblocks blocks that starts at a cache line. It
// panics if nblocks is below 1 or above [MaxSplitBlocks], or above half of that if an int has 32
// bits.
func NewSplitBlockTable(nblocks int) SplitBlockTable {
	if nblocks < 1 || nblocks > MaxSplitBlocks {
		panic(fmt.Sprintf("kernel: a new table of %d split blocks: the number must be 1 to %d",
			nblocks, MaxSplitBlocks))
	}
	requireSize(nblocks, splitBlockBytes)
	return newTable[SplitBlock](nblocks)
}

// SplitBlockTableOfBytes returns a new table with a copy of bitset, which are the bytes that follow
// the filter's header in a Parquet file. It panics unless they are 1 to [MaxSplitBlocks] whole
// blocks of 32 bytes.
func SplitBlockTableOfBytes(bitset []byte) SplitBlockTable {
	if len(bitset)%splitBlockBytes != 0 {
		panic(fmt.Sprintf("kernel: a bitset of %d bytes is no whole number of blocks of %d bytes",
			len(bitset), splitBlockBytes))
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

// AppendBytes appends the bitset of the table in the form of a Parquet file: lane by lane, each
// little-endian.
func (t SplitBlockTable) AppendBytes(bitset []byte) []byte {
	for i := range t {
		for _, lane := range t[i] {
			bitset = binary.LittleEndian.AppendUint32(bitset, lane)
		}
	}
	return bitset
}

// Query reports whether the hash h is present. It is true for every member, and for a false
// positive.
func (t SplitBlockTable) Query(h uint64) bool {
	// Query, Insert and Add call assembly directly, so that they are small enough to be inlined.
	return asm.QueryKeySplit((*[8]uint32)(&t[h>>32*uint64(len(t))>>32]), uint32(h))
}

// Insert inserts the hash h and reports whether it was present before.
func (t SplitBlockTable) Insert(h uint64) bool {
	return asm.InsertKeySplit((*[8]uint32)(&t[h>>32*uint64(len(t))>>32]), uint32(h))
}

// Add inserts the hash h. It is Insert without the answer.
func (t SplitBlockTable) Add(h uint64) {
	asm.AddKeySplit((*[8]uint32)(&t[h>>32*uint64(len(t))>>32]), uint32(h))
}

// Prefetch starts to load the block of the hash h into the caches: see [Table512.Prefetch].
func (t SplitBlockTable) Prefetch(h uint64) {
	dispatch.PrefetchSplit((*[8]uint32)(unsafe.SliceData(t)), len(t), h)
}

// QueryBatch queries the hashes and returns how many are present. Bit i%64 of present[i/64] says
// whether hashes[i] is. present may be nil; otherwise it has at least one word per 64 hashes.
func (t SplitBlockTable) QueryBatch(hashes, present []uint64) (found int) {
	return dispatch.QueryBatchSplit(dispatch.Lanes(t), hashes, present)
}

// SelectBatch queries the hashes and returns how many are present. positions[:selected] becomes the
// i for which hashes[i] is, ascending: see [Table512.SelectBatch].
func (t SplitBlockTable) SelectBatch(hashes []uint64, positions []uint32) (selected int) {
	return dispatch.SelectBatchSplit(dispatch.Lanes(t), hashes, positions)
}

// QueryInsertBatch queries each hash and then inserts it, and returns how many were present. Bit
// i%64 of present[i/64] says whether hashes[i] was present just before its own insert. present may
// be nil; otherwise it has at least one word per 64 hashes.
func (t SplitBlockTable) QueryInsertBatch(hashes, present []uint64) (found int) {
	return dispatch.InsertBatchSplit(dispatch.Lanes(t), hashes, present)
}

// AddBatch inserts the hashes. It is QueryInsertBatch without the answers, and faster if the table
// is in a cache.
func (t SplitBlockTable) AddBatch(hashes []uint64) {
	dispatch.AddBatchSplit(dispatch.Lanes(t), hashes)
}

// Merge adds the members of the table u to t, which then is the table of the inserts into both, bit
// for bit. It panics if the lengths differ, or if u is t.
func (t SplitBlockTable) Merge(u SplitBlockTable) {
	dispatch.MergeSplit(dispatch.Lanes(t), dispatch.Lanes(u))
}

// Fold sets t to the table of the inserts into u, which has a whole number of times as many blocks.
// What t held before is lost. It panics if the lengths do not fit. t may be the first part of u.
func (t SplitBlockTable) Fold(u SplitBlockTable) {
	fold(t, u, func(b, o *SplitBlock) {
		for lane := range b {
			b[lane] |= o[lane]
		}
	})
}

// Intersect clears every bit of t that is not set in u. Then a hash is present if and only if it
// was present in both tables. It panics if the lengths differ.
func (t SplitBlockTable) Intersect(u SplitBlockTable) {
	requireEqual("Intersect", len(t), len(u))
	fallback.Intersect(dispatch.Lanes(t), dispatch.Lanes(u))
}

// Replace replaces the blocks from first on by those of part. It panics if the part does not fit.
// Other goroutines may query t meanwhile: they find every hash that is a member of both the old and
// the new block.
func (t SplitBlockTable) Replace(first int, part SplitBlockTable) {
	if len(part) > 0 {
		requireBlocks("Replace", first, first+len(part), len(t))
		fallback.Replace(dispatch.Lanes(t[first:]), dispatch.Lanes(part))
	}
}

// Count returns the number of bits that are set, out of 256 per block. It reads the whole table.
func (t SplitBlockTable) Count() (ones int) {
	for i := range t {
		for _, lane := range t[i] {
			ones += bits.OnesCount32(lane)
		}
	}
	return ones
}

// Reset clears every bit of the table.
func (t SplitBlockTable) Reset() { clear(t) }
