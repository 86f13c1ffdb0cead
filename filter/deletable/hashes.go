package deletable

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// chunk is the number of keys whose statuses are collected in a buffer on the stack.
const chunk = 512

// InsertHash inserts the key with this hash, which must not be a member. It reports whether the key
// was present before, as a false positive. The hash must be uniform: take it from
// [filter.Keyed.Hash], or from another good hash function. The error is [filter.ErrClosed].
//
// It counts first, so that nothing is kept across the call but the table, and does without the
// check of the stack: docs/measurements/kinds.md has what both gain.
//
//go:nosplit
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	t.history.Inserts = base.Total(t.history.Inserts, 1)
	present = t.blocks.Insert(hash)
	runtime.KeepAlive(t)
	return present, nil
}

// Query reports whether a key is present: see [filter.Querier]. It does not use what is embedded:
// the bytes of the key and its hash go down in a straight line, which takes a quarter less time.
func (f *Filter) Query(key []byte) bool {
	t := base.Live(&f.Body)
	if t == nil {
		panic(errClosed)
	}
	present := f.Key().QueryTable(t.blocks, key)
	runtime.KeepAlive(t)
	return present
}

// QueryString is Query for the bytes of a string.
func (f *Filter) QueryString(key string) bool {
	return f.Query(unsafe.Slice(unsafe.StringData(key), len(key)))
}

// PrefetchHash starts to load the block of a hash into the caches, and returns at once: see
// [filter.Prefetcher].
func (f *Filter) PrefetchHash(hash uint64) {
	t := base.Open(&f.Body)
	t.blocks.Prefetch(hash)
	runtime.KeepAlive(t)
}

// DeleteHash deletes the key with this hash, which must be a member. If it is not present, nothing
// changes and the status is Absent.
func (f *Filter) DeleteHash(hash uint64) Status {
	t := base.Open(&f.Body)
	status := t.blocks.Delete(hash)
	t.history.Note(status)
	if status == Absent {
		f.absent++
	}
	runtime.KeepAlive(t)
	return status
}

// InsertHashBatch inserts hashes one after another: see [filter.Set]. The error is
// [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return 0, filter.ErrClosed
	}
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	t.blocks.QueryInsertBatch(hashes, present)
	t.history.Inserts = base.Total(t.history.Inserts, uint64(len(hashes)))
	runtime.KeepAlive(t)
	return len(hashes), nil
}

// QueryHashBatch queries hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) int {
	base.RequirePresent("QueryHashBatch", len(hashes), present)
	t := base.Open(&f.Body)
	count := t.blocks.QueryBatch(hashes, present)
	runtime.KeepAlive(t)
	return count
}

// DeleteHashBatch deletes hashes, which must be members, one after another. It returns how many
// have the status Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []Status) int {
	base.RequireStatus("DeleteHashBatch", len(hashes), status)
	t := base.Open(&f.Body)
	count := 0
	var buffer [chunk]Status // the counters need every status, even if the caller needs none
	for start := 0; start < len(hashes); start += chunk {
		group := hashes[start:min(start+chunk, len(hashes))]
		found := buffer[:len(group)]
		count += t.blocks.DeleteBatch(group, found)
		for _, s := range found {
			t.history.Note(s)
			if s == Absent {
				f.absent++
			}
		}
		if status != nil {
			copy(status[start:], found)
		}
	}
	runtime.KeepAlive(t)
	return count
}

// AppendPositions appends the positions of the bits of a hash to p, one per data lane: see
// [filter.Clearer]. Position i is bit i%64 of lane i/64%8 of block i/512.
func (f *Filter) AppendPositions(p []uint64, hash uint64) []uint64 {
	block, g := fallback.Index(hash, uint64(len(base.Open(&f.Body).blocks))), fallback.Spread(hash)
	for lane := uint64(1); lane < fallback.Lanes; lane++ {
		p = append(p, (block*fallback.Lanes+lane)*laneBits+fallback.Position[uint64](g, uint(lane)))
	}
	return p
}

// ClearBits clears the bits at the positions p: see [filter.Clearer]. A member that has one of
// these bits is no longer found, so the filter no longer promises to find every member. It panics
// if a position lies in a collision lane or beyond the table, before it clears any bit.
func (f *Filter) ClearBits(p []uint64) {
	t := base.Open(&f.Body)
	words := t.blocks.Words()
	for _, i := range p {
		if lane := i / laneBits; lane >= uint64(len(words)) || lane%fallback.Lanes == 0 {
			panic(fmt.Sprintf("deletable: ClearBits: bit %d is beyond the %d bits, or in a "+
				"collision lane", i, uint64(len(words))*laneBits))
		}
	}
	for _, i := range p {
		words[i/laneBits] &^= 1 << (i % laneBits)
	}
	runtime.KeepAlive(t)
}
