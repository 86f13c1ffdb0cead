package deletable

import (
	"fmt"
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/kernel"
)

// chunk is the number of keys whose statuses are collected in a buffer on the stack.
const chunk = 512

// The operations on hashes take keys that the caller has hashed: with Hash, or in any way that
// gives uniform 64-bit hashes. Keys whose hashes are not uniform crowd into few blocks.

// InsertHash inserts the key of a hash, which must not be a member, and reports whether it was
// present before: a false positive then, which is inserted all the same. Its error is
// [filter.ErrClosed].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := f.table.Load()
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.blocks.Insert(hash)
	runtime.KeepAlive(t)
	f.history.Inserts = filter.Total(f.history.Inserts, 1)
	return present, nil
}

// QueryHash reports whether the key of a hash is present: true for every member, and for a false
// positive.
func (f *Filter) QueryHash(hash uint64) bool { return query(f.table.Load(), hash) }

// query is QueryHash in a table: [fallback.Query], written out. So QueryHash is inlined, and a
// query is one call; with a call of [kernel.Table512.Query] in it, it is two. In the L1 of a Xeon
// (48 KiB, AMX) that took 1.24 times what a filter took whose table could not be closed, written
// out 1.14, and without the check of the stack, which panic brings, 1.08.
//
//go:nosplit
func query(t *table, hash uint64) bool {
	if t == nil {
		panic(errClosed)
	}
	const b, position = 6, laneBits - 1
	block, g := &t.blocks[fallback.Index(hash, uint64(len(t.blocks)))], fallback.Spread(hash)
	if fallback.Race {
		loaded := fallback.LoadBlock((*[fallback.Lanes]uint64)(block))
		block = (*kernel.Block512)(&loaded)
	}
	g = bits.RotateLeft64(g, b)
	all := block[1] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[2] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[3] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[4] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[5] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[6] >> (g & position)
	g = bits.RotateLeft64(g, b)
	all &= block[7] >> (g & position)
	runtime.KeepAlive(t)
	return all&1 != 0
}

// PrefetchHash brings the block of a hash into the caches and does not wait for it: see
// [filter.Prefetcher].
func (f *Filter) PrefetchHash(hash uint64) {
	t := f.table.Table()
	t.blocks.Prefetch(hash)
	runtime.KeepAlive(t)
}

// DeleteHash deletes the key of a hash, which must be a member. Where it is not present nothing
// changes and the status is Absent.
func (f *Filter) DeleteHash(hash uint64) Status {
	t := f.table.Table()
	status := t.blocks.Delete(hash)
	runtime.KeepAlive(t)
	f.history.Note(status)
	return status
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. Its error is
// [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	filter.RequirePresent("InsertHashBatch", len(hashes), present)
	t.blocks.InsertBatch(hashes, present)
	runtime.KeepAlive(t)
	f.history.Inserts = filter.Total(f.history.Inserts, uint64(len(hashes)))
	return len(hashes), nil
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) int {
	filter.RequirePresent("QueryHashBatch", len(hashes), present)
	t := f.table.Table()
	count := t.blocks.QueryBatch(hashes, present)
	runtime.KeepAlive(t)
	return count
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another, and returns
// how many were Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []Status) int {
	filter.RequireStatus("DeleteHashBatch", len(hashes), status)
	t := f.table.Table()
	count := 0
	var buffer [chunk]Status // the counters need every status, also where the caller needs none
	for start := 0; start < len(hashes); start += chunk {
		group := hashes[start:min(start+chunk, len(hashes))]
		found := buffer[:len(group)]
		count += t.blocks.DeleteBatch(group, found)
		for _, s := range found {
			f.history.Note(s)
		}
		if status != nil {
			copy(status[start:], found)
		}
	}
	runtime.KeepAlive(t)
	return count
}

// AppendPositions appends the positions of a hash's bits, one in each data lane: see
// [filter.Clearer]. Bit i is bit i%64 of lane i/64%8 of block i/512.
func (f *Filter) AppendPositions(p []uint64, hash uint64) []uint64 {
	block, g := fallback.Index(hash, uint64(len(f.table.Table().blocks))), fallback.Spread(hash)
	for lane := uint64(1); lane < fallback.Lanes; lane++ {
		p = append(p, (block*fallback.Lanes+lane)*laneBits+fallback.Position[uint64](g, uint(lane)))
	}
	return p
}

// ClearBits clears bits of data lanes: see [filter.Clearer]. Every member that has one of them is
// lost: with it the filter breaks its promise. Collision bits stay. It panics where there is no
// such bit, and has cleared none then.
func (f *Filter) ClearBits(p []uint64) {
	t := f.table.Table()
	words := t.blocks.Words()
	for _, i := range p {
		if lane := i / laneBits; lane >= uint64(len(words)) || lane%fallback.Lanes == 0 {
			panic(fmt.Sprintf("deletable: ClearBits: bit %d of %d, or of a collision lane", i,
				uint64(len(words))*laneBits))
		}
	}
	for _, i := range p {
		words[i/laneBits] &^= 1 << (i % laneBits)
	}
	runtime.KeepAlive(t)
}
