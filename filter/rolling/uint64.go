package rolling

import "github.com/bloomlane/bloomlane/filter"

// The operations on uint64 keys: a key is its 8 bytes, the least significant first, so that the same
// key as bytes is the same member.

// InsertUint64 inserts a key, which must not be a member: [Filter.InsertHash] of its hash.
func (f *Filter) InsertUint64(key uint64) (Generation, error) {
	if len(f.live) == 0 {
		return 0, filter.ErrClosed
	}
	return f.InsertHash(f.key.HashUint64(key))
}

// QueryUint64 reports whether a key is present: true for every member, and for a false positive.
func (f *Filter) QueryUint64(key uint64) bool { return f.QueryHash(f.HashUint64(key)) }

// DeleteUint64 deletes a key, which must be a member: [Filter.DeleteHash] of its hash.
func (f *Filter) DeleteUint64(key uint64) Status { return f.DeleteHash(f.HashUint64(key)) }

// DeleteUint64In deletes a key, which must be a member, from the generation that its insert returned, or
// that Stragglers moved it to: [Filter.DeleteHashIn] of its hash.
func (f *Filter) DeleteUint64In(generation Generation, key uint64) Status {
	return f.DeleteHashIn(generation, f.HashUint64(key))
}

// InsertUint64Batch inserts keys one after another: [Filter.InsertHashBatch] of their hashes.
func (f *Filter) InsertUint64Batch(keys []uint64, generations []Generation) (int, error) {
	requireGenerations("InsertUint64Batch", len(keys), generations)
	if len(f.live) == 0 {
		return 0, filter.ErrClosed
	}
	var first Generation
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.uint64Hashes(buffer[:], keys[start:])
		var part []Generation
		if generations != nil {
			part = generations[start:]
		}
		if n, err := f.insert(hashes, part, &first); err != nil {
			return start + n, err
		}
	}
	return len(keys), nil
}

// QueryUint64Batch queries keys and returns how many are present. Bit i of hits[i/64] says whether
// keys[i] is; hits may be nil, or else has a word for each 64 keys.
func (f *Filter) QueryUint64Batch(keys []uint64, hits []uint64) int {
	requireHits("QueryUint64Batch", len(keys), hits)
	f.require()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.uint64Hashes(buffer[:], keys[start:])
		var part []uint64
		if hits != nil {
			part = hits[start/64:]
		}
		count += f.QueryHashBatch(hashes, part)
	}
	return count
}

// DeleteUint64Batch deletes keys, which must be members, one after another: [Filter.DeleteHashBatch] of
// their hashes.
func (f *Filter) DeleteUint64Batch(keys []uint64, status []Status) int {
	requireStatus("DeleteUint64Batch", len(keys), status)
	f.require()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.uint64Hashes(buffer[:], keys[start:])
		var part []Status
		if status != nil {
			part = status[start:]
		}
		count += f.DeleteHashBatch(hashes, part)
	}
	return count
}

// uint64Hashes returns, in buffer, the hashes of as many of the keys as it has room for.
func (f *Filter) uint64Hashes(buffer []uint64, keys []uint64) []uint64 {
	hashes := buffer[:min(len(buffer), len(keys))]
	for i := range hashes {
		hashes[i] = f.key.HashUint64(keys[i])
	}
	return hashes
}
