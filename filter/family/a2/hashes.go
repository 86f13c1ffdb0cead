package a2

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// InsertHash inserts the key of a hash, unless the first buffer shows it already, and reports
// whether either buffer showed it before. So the result is the answer to whether the stream had the
// key in its window. The only error is [filter.ErrClosed].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.insert(hash)
	runtime.KeepAlive(t)
	return present, nil
}

// QueryHash reports whether the key of a hash is present: true for every key in the window and for
// each false positive. It changes nothing: to keep a key because it was queried, insert it.
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Open(&f.Body)
	present := t.query(hash)
	runtime.KeepAlive(t)
	return present
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The only error is
// [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	return base.InsertBatch(&f.Body, hashes, present, (*table).insert, nil)
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryBatch(&f.Body, hashes, present, (*table).queryGroup)
}
