package counting

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
	present = t.insert(hash)
	runtime.KeepAlive(t)
	f.history.Inserts = min(f.history.Inserts+1, filter.MaxCount)
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

// DeleteHash deletes the key of a hash, which must be a member, once. The status is Absent if the
// key is not present; then nothing changes. It is Deleted if a cell went to 0, so that the key is
// no longer present. It is Retained if the key is still present: other keys have its cells, the
// cells are saturated, or the key is still a member.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := f.table.Table()
	status := t.delete(hash)
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
	filter.InsertEach(hashes, present, t.insert)
	runtime.KeepAlive(t)
	f.history.Inserts = min(f.history.Inserts+uint64(len(hashes)), filter.MaxCount)
	return len(hashes), nil
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	t := f.table.Table()
	count = filter.QueryEach(hashes, present, t.QueryGroup)
	runtime.KeepAlive(t)
	return count
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another. It returns
// how many of them were Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	t := f.table.Table()
	deleted = filter.DeleteEach(hashes, status, func(hash uint64) filter.Status {
		status := t.delete(hash)
		f.history.Note(status)
		return status
	})
	runtime.KeepAlive(t)
	return deleted
}
