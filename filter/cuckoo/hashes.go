package cuckoo

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// InsertHash inserts the key of a hash, and reports whether it was present before. The error is a
// *[FullError] or [filter.ErrClosed], and then nothing has changed.
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := f.table.Load()
	if t == nil {
		return false, filter.ErrClosed
	}
	present, inserted := t.insert(hash, &f.kicks)
	runtime.KeepAlive(t)
	if !inserted {
		return present, f.full(t)
	}
	f.grow(t)
	return present, nil
}

// grow counts a member. There are never more members than slots, unless a file stated more than it
// has.
func (f *Filter) grow(t *table) { f.members = min(f.members+1, t.slots()) }

func (f *Filter) full(t *table) error { return &FullError{int(f.members), int(t.slots())} }

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	t := f.table.Table()
	present := t.query(hash)
	runtime.KeepAlive(t)
	return present
}

// DeleteHash deletes the key of a hash, which must be a member, once. The status is Absent if the
// key is not present; then nothing changes. Else it is Deleted, also if the key is still a member,
// because it was inserted more than once.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := f.table.Table()
	status := f.delete(t, hash)
	runtime.KeepAlive(t)
	return status
}

func (f *Filter) delete(t *table, hash uint64) filter.Status {
	if !t.delete(hash) {
		return filter.Absent
	}
	if f.members > 0 { // unless a file stated fewer members than it has
		f.members--
	}
	return filter.Deleted
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. It stops at the
// first key that finds no place, with a *[FullError], although there may be a place for a later
// one. The other error is [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	filter.RequirePresent("InsertHashBatch", len(hashes), present)
	if present != nil {
		clear(present[:filter.Words(len(hashes))])
	}
	for n = range hashes {
		was, inserted := t.insert(hashes[n], &f.kicks)
		if !inserted {
			runtime.KeepAlive(t)
			return n, f.full(t)
		}
		f.grow(t)
		if was && present != nil {
			present[n/64] |= 1 << (n % 64)
		}
	}
	runtime.KeepAlive(t)
	return len(hashes), nil
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	filter.RequirePresent("QueryHashBatch", len(hashes), present)
	t := f.table.Table()
	for start := 0; start < len(hashes); start += 64 {
		word := uint64(0)
		for i, hash := range hashes[start:min(start+64, len(hashes))] {
			if t.query(hash) { // has no branches so far, so the misses of several overlap
				word |= 1 << i
				count++
			}
		}
		if present != nil {
			present[start/64] = word
		}
	}
	runtime.KeepAlive(t)
	return count
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another. It returns
// how many of them were Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	t := f.table.Table()
	deleted = filter.DeleteEach(hashes, status,
		func(hash uint64) filter.Status { return f.delete(t, hash) })
	runtime.KeepAlive(t)
	return deleted
}
