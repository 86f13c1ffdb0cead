package rolling

import "github.com/bloomlane/bloomlane/filter"

// The operations on keys of bytes, of any length.

// Insert inserts a key, which must not be a member: [Filter.InsertHash] of its hash.
func (f *Filter) Insert(key []byte) (Generation, error) {
	if len(f.live) == 0 {
		return 0, filter.ErrClosed
	}
	return f.InsertHash(f.key.Hash(key))
}

// Query reports whether a key is present: true for every member, and for a false positive.
func (f *Filter) Query(key []byte) bool { return f.QueryHash(f.Hash(key)) }

// Delete deletes a key, which must be a member: [Filter.DeleteHash] of its hash.
func (f *Filter) Delete(key []byte) Status { return f.DeleteHash(f.Hash(key)) }

// DeleteIn deletes a key, which must be a member, from the generation that its insert returned, or
// that Stragglers moved it to: [Filter.DeleteHashIn] of its hash.
func (f *Filter) DeleteIn(generation Generation, key []byte) Status {
	return f.DeleteHashIn(generation, f.Hash(key))
}

// InsertBatch inserts keys one after another: [Filter.InsertHashBatch] of their hashes.
func (f *Filter) InsertBatch(keys [][]byte, generations []Generation) (int, error) {
	requireGenerations("InsertBatch", len(keys), generations)
	if len(f.live) == 0 {
		return 0, filter.ErrClosed
	}
	var first Generation
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.hashes(buffer[:], keys[start:])
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

// QueryBatch queries keys and returns how many are present. Bit i of hits[i/64] says whether
// keys[i] is; hits may be nil, or else has a word for each 64 keys.
func (f *Filter) QueryBatch(keys [][]byte, hits []uint64) int {
	requireHits("QueryBatch", len(keys), hits)
	f.require()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.hashes(buffer[:], keys[start:])
		var part []uint64
		if hits != nil {
			part = hits[start/64:]
		}
		count += f.QueryHashBatch(hashes, part)
	}
	return count
}

// DeleteBatch deletes keys, which must be members, one after another: [Filter.DeleteHashBatch] of
// their hashes.
func (f *Filter) DeleteBatch(keys [][]byte, status []Status) int {
	requireStatus("DeleteBatch", len(keys), status)
	f.require()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.hashes(buffer[:], keys[start:])
		var part []Status
		if status != nil {
			part = status[start:]
		}
		count += f.DeleteHashBatch(hashes, part)
	}
	return count
}

// hashes returns, in buffer, the hashes of as many of the keys as it has room for.
func (f *Filter) hashes(buffer []uint64, keys [][]byte) []uint64 {
	hashes := buffer[:min(len(buffer), len(keys))]
	for i := range hashes {
		hashes[i] = f.key.Hash(keys[i])
	}
	return hashes
}
