package rolling

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
)

// chunk is the number of keys that are hashed, and whose answers are collected, in buffers on the
// stack. It is a multiple of 64, so that every chunk begins a word of hits.
const chunk = 512

// The operations on hashes take keys that the caller has hashed: with [Filter.Hash], or in any way
// that gives uniform 64-bit hashes.

// InsertHash inserts the key of a hash, which must not be a member, into the newest generation, and
// returns its number, for [Filter.DeleteHashIn]. Its error is a *[StragglersError]: the key is not
// inserted then, and every member is as visible as before.
func (f *Filter) InsertHash(hash uint64) (Generation, error) {
	if err := f.makeRoom(0); err != nil {
		return 0, err
	}
	g := f.newest()
	g.table.Insert(hash)
	g.inserts++
	g.left++
	f.counters.inserts++
	return g.number, nil
}

// InsertHashBatch inserts the keys of hashes one after another. generations[i] is the generation of
// hashes[i]; generations may be nil, or else has an element a key. It returns how many were inserted:
// all, or where there is an error, a *[StragglersError], the first so many.
func (f *Filter) InsertHashBatch(hashes []uint64, generations []Generation) (int, error) {
	requireGenerations("InsertHashBatch", len(hashes), generations)
	var first Generation
	return f.insert(hashes, generations, &first)
}

// insert is InsertHashBatch for a part of a batch. first is the generation of the batch's first key, or 0
// before there is one.
func (f *Filter) insert(hashes []uint64, generations []Generation, first *Generation) (int, error) {
	if len(f.live) == 0 {
		return 0, filter.ErrClosed
	}
	for start := 0; start < len(hashes); {
		if err := f.makeRoom(*first); err != nil {
			return start, err
		}
		g := f.newest()
		if *first == 0 {
			*first = g.number
		}
		group := hashes[start:min(len(hashes), start+f.plan.Capacity-g.inserts)]
		g.table.InsertBatch(group, nil)
		g.inserts += len(group)
		g.left += len(group)
		f.counters.inserts += uint64(len(group))
		if generations != nil {
			for i := range group {
				generations[start+i] = g.number
			}
		}
		start += len(group)
	}
	return len(hashes), nil
}

// QueryHash reports whether the key of a hash is present: true for every member, and for a false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	f.require()
	for i := len(f.live) - 1; i >= 0; i-- { // the newest first: most queries are for young keys
		if f.live[i].table.Query(hash) {
			return true
		}
	}
	return false
}

// QueryHashBatch queries the keys of hashes and returns how many are present. Bit i of hits[i/64]
// says whether that of hashes[i] is; hits may be nil, or else has a word for each 64 keys.
func (f *Filter) QueryHashBatch(hashes, hits []uint64) int {
	requireHits("QueryHashBatch", len(hashes), hits)
	f.require()
	count := 0
	var union, one [chunk / 64]uint64
	for start := 0; start < len(hashes); start += chunk {
		group := hashes[start:min(start+chunk, len(hashes))]
		words := above(len(group), 64)
		f.live[0].table.QueryBatch(group, union[:])
		for i := 1; i < len(f.live); i++ {
			f.live[i].table.QueryBatch(group, one[:])
			for w := range words {
				union[w] |= one[w]
			}
		}
		for _, word := range union[:words] {
			count += bits.OnesCount64(word)
		}
		if hits != nil {
			copy(hits[start/64:], union[:words])
		}
	}
	return count
}

// DeleteHash deletes the key of a hash, which must be a member, where it is not known in which
// generation: see the package documentation. With [Config.Expire] it clears nothing.
func (f *Filter) DeleteHash(hash uint64) Status {
	f.require()
	at := -1
	for i := range f.live {
		if !f.live[i].table.Query(hash) {
			continue
		}
		if at >= 0 || f.expire {
			f.counters.retained++
			return Retained
		}
		at = i
	}
	if at < 0 {
		return Absent
	}
	return f.deleteAt(at, hash)
}

// DeleteHashIn deletes the key of a hash, which must be a member, from the generation that its insert
// returned, or that Stragglers moved it to. Where that generation has retired, and the member was
// moved, it is as [Filter.DeleteHash]; with [Config.Expire] the member is gone, and the status is Absent.
func (f *Filter) DeleteHashIn(generation Generation, hash uint64) Status {
	f.require()
	at := f.find(generation)
	if at < 0 {
		if f.expire {
			return Absent
		}
		return f.DeleteHash(hash)
	}
	return f.deleteAt(at, hash)
}

// deleteAt deletes a hash from the generation with an index, in which it is a member.
func (f *Filter) deleteAt(i int, hash uint64) Status {
	g := &f.live[i]
	status := g.table.Delete(hash)
	switch status {
	case Absent:
		return Absent
	case Deleted:
		f.counters.deleted++
	case Retained:
		f.counters.retained++
	}
	if g.left--; g.left == 0 && i < len(f.live)-1 {
		f.retire(i)
	}
	return status
}

// DeleteHashBatch deletes the keys of hashes, as [Filter.DeleteHash] one after another, and returns how
// many were Deleted. status[i] is the status of hashes[i]; status may be nil, or else has an element a
// key.
func (f *Filter) DeleteHashBatch(hashes []uint64, status []Status) int {
	requireStatus("DeleteHashBatch", len(hashes), status)
	f.require()
	count := 0
	for i, hash := range hashes {
		s := f.DeleteHash(hash)
		if s == Deleted {
			count++
		}
		if status != nil {
			status[i] = s
		}
	}
	return count
}

// requireHits panics where hits is too short for the answers of n keys.
func requireHits(op string, n int, hits []uint64) {
	if need := above(n, 64); hits != nil && len(hits) < need {
		panic(fmt.Sprintf("rolling: %s: hits has %d words, %d keys need %d", op, len(hits), n, need))
	}
}

// requireStatus panics where status is too short for the answers of n keys.
func requireStatus(op string, n int, status []Status) {
	if status != nil && len(status) < n {
		panic(fmt.Sprintf("rolling: %s: status has %d elements, %d keys need %d", op, len(status), n, n))
	}
}

// requireGenerations panics where generations is too short for the answers of n keys.
func requireGenerations(op string, n int, generations []Generation) {
	if generations != nil && len(generations) < n {
		panic(fmt.Sprintf("rolling: %s: generations has %d elements, %d keys need %d", op, len(generations), n, n))
	}
}
