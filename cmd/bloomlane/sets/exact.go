package sets

import "github.com/bloomlane/bloomlane/filter"

// Exact is an exact set, to hold filters against: it has the hashes themselves. Of n keys two are one where
// all 64 bits of their hashes agree: for a million keys with a probability of 3e-8.
type Exact map[uint64]struct{}

// InsertHash inserts a hash, and reports whether it was present before. It never fails.
func (e Exact) InsertHash(hash uint64) (present bool, err error) {
	present = e.QueryHash(hash)
	e[hash] = struct{}{}
	return present, nil
}

// QueryHash reports whether a hash is present.
func (e Exact) QueryHash(hash uint64) bool {
	_, present := e[hash]
	return present
}

// DeleteHash deletes a hash. Its status is never Retained.
func (e Exact) DeleteHash(hash uint64) filter.Status {
	if !e.QueryHash(hash) {
		return filter.Absent
	}
	delete(e, hash)
	return filter.Deleted
}

// QueryHashBatch queries hashes, as [filter.Querier] does.
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
