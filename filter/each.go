package filter

import "math/bits"

// InsertEach inserts hashes one after another by a function that reports whether a hash was present
// before: an InsertHashBatch of a kind that has no faster one, and cannot refuse.
func InsertEach(hashes, present []uint64, insert func(hash uint64) (present bool)) {
	RequirePresent("InsertHashBatch", len(hashes), present)
	for start := 0; start < len(hashes); start += 64 {
		word := uint64(0)
		for i, hash := range hashes[start:min(start+64, len(hashes))] {
			if insert(hash) {
				word |= 1 << i
			}
		}
		if present != nil {
			present[start/64] = word
		}
	}
}

// QueryEach queries hashes by a function that answers up to 64 of them, bit i for hash i, and
// returns how many are present: a QueryHashBatch.
func QueryEach(hashes, present []uint64, query func(group []uint64) uint64) (count int) {
	RequirePresent("QueryHashBatch", len(hashes), present)
	for start := 0; start < len(hashes); start += 64 {
		word := query(hashes[start:min(start+64, len(hashes))])
		count += bits.OnesCount64(word)
		if present != nil {
			present[start/64] = word
		}
	}
	return count
}

// DeleteEach deletes hashes one after another by a function that returns the status of one, and
// returns how many were Deleted: a DeleteHashBatch of a kind that has no faster one.
func DeleteEach(hashes []uint64, status []Status, remove func(hash uint64) Status) (deleted int) {
	RequireStatus("DeleteHashBatch", len(hashes), status)
	for i, hash := range hashes {
		found := remove(hash)
		if found == Deleted {
			deleted++
		}
		if status != nil {
			status[i] = found
		}
	}
	return deleted
}
