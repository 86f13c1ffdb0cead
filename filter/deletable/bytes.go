package deletable

// Insert inserts a key, which must not be a member, and reports whether it was present before: a
// false positive then, which is inserted all the same.
func (f *Filter) Insert(key []byte) bool { return f.InsertHash(f.Hash(key)) }

// Query reports whether a key is present: true for every member, and for a false positive.
func (f *Filter) Query(key []byte) bool { return f.QueryHash(f.Hash(key)) }

// Delete deletes a key, which must be a member. Where it is not present nothing changes and the
// status is Absent.
func (f *Filter) Delete(key []byte) Status { return f.DeleteHash(f.Hash(key)) }

// InsertBatch inserts keys one after another and returns how many were present before. Bit i of
// hits[i/64] says whether keys[i] was; hits may be nil, or else has a word for each 64 keys.
func (f *Filter) InsertBatch(keys [][]byte, hits []uint64) int {
	requireHits("InsertBatch", len(keys), hits)
	f.open()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.hashes(buffer[:], keys[start:])
		count += f.InsertHashBatch(hashes, words(hits, start))
	}
	return count
}

// QueryBatch queries keys and returns how many are present. Bit i of hits[i/64] says whether
// keys[i] is; hits may be nil, or else has a word for each 64 keys.
func (f *Filter) QueryBatch(keys [][]byte, hits []uint64) int {
	requireHits("QueryBatch", len(keys), hits)
	f.open()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.hashes(buffer[:], keys[start:])
		count += f.QueryHashBatch(hashes, words(hits, start))
	}
	return count
}

// DeleteBatch deletes keys, which must be members, one after another, and returns how many were
// Deleted. status[i] is the status of keys[i]; status may be nil, or else has an element a key.
func (f *Filter) DeleteBatch(keys [][]byte, status []Status) int {
	requireStatus("DeleteBatch", len(keys), status)
	f.open()
	count := 0
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := f.hashes(buffer[:], keys[start:])
		count += f.DeleteHashBatch(hashes, statuses(status, start))
	}
	return count
}

// hashes returns, in buffer, the hashes of as many of the keys as it has room for.
func (f *Filter) hashes(buffer []uint64, keys [][]byte) []uint64 {
	hashes := buffer[:min(len(buffer), len(keys))]
	for i := range hashes {
		hashes[i] = f.Hash(keys[i])
	}
	return hashes
}
