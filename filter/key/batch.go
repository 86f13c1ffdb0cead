package key

import "github.com/bloomlane/bloomlane/internal/highway"

// HashUint64Batch stores the hash of keys[i], which is that of HashUint64, in hashes[i]. It panics
// where the lengths differ, before it stores any.
func (k Key) HashUint64Batch(keys, hashes []uint64) { k.hasher().Uint64s(keys, hashes) }

// HashFixedBatch stores the hashes of keys of one width in bytes, which lie one behind another in
// data: in hashes[i] that of data[i*width:(i+1)*width]. Widths of 4, 8, 16, 20, 32 and 40 are the
// fastest. It panics where data has not just as many keys as hashes, before it stores any.
func (k Key) HashFixedBatch(data []byte, width int, hashes []uint64) {
	k.hasher().Fixed(data, width, hashes)
}

// HashBatch stores the hash of keys[i], of any length, in hashes[i]. It panics where the lengths of
// keys and hashes differ, before it stores any.
func (k Key) HashBatch(keys [][]byte, hashes []uint64) { k.hasher().Slices(keys, hashes) }

// HashStringBatch is [Key.HashBatch] of the bytes of strings.
func (k Key) HashStringBatch(keys []string, hashes []uint64) { k.hasher().Strings(keys, hashes) }

// HashOffsetsBatch stores the hashes of keys of any lengths that lie one behind another in data, as
// Apache Arrow holds them: in hashes[i] that of data[offsets[i]:offsets[i+1]]. It panics where
// offsets are not one more than hashes, fall, lie outside data, or share memory with hashes, before
// it stores any.
func HashOffsetsBatch[O int32 | int64 | uint32 | uint64](k Key, data []byte, offsets []O,
	hashes []uint64) {
	highway.Offsets(k.hasher(), data, offsets, hashes)
}
