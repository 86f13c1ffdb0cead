package bitwise

import (
	"fmt"
	"math"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// MaxCount is the largest number of members, each counted as often as it is in. With them no cell
// passes 2^64: the first level gets each up to MaxHashes times, and a level hands on less than it
// gets.
const MaxCount = min(1<<57, math.MaxInt)

// FullError is the error of an insert that would make more than [MaxCount] members. It wraps
// [filter.ErrFull].
type FullError struct {
	Members int
	Times   uint64
}

func (e *FullError) Error() string {
	return fmt.Sprintf("bitwise filter: %v: found %d members and %d to add, expected at most %d",
		filter.ErrFull, e.Members, e.Times, uint64(MaxCount))
}

// Unwrap returns [filter.ErrFull].
func (e *FullError) Unwrap() error { return filter.ErrFull }

// InsertHash inserts the key of a hash, and reports whether it was present before. The error is
// [filter.ErrClosed] or a *[FullError], and then nothing has changed.
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	if err := t.admit(1); err != nil {
		return false, err
	}
	present = t.insert(hash)
	runtime.KeepAlive(t)
	return present, nil
}

// AddHash inserts the key of a hash the given number of times, which may be 0. The error is
// [filter.ErrClosed] or a *[FullError], and then nothing has changed.
func (f *Filter) AddHash(hash, times uint64) error {
	t := base.Live(&f.Body)
	if t == nil {
		return filter.ErrClosed
	}
	if err := t.admit(times); err != nil {
		return err
	}
	t.add(hash, times)
	runtime.KeepAlive(t)
	return nil
}

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Open(&f.Body)
	present := t.query(hash)
	runtime.KeepAlive(t)
	return present
}

// CountHash returns how many times the key of a hash is a member, or more: see [filter.Counter].
func (f *Filter) CountHash(hash uint64) uint64 {
	t := base.Open(&f.Body)
	count := t.count(hash)
	runtime.KeepAlive(t)
	return count
}

// DeleteHash deletes the key of a hash, which must be a member, once. The status is Absent if the
// key is not present; then nothing changes. It is Deleted if the key is no longer present. It is
// Retained if it still is, because other keys have its cells or because it is still a member.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := base.Open(&f.Body)
	status := t.delete(hash)
	runtime.KeepAlive(t)
	return status
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The error is
// [filter.ErrClosed] or a *[FullError].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return 0, filter.ErrClosed
	}
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	n = int(min(uint64(len(hashes)), MaxCount-min(MaxCount, uint64(t.history.Members()))))
	if n < len(hashes) {
		err = &FullError{t.history.Members(), uint64(len(hashes))}
	}
	if present == nil {
		for _, hash := range hashes[:n] {
			t.add(hash, 1)
		}
	} else {
		base.InsertEach(t, hashes[:n], present, (*table).insert)
	}
	t.history.Inserts = base.Total(t.history.Inserts, uint64(n))
	runtime.KeepAlive(t)
	return n, err
}

// AddHashBatch inserts hashes[i] times[i] times: see [filter.Counter]. The error is
// [filter.ErrClosed] or a *[FullError].
func (f *Filter) AddHashBatch(hashes, times []uint64) (n int, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return 0, filter.ErrClosed
	}
	base.RequireCounts("AddHashBatch", len(hashes), times)
	for i, hash := range hashes {
		if err = t.admit(times[i]); err != nil {
			break
		}
		t.add(hash, times[i])
		n++
	}
	runtime.KeepAlive(t)
	return n, err
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryBatch(&f.Body, hashes, present, (*table).queryGroup)
}

// CountHashBatch writes to counts[i] how many times hashes[i] is a member, or more: see
// [filter.Counter].
func (f *Filter) CountHashBatch(hashes, counts []uint64) {
	t := base.Open(&f.Body)
	base.RequireCounts("CountHashBatch", len(hashes), counts)
	for start := 0; start < len(hashes); start += 64 {
		t.countGroup(hashes[start:min(start+64, len(hashes))], counts[start:])
	}
	runtime.KeepAlive(t)
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another. It returns
// how many of them were Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	return base.DeleteBatch(&f.Body, hashes, status, (*table).delete)
}
