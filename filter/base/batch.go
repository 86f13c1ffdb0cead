package base

import (
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// QueryBatch is a QueryHashBatch: see [filter.Querier]. query answers up to 64 hashes, bit i for
// hash i.
func QueryBatch[F, T any, P Table[T]](
	b *Body[F, T, P],
	hashes, present []uint64,
	query func(t P, group []uint64) uint64,
) (count int) {
	t := Open(b)
	RequirePresent("QueryHashBatch", len(hashes), present)
	for start := 0; start < len(hashes); start += 64 {
		word := query(t, hashes[start:min(start+64, len(hashes))])
		count += bits.OnesCount64(word)
		if present != nil {
			present[start/64] = word
		}
	}
	runtime.KeepAlive(t)
	return count
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
	RequirePresent("InsertHashBatch", len(hashes), present)
	for start := 0; start < len(hashes); start += 64 {
		word := uint64(0)
		for i, hash := range hashes[start:min(start+64, len(hashes))] {
			if insert(t, hash) {
				word |= 1 << i
			}
		}
		if present != nil {
			present[start/64] = word
		}
	}
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
	runtime.KeepAlive(t)
	return deleted
}
