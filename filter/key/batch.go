package key

import "github.com/bloomlane/bloomlane/internal/batch"

// HashUint64Batch stores the hash of keys[i] in hashes[i], as [Key.HashUint64] returns it. It
// panics if the lengths differ, before it stores any hash.
func (k Key) HashUint64Batch(keys, hashes []uint64) {
	if bytes, ok := batch.Uint64s(keys, hashes); ok {
		k.batch(bytes, hashes)
		return
	}
	for i, n := range keys {
		hashes[i] = k.HashUint64(n)
	}
}

// HashFixedBatch stores the hash of data[i*width:(i+1)*width] in hashes[i]: data has keys of width
// bytes each, one behind another. Widths of 8 and 16 are the fastest. It panics unless data has
// len(hashes)*width bytes, before it stores any hash.
func (k Key) HashFixedBatch(data []byte, width int, hashes []uint64) {
	k.batch(batch.Fixed(data, width, hashes), hashes)
}

// HashBatch stores the hash of keys[i] in hashes[i]. The keys may have any lengths. It panics if
// len(keys) and len(hashes) differ, before it stores any hash.
func (k Key) HashBatch(keys [][]byte, hashes []uint64) { k.batch(batch.Of(keys, hashes), hashes) }

// HashStringBatch is [Key.HashBatch] for the bytes of strings.
func (k Key) HashStringBatch(keys []string, hashes []uint64) {
	k.batch(batch.Of(keys, hashes), hashes)
}

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
	k.batch(batch.Offsets(data, offsets, hashes), hashes)
}

// batch hashes under the default in assembly, and else one key after another.
func (k Key) batch(keys batch.Keys, hashes []uint64) {
	if k.none() {
		panicNone()
	}
	s := k.content()
	if s.identity.Algorithm == AESPMAC {
		s.pmac.Batch(keys, hashes)
		return
	}
	for i := range hashes {
		hashes[i] = s.other(keys.At(i))
	}
}
