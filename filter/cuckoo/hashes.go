package cuckoo

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// InsertHash inserts the key of a hash, and reports whether it was present before. The error is a
// *[FullError] or [filter.ErrClosed], and then nothing has changed.
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present, inserted := t.insert(hash)
	runtime.KeepAlive(t)
	if !inserted {
		return present, t.full()
	}
	return present, nil
}

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Open(&f.Body)
	present := t.query(hash)
	runtime.KeepAlive(t)
	return present
}

// DeleteHash deletes the key of a hash, which must be a member, once. The status is Absent if the
// key is not present; then nothing changes. Else it is Deleted, also if the key is still a member,
// because it was inserted more than once.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := base.Open(&f.Body)
	status := t.delete(hash)
	runtime.KeepAlive(t)
	return status
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. It stops at the
// first key that finds no place, with a *[FullError], although there may be a place for a later
// one. The other error is [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return 0, filter.ErrClosed
	}
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	if present != nil {
		clear(present[:filter.Words(len(hashes))])
	}
	for n = range hashes {
		was, inserted := t.insert(hashes[n])
		if !inserted {
			runtime.KeepAlive(t)
			return n, t.full()
		}
		if was && present != nil {
			present[n/64] |= 1 << (n % 64)
		}
	}
	runtime.KeepAlive(t)
	return len(hashes), nil
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryBatch(&f.Body, hashes, present, (*table).queryGroup)
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another. It returns
// how many of them were Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	return base.DeleteBatch(&f.Body, hashes, status, (*table).delete)
}
