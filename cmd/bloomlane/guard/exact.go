package guard

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Exact is an exact set, for audits, as a [filter.Deleter]: it has the hashes themselves. Of n keys two are
// one where all 64 bits of their hashes agree: for a million keys with a probability of 3e-8.
type Exact map[uint64]struct{}

var _ filter.Deleter = Exact(nil)

// NewExactSets returns three empty exact sets, each under a key of its own: no false positive of a filter is
// one of theirs.
func NewExactSets() Sets { return Sets{Good: exactSet(), Bad: exactSet(), Sequences: exactSet()} }

func exactSet() Set { return Set{Exact{}, key.New()} }

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
	filter.RequirePresent("InsertHashBatch", len(hashes), present)
	answers(hashes, present, func(hash uint64) bool {
		before, _ := e.InsertHash(hash)
		return before
	})
	return len(hashes), nil
}

// QueryHashBatch implements [filter.Querier].
func (e Exact) QueryHashBatch(hashes, present []uint64) (count int) {
	filter.RequirePresent("QueryHashBatch", len(hashes), present)
	return answers(hashes, present, e.QueryHash)
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

// answers asks for hashes one after another, writes the answers to present, unless that is nil, and returns
// how many are true.
func answers(hashes, present []uint64, ask func(hash uint64) bool) (count int) {
	if present != nil {
		clear(present[:filter.Words(len(hashes))])
	}
	for i, hash := range hashes {
		if !ask(hash) {
			continue
		}
		count++
		if present != nil {
			present[i/64] |= 1 << (i % 64)
		}
	}
	return count
}
