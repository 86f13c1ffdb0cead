package key

import "github.com/bloomlane/bloomlane/internal/highway"

// HashUint64Batch stores the hash of keys[i] in hashes[i], as [Key.HashUint64] returns it. It
// panics if the lengths differ, before it stores any hash.
func (k Key) HashUint64Batch(keys, hashes []uint64) { k.hasher().Uint64s(keys, hashes) }

// HashFixedBatch stores the hash of data[i*width:(i+1)*width] in hashes[i]: data has keys of width
// bytes each, one behind another. Widths of 4, 8, 16, 20, 32 and 40 are the fastest. It panics
// unless data has len(hashes)*width bytes, before it stores any hash.
func (k Key) HashFixedBatch(data []byte, width int, hashes []uint64) {
	k.hasher().Fixed(data, width, hashes)
}

// HashBatch stores the hash of keys[i] in hashes[i]. The keys may have any lengths. It panics if
// len(keys) and len(hashes) differ, before it stores any hash.
func (k Key) HashBatch(keys [][]byte, hashes []uint64) { k.hasher().Slices(keys, hashes) }

// HashStringBatch is [Key.HashBatch] for the bytes of strings.
func (k Key) HashStringBatch(keys []string, hashes []uint64) { k.hasher().Strings(keys, hashes) }

// HashOffsetsBatch stores the hash of data[offsets[i]:offsets[i+1]] in hashes[i]: data has keys of
// any lengths, one behind another, as in Apache Arrow. It panics before it stores any hash if
// len(offsets) is not len(hashes)+1, if an offset is less than the one before it or lies outside
// data, or if offsets and hashes share memory.
func HashOffsetsBatch[O int32 | int64 | uint32 | uint64](
	k Key,
	data []byte,
	offsets []O,
	hashes []uint64,
) {
	highway.Offsets(k.hasher(), data, offsets, hashes)
}
