package plain

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/probe"
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

// InsertIfAbsent inserts a key unless it is present, and reports whether it was. A key that is
// present changes no bit either way; here it does not count as an insert either, so that repeats do
// not raise what State and Inserts say. Only a filter that never deletes may leave out an insert:
// elsewhere a member that was left out, as a false positive, is lost with the next delete. The only
// error is [filter.ErrClosed].
func (f *Filter) InsertIfAbsent(key []byte) (present bool, err error) {
	if f.Closed() {
		return false, filter.ErrClosed
	}
	return f.InsertHashIfAbsent(f.Key().Hash(key))
}

// InsertStringIfAbsent is InsertIfAbsent for the bytes of a string.
func (f *Filter) InsertStringIfAbsent(key string) (present bool, err error) {
	return f.InsertIfAbsent(unsafe.Slice(unsafe.StringData(key), len(key)))
}

// InsertUint64IfAbsent is InsertIfAbsent for the 8 bytes of a uint64.
func (f *Filter) InsertUint64IfAbsent(key uint64) (present bool, err error) {
	if f.Closed() {
		return false, filter.ErrClosed
	}
	return f.InsertHashIfAbsent(f.Key().HashUint64(key))
}

// InsertHashIfAbsent is InsertIfAbsent for the key of a hash.
func (f *Filter) InsertHashIfAbsent(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	if present = t.Insert(hash); !present {
		t.count(1)
	}
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

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The only error is
// [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	return base.InsertBatch(&f.Body, hashes, present, (*table).Insert, (*table).count)
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryBatch(&f.Body, hashes, present, (*table).QueryGroup)
}

// AppendPositions appends the k positions of the bits of a hash to p: see [filter.Clearer]. Some of
// them may be equal.
func (f *Filter) AppendPositions(p []uint64, hash uint64) []uint64 {
	t := base.Open(&f.Body)
	base, x := t.Base(hash), hash
	for range t.Hashes {
		x = probe.Next(x)
		p = append(p, base+probe.Reduce(x, t.Span))
	}
	return p
}

// ClearBits clears the bits at the positions p: see [filter.Clearer]. Every member that has one of
// these bits is lost, against the promise of the kind. ClearBits panics, before it clears any bit,
// if a position is not in the table.
func (f *Filter) ClearBits(p []uint64) {
	t := base.Open(&f.Body)
	for _, position := range p {
		if position >= t.Bits() {
			panic(fmt.Sprintf("plain: ClearBits: bit %d of %d", position, t.Bits()))
		}
	}
	for _, position := range p {
		t.Words[position/64] &^= 1 << (position % 64)
	}
	runtime.KeepAlive(t)
}
