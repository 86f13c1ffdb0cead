package base

import (
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/lengths"
)

// QueryBatch is a QueryHashBatch: see [filter.Querier]. query answers up to 64 hashes, bit i for
// hash i.
func QueryBatch[F, T any, P Table[T]](
	b *Body[F, T, P],
	hashes, present []uint64,
	query func(t P, group []uint64) uint64,
) (found int) {
	t := Open(b)
	RequirePresent("QueryHashBatch", len(hashes), present)
	for start := 0; start < len(hashes); start += 64 {
		word := query(t, hashes[start:min(start+64, len(hashes))])
		found += bits.OnesCount64(word)
		if present != nil {
			present[start/64] = word
		}
	}
	runtime.KeepAlive(t)
	return found
}

// InsertBatch is an InsertHashBatch, of inserts that cannot fail: see [filter.Set]. The only error
// is [filter.ErrClosed]. count, unless it is nil, counts the inserts.
func InsertBatch[F, T any, P Table[T]](
	b *Body[F, T, P],
	hashes, present []uint64,
	insert func(t P, hash uint64) (present bool),
	count func(t P, inserts int),
) (n int, err error) {
	t := Live(b)
	if t == nil {
		return 0, filter.ErrClosed
	}
	InsertEach(t, hashes, present, insert)
	if count != nil {
		count(t, len(hashes))
	}
	runtime.KeepAlive(t)
	return len(hashes), nil
}

// DeleteBatch is a DeleteHashBatch: see [filter.Deleter].
func DeleteBatch[F, T any, P Table[T]](
	b *Body[F, T, P],
	hashes []uint64,
	status []filter.Status,
	remove func(t P, hash uint64) filter.Status,
) (deleted int) {
	t := Open(b)
	deleted = DeleteEach(t, hashes, status, remove)
	runtime.KeepAlive(t)
	return deleted
}

// InsertEach inserts hashes one after another into t, a table or a filter without a [Body], as
// InsertHashBatch does. insert cannot fail, and reports whether the hash was present before.
func InsertEach[T any](
	t T,
	hashes, present []uint64,
	insert func(t T, hash uint64) (present bool),
) {
	callEach("InsertHashBatch", t, hashes, present, insert)
}

// QueryEach queries hashes one after another in t, a table or a filter without a [Body], as
// QueryHashBatch does.
func QueryEach[T any](
	t T,
	hashes, present []uint64,
	query func(t T, hash uint64) (present bool),
) (found int) {
	return callEach("QueryHashBatch", t, hashes, present, query)
}

// callEach calls a function for each hash, stores the answers, and returns how many are true.
func callEach[T any](
	op string,
	t T,
	hashes, present []uint64,
	call func(t T, hash uint64) (present bool),
) (found int) {
	RequirePresent(op, len(hashes), present)
	for start := 0; start < len(hashes); start += 64 {
		word := uint64(0)
		for i, hash := range hashes[start:min(start+64, len(hashes))] {
			if call(t, hash) {
				word |= 1 << i
			}
		}
		found += bits.OnesCount64(word)
		if present != nil {
			present[start/64] = word
		}
	}
	return found
}

// DeleteEach deletes hashes one after another from t, a table or a filter without a [Body], as
// DeleteHashBatch does.
func DeleteEach[T any](
	t T,
	hashes []uint64,
	status []filter.Status,
	remove func(t T, hash uint64) filter.Status,
) (deleted int) {
	RequireStatus("DeleteHashBatch", len(hashes), status)
	for i, hash := range hashes {
		found := remove(t, hash)
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
