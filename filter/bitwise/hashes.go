package bitwise

import (
	"fmt"
	"math"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// MaxCount is the largest number of members, each as often as it is one. No cell passes 2^64 with
// them: the first level gets each up to MaxHashes times, and a level hands on less than it gets.
const MaxCount = min(1<<57, math.MaxInt)

// FullError is the error of an insert of more members than [MaxCount].
type FullError struct{ Members, Times uint64 }

func (e *FullError) Error() string {
	return fmt.Sprintf("bitwise filter: found %d members and %d to add, expected at most %d",
		e.Members, e.Times, uint64(MaxCount))
}

// admit counts inserts. It returns an error where they are too many, and then counts none.
func (f *Filter) admit(times uint64) error {
	if members := uint64(f.history.Members()); times > MaxCount || members > MaxCount-times {
		return &FullError{members, times}
	}
	f.history.Inserts = filter.Total(f.history.Inserts, times)
	return nil
}

// InsertHash inserts the key of a hash, and reports whether it was present before. Its error is
// [filter.ErrClosed] or a *[FullError].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := f.table.Load()
	if t == nil {
		return false, filter.ErrClosed
	}
	if err := f.admit(1); err != nil {
		return false, err
	}
	present = t.insert(hash)
	runtime.KeepAlive(t)
	return present, nil
}

// AddHash inserts the key of a hash so many times, which may be none. Its error is
// [filter.ErrClosed] or a *[FullError].
func (f *Filter) AddHash(hash, times uint64) error {
	t := f.table.Load()
	if t == nil {
		return filter.ErrClosed
	}
	if err := f.admit(times); err != nil {
		return err
	}
	t.add(hash, times)
	runtime.KeepAlive(t)
	return nil
}

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	t := f.table.Table()
	present := t.query(hash)
	runtime.KeepAlive(t)
	return present
}

// CountHash returns how many times the key of a hash is a member, or more: see [filter.Counter].
func (f *Filter) CountHash(hash uint64) uint64 {
	t := f.table.Table()
	count := t.count(hash)
	runtime.KeepAlive(t)
	return count
}

// DeleteHash deletes the key of a hash, which must be a member, by one. Where it is not present
// nothing changes and the status is Absent. It is Deleted where the key is not present any more;
// and Retained where it is, because others have its cells or it is a member more often.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := f.table.Table()
	status := t.delete(hash)
	runtime.KeepAlive(t)
	f.history.Note(status)
	return status
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. Its error is
// [filter.ErrClosed] or a *[FullError].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	filter.RequirePresent("InsertHashBatch", len(hashes), present)
	n = int(min(uint64(len(hashes)), MaxCount-min(MaxCount, uint64(f.history.Members()))))
	if n < len(hashes) {
		err = &FullError{uint64(f.history.Members()), uint64(len(hashes))}
	}
	if present == nil {
		for _, hash := range hashes[:n] {
			t.add(hash, 1)
		}
	} else {
		filter.InsertEach(hashes[:n], present, t.insert)
	}
	runtime.KeepAlive(t)
	f.history.Inserts = filter.Total(f.history.Inserts, uint64(n))
	return n, err
}

// AddHashBatch inserts hashes[i] times[i] times: see [filter.Counter]. Its error is
// [filter.ErrClosed] or a *[FullError].
func (f *Filter) AddHashBatch(hashes, times []uint64) (n int, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	filter.RequireCounts("AddHashBatch", len(hashes), times)
	for i, hash := range hashes {
		if err = f.admit(times[i]); err != nil {
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
	t := f.table.Table()
	count = filter.QueryEach(hashes, present, t.queryGroup)
	runtime.KeepAlive(t)
	return count
}

// CountHashBatch writes to counts[i] how many times hashes[i] is a member, or more: see
// [filter.Counter].
func (f *Filter) CountHashBatch(hashes, counts []uint64) {
	t := f.table.Table()
	filter.RequireCounts("CountHashBatch", len(hashes), counts)
	for start := 0; start < len(hashes); start += 64 {
		t.countGroup(hashes[start:min(start+64, len(hashes))], counts[start:])
	}
	runtime.KeepAlive(t)
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another, and returns
// how many were Deleted: see [filter.Deleter].
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
