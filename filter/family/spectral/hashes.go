package spectral

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// core is what the filters have in common: F is one of them. Their single operations, but for
// counts, stand in each of them, because a call of a method of a core takes 1.5 ns more.
type core[F any] struct {
	base.Body[F, table, *table]
}

// deleter is the core of filters that delete.
type deleter[F any] struct{ core[F] }

// Members returns the number of members, each counted as often as it is in: the inserts less the
// deletes that found their key.
func (f *core[F]) Members() int { return base.Open(&f.Body).history.Members() }

// InsertHash inserts the key of a hash once, and reports whether it was present before. The only
// error is [filter.ErrClosed].
func (f *MinimumSelection) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.add(hash, 1)
	t.note(1)
	runtime.KeepAlive(t)
	return present, nil
}

// InsertHash inserts the key of a hash once, and reports whether it was present before. The only
// error is [filter.ErrClosed].
func (f *MinimalIncrease) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.add(hash, 1)
	t.note(1)
	runtime.KeepAlive(t)
	return present, nil
}

// InsertHash inserts the key of a hash once, and reports whether it was present before. The only
// error is [filter.ErrClosed].
func (f *RecurringMinimum) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.add(hash, 1)
	t.note(1)
	runtime.KeepAlive(t)
	return present, nil
}

// AddHash inserts the key of a hash the given number of times, which may be 0: see
// [filter.Counter]. The only error is [filter.ErrClosed].
func (f *core[F]) AddHash(hash, times uint64) error {
	t := base.Live(&f.Body)
	if t == nil {
		return filter.ErrClosed
	}
	if times > 0 {
		t.add(hash, times)
		t.note(times)
	}
	runtime.KeepAlive(t)
	return nil
}

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *MinimumSelection) QueryHash(hash uint64) bool { return base.Open(&f.Body).query(hash) }

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *MinimalIncrease) QueryHash(hash uint64) bool { return base.Open(&f.Body).query(hash) }

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *RecurringMinimum) QueryHash(hash uint64) bool { return base.Open(&f.Body).query(hash) }

// CountHash returns how many times the key of a hash is a member, or more: see [filter.Counter].
// With a recurring minimum it may also be less.
func (f *core[F]) CountHash(hash uint64) uint64 {
	t := base.Open(&f.Body)
	count := t.count(hash)
	runtime.KeepAlive(t)
	return count
}

// DeleteHash deletes the key of a hash, which must be a member, once. The status is Absent if the
// key is not present; then nothing changes. It is Deleted if the key is no longer present. It is
// Retained if it still is: as a member, or as a false positive.
func (f *MinimumSelection) DeleteHash(hash uint64) filter.Status {
	return base.Open(&f.Body).delete(hash)
}

// DeleteHash deletes the key of a hash, which must be a member, once. The status is Absent if the
// key is not present; then nothing changes. It is Deleted if the key is no longer present. It is
// Retained if it still is: as a member, or as a false positive.
func (f *RecurringMinimum) DeleteHash(hash uint64) filter.Status {
	return base.Open(&f.Body).delete(hash)
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The only error is
// [filter.ErrClosed].
func (f *core[F]) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	next := hashes
	return base.InsertBatch(&f.Body, hashes, present, func(t *table, hash uint64) bool {
		if len(next)%ahead == len(hashes)%ahead {
			t.first.touch(next[:min(ahead, len(next))])
		}
		next = next[1:]
		return t.add(hash, 1)
	}, func(t *table, inserts int) { t.note(uint64(inserts)) })
}

// AddHashBatch inserts hashes[i] times[i] times: see [filter.Counter]. The only error is
// [filter.ErrClosed].
func (f *core[F]) AddHashBatch(hashes, times []uint64) (n int, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return 0, filter.ErrClosed
	}
	base.RequireCounts("AddHashBatch", len(hashes), times)
	for i, hash := range hashes {
		if i%ahead == 0 {
			t.first.touch(hashes[i:min(i+ahead, len(hashes))])
		}
		if times[i] > 0 {
			t.add(hash, times[i])
			t.note(times[i])
		}
	}
	runtime.KeepAlive(t)
	return len(hashes), nil
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *core[F]) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryBatch(&f.Body, hashes, present, func(t *table, group []uint64) uint64 {
		return t.first.queryGroup(group)
	})
}

// CountHashBatch writes the count of hashes[i] to counts[i]: see [filter.Counter].
func (f *core[F]) CountHashBatch(hashes, counts []uint64) {
	t := base.Open(&f.Body)
	base.RequireCounts("CountHashBatch", len(hashes), counts)
	for i, hash := range hashes {
		if i%ahead == 0 {
			t.first.touch(hashes[i:min(i+ahead, len(hashes))])
		}
		counts[i] = t.count(hash)
	}
	runtime.KeepAlive(t)
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another. It returns
// how many of them were Deleted: see [filter.Deleter].
func (f *deleter[F]) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	next := hashes
	return base.DeleteBatch(&f.Body, hashes, status, func(t *table, hash uint64) filter.Status {
		if len(next)%ahead == len(hashes)%ahead {
			t.first.touch(next[:min(ahead, len(next))])
		}
		next = next[1:]
		return t.remove(hash)
	})
}
