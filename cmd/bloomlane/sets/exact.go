package sets

import "github.com/bloomlane/bloomlane/filter"

// Exact is an exact set, to hold filters against, as a [filter.Deleter]: it has the hashes themselves. Of n
// keys two are one where all 64 bits of their hashes agree: for a million keys with a probability of 3e-8.
type Exact map[uint64]struct{}

var _ filter.Deleter = Exact(nil)

// InsertHash implements [filter.Set]. It never fails.
func (e Exact) InsertHash(hash uint64) (present bool, err error) {
	present = e.QueryHash(hash)
	e[hash] = struct{}{}
	return present, nil
}

// QueryHash implements [filter.Querier].
func (e Exact) QueryHash(hash uint64) bool {
	_, present := e[hash]
	return present
}

// DeleteHash implements [filter.Deleter]. Its status is never Retained.
func (e Exact) DeleteHash(hash uint64) filter.Status {
	if !e.QueryHash(hash) {
		return filter.Absent
	}
	delete(e, hash)
	return filter.Deleted
}

// InsertHashBatch implements [filter.Set]. It never fails.
func (e Exact) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	filter.InsertEach(hashes, present, func(hash uint64) bool {
		before, _ := e.InsertHash(hash)
		return before
	})
	return len(hashes), nil
}

// QueryHashBatch implements [filter.Querier].
func (e Exact) QueryHashBatch(hashes, present []uint64) (count int) {
	return filter.QueryEach(hashes, present, func(group []uint64) (word uint64) {
		for i, hash := range group {
			if e.QueryHash(hash) {
				word |= 1 << i
			}
		}
		return word
	})
}

// DeleteHashBatch implements [filter.Deleter].
func (e Exact) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	filter.RequireStatus("DeleteHashBatch", len(hashes), status)
	for i, hash := range hashes {
		s := e.DeleteHash(hash)
		if s == filter.Deleted {
			deleted++
		}
		if status != nil {
			status[i] = s
		}
	}
	return deleted
}

// State implements [filter.Querier]. Bytes are those of the hashes, without what the map adds.
func (e Exact) State() filter.State {
	const hashBytes = 8
	return filter.State{Bytes: hashBytes * len(e), Members: float64(len(e))}
}
