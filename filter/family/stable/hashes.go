package stable

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// InsertHash inserts the key of a hash, and reports whether it was present before: as a duplicate,
// or as a false positive. A key that is in already becomes as young as a new one. The only error is
// [filter.ErrClosed].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.insert(hash)
	t.count(1)
	runtime.KeepAlive(t)
	return present, nil
}

// QueryHash reports whether the key of a hash is present: true for most of the keys in the window
// and for each false positive.
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Open(&f.Body)
	present := t.Query(hash)
	runtime.KeepAlive(t)
	return present
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The only error is
// [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	return base.InsertBatch(&f.Body, hashes, present, (*table).insert, (*table).count)
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryBatch(&f.Body, hashes, present, (*table).QueryGroup)
}
