package dlbf

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// InsertHash inserts the key of a hash, and reports whether it was present before. The only error
// is [filter.ErrClosed].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := f.table.Load()
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.Insert(hash)
	runtime.KeepAlive(t)
	f.history.Inserts = filter.Total(f.history.Inserts, 1)
	return present, nil
}

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	t := f.table.Table()
	present := t.Query(hash)
	runtime.KeepAlive(t)
	return present
}

// DeleteHash deletes the key of a hash, which must be a member: see [Array.Delete]. A key that was
// inserted more than once has a collision in each of its regions, so it is Retained.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := f.table.Table()
	status := t.Delete(hash)
	runtime.KeepAlive(t)
	f.history.Note(status)
	return status
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The only error is
// [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	filter.InsertEach(hashes, present, t.Insert)
	runtime.KeepAlive(t)
	f.history.Inserts = filter.Total(f.history.Inserts, uint64(len(hashes)))
	return len(hashes), nil
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	t := f.table.Table()
	count = filter.QueryEach(hashes, present, t.queryGroup)
	runtime.KeepAlive(t)
	return count
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another. It returns
// how many of them were Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	t := f.table.Table()
	deleted = filter.DeleteEach(hashes, status, func(hash uint64) filter.Status {
		status := t.Delete(hash)
		f.history.Note(status)
		return status
	})
	runtime.KeepAlive(t)
	return deleted
}
