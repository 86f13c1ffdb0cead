package deletable

// The operations on uint64 keys: a key is its 8 bytes, the least significant first, so that the same
// key as bytes is the same member.

// InsertUint64 inserts a key, which must not be a member, and reports whether it was present
// before: a false positive then, which is inserted all the same.
func (f *Filter) InsertUint64(key uint64) bool { return f.InsertHash(f.HashUint64(key)) }

// QueryUint64 reports whether a key is present: true for every member, and for a false positive.
func (f *Filter) QueryUint64(key uint64) bool { return f.QueryHash(f.HashUint64(key)) }

// DeleteUint64 deletes a key, which must be a member. Where it is not present nothing changes and
// the status is Absent.
func (f *Filter) DeleteUint64(key uint64) Status { return f.DeleteHash(f.HashUint64(key)) }

// InsertUint64Batch inserts keys one after another and returns how many were present before. Bit i
// of hits[i/64] says whether keys[i] was; hits may be nil, or else has a word for each 64 keys.
func (f *Filter) InsertUint64Batch(keys, hits []uint64) int {
	requireHits("InsertUint64Batch", len(keys), hits)
	f.open()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.uint64Hashes(buffer[:], keys[start:])
		count += f.InsertHashBatch(hashes, words(hits, start))
	}
	return count
}

// QueryUint64Batch queries keys and returns how many are present. Bit i of hits[i/64] says whether
// keys[i] is; hits may be nil, or else has a word for each 64 keys.
func (f *Filter) QueryUint64Batch(keys, hits []uint64) int {
	requireHits("QueryUint64Batch", len(keys), hits)
	f.open()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.uint64Hashes(buffer[:], keys[start:])
		count += f.QueryHashBatch(hashes, words(hits, start))
	}
	return count
}

// DeleteUint64Batch deletes keys, which must be members, one after another, and returns how many
// were Deleted. status[i] is the status of keys[i]; status may be nil, or else has an element a key.
func (f *Filter) DeleteUint64Batch(keys []uint64, status []Status) int {
	requireStatus("DeleteUint64Batch", len(keys), status)
	f.open()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.uint64Hashes(buffer[:], keys[start:])
		count += f.DeleteHashBatch(hashes, statuses(status, start))
	}
	return count
}

// uint64Hashes returns, in buffer, the hashes of as many of the keys as it has room for.
func (f *Filter) uint64Hashes(buffer []uint64, keys []uint64) []uint64 {
	hashes := buffer[:min(len(buffer), len(keys))]
	for i := range hashes {
		hashes[i] = f.HashUint64(keys[i])
	}
	return hashes
}
