package dlbf

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// InsertHash inserts the key of a hash, and reports whether it was present before. The only error
// is [filter.ErrClosed].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.Insert(hash)
	t.count(1)
	runtime.KeepAlive(t)
	return present, nil
}

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Open(&f.Body)
	present := t.Query(hash)
	runtime.KeepAlive(t)
	return present
}

// DeleteHash deletes the key of a hash, which must be a member: see [Array.Delete]. A key that was
// inserted more than once has a collision in each of its regions, so it is Retained.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := base.Open(&f.Body)
	status := t.delete(hash)
	runtime.KeepAlive(t)
	return status
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The only error is
// [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	return base.InsertBatch(&f.Body, hashes, present, (*table).Insert, (*table).count)
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
