package base

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/lengths"
)

// InsertEach is an InsertHashBatch for a kind whose inserts cannot fail and that has no faster way.
// It calls insert, which reports whether the hash was present before, for one hash after another.
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

// QueryEach is a QueryHashBatch made from query, which answers up to 64 hashes: bit i of its result
// says whether group[i] is present.
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

// DeleteEach is a DeleteHashBatch for a kind that has no faster way. It calls remove, which returns
// the status, for one hash after another.
func DeleteEach(
	hashes []uint64,
	status []filter.Status,
	remove func(hash uint64) filter.Status,
) (deleted int) {
	RequireStatus("DeleteHashBatch", len(hashes), status)
	for i, hash := range hashes {
		found := remove(hash)
		if found == filter.Deleted {
			deleted++
		}
		if status != nil {
			status[i] = found
		}
	}
	return deleted
}

// RequirePresent panics if present is not nil and too short for the answers for n keys. op names
// the operation in the message.
func RequirePresent(op string, n int, present []uint64) { lengths.RequirePresent(op, n, present) }

// RequireStatus panics if status is not nil and has fewer than n elements.
func RequireStatus(op string, n int, status []filter.Status) {
	lengths.RequireStatus(op, n, status)
}

// RequireCounts panics if counts has fewer than n elements.
func RequireCounts(op string, n int, counts []uint64) { lengths.RequireCounts(op, n, counts) }
