package spectral

import "github.com/bloomlane/bloomlane/filter"

// InsertHash inserts the key of a hash once, and reports whether it was present before. The only
// error is [filter.ErrClosed].
func (f *core) InsertHash(hash uint64) (present bool, err error) {
	t := f.table.Load()
	if t == nil {
		return false, filter.ErrClosed
	}
	f.history.Inserts = filter.Total(f.history.Inserts, 1)
	return t.add(hash, 1), nil
}

// AddHash inserts the key of a hash the given number of times, which may be 0: see
// [filter.Counter]. The only error is [filter.ErrClosed].
func (f *core) AddHash(hash, times uint64) error {
	t := f.table.Load()
	if t == nil {
		return filter.ErrClosed
	}
	f.addTo(t, hash, times)
	return nil
}

func (f *core) addTo(t *table, hash, times uint64) {
	if times > 0 {
		t.add(hash, times)
		f.note(times)
	}
}

func (f *core) note(times uint64) {
	f.history.Inserts = filter.Total(f.history.Inserts, min(times, filter.MaxCount))
}

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive.
func (f *core) QueryHash(hash uint64) bool { return f.table.Table().first.query(hash) }

// CountHash returns how many times the key of a hash is a member, or more: see [filter.Counter].
// With a recurring minimum it may also be less.
func (f *core) CountHash(hash uint64) uint64 { return f.table.Table().count(hash) }

// DeleteHash deletes the key of a hash, which must be a member, once. The status is Absent if the
// key is not present; then nothing changes. It is Deleted if the key is no longer present. It is
// Retained if it still is: as a member, or as a false positive.
func (f *deleter) DeleteHash(hash uint64) filter.Status {
	status := f.table.Table().remove(hash)
	f.history.Note(status)
	return status
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The only error is
// [filter.ErrClosed].
func (f *core) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	next := hashes
	filter.InsertEach(hashes, present, func(hash uint64) bool {
		if len(next)%ahead == len(hashes)%ahead {
			t.first.touch(next[:min(ahead, len(next))])
		}
		next = next[1:]
		return t.add(hash, 1)
	})
	f.note(uint64(len(hashes)))
	return len(hashes), nil
}

// AddHashBatch inserts hashes[i] times[i] times: see [filter.Counter]. The only error is
// [filter.ErrClosed].
func (f *core) AddHashBatch(hashes, times []uint64) (n int, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	filter.RequireCounts("AddHashBatch", len(hashes), times)
	for i, hash := range hashes {
		if i%ahead == 0 {
			t.first.touch(hashes[i:min(i+ahead, len(hashes))])
		}
		f.addTo(t, hash, times[i])
	}
	return len(hashes), nil
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *core) QueryHashBatch(hashes, present []uint64) (count int) {
	return filter.QueryEach(hashes, present, f.table.Table().first.queryGroup)
}

// CountHashBatch writes the count of hashes[i] to counts[i]: see [filter.Counter].
func (f *core) CountHashBatch(hashes, counts []uint64) {
	t := f.table.Table()
	filter.RequireCounts("CountHashBatch", len(hashes), counts)
	for i, hash := range hashes {
		if i%ahead == 0 {
			t.first.touch(hashes[i:min(i+ahead, len(hashes))])
		}
		counts[i] = t.count(hash)
	}
}

// DeleteHashBatch deletes the keys of hashes, which must be members, one after another. It returns
// how many of them were Deleted: see [filter.Deleter].
func (f *deleter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	t := f.table.Table()
	next := hashes
	return filter.DeleteEach(hashes, status, func(hash uint64) filter.Status {
		if len(next)%ahead == len(hashes)%ahead {
			t.first.touch(next[:min(ahead, len(next))])
		}
		next = next[1:]
		status := t.remove(hash)
		f.history.Note(status)
		return status
	})
}
