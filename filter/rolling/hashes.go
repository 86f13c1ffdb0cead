package rolling

import (
	"fmt"
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// chunk is the number of keys that are hashed, and whose answers are collected, in buffers on the
// stack. It is a multiple of 64, so that every chunk begins a word of answers.
const chunk = 512

// The operations on hashes take keys that the caller has hashed: with Hash, or in any way that
// gives uniform 64-bit hashes.

// InsertHash inserts the key of a hash, which must not be a member, into the newest generation, and
// reports whether any live one showed it before. [Filter.Newest] is then the generation that it is
// in, for [Filter.DeleteHashIn]. Its error is a *[StragglersError], or [filter.ErrClosed]: the key
// is not inserted then, and every member is as visible as before.
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	r := f.ring.Load()
	if r == nil {
		return false, filter.ErrClosed
	}
	present = r.query(hash)
	if err := r.makeRoom(0); err != nil {
		return false, err
	}
	g := r.newest()
	g.table.Insert(hash)
	g.inserts++
	g.left++
	count(&r.counters.inserts, 1)
	runtime.KeepAlive(r)
	return present, nil
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. Its error is that
// of InsertHash. The keys of a batch are members at its end, so a generation that has some of them
// does not go before: a batch that needs that is ended with [ErrFull].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	filter.RequirePresent("InsertHashBatch", len(hashes), present)
	var first Generation
	return f.insert(hashes, present, nil, &first)
}

// InsertHashBatchIn is InsertHashBatch for owners who delete by generation: generations[i] is that
// of hashes[i], for [Filter.DeleteHashIn]; generations may be nil, or else has an element a key.
func (f *Filter) InsertHashBatchIn(hashes []uint64, generations []Generation) (n int, err error) {
	requireGenerations("InsertHashBatchIn", len(hashes), generations)
	var first Generation
	return f.insert(hashes, nil, generations, &first)
}

// insert is a part of a batch. first is the generation of the batch's first key, or 0 before there
// is one.
func (f *Filter) insert(hashes, present []uint64, generations []Generation,
	first *Generation) (int, error) {
	r := f.ring.Load()
	if r == nil {
		return 0, filter.ErrClosed
	}
	defer runtime.KeepAlive(r)
	for start := 0; start < len(hashes); {
		// Asked before a rotation that ends lifetimes, as of a single insert.
		shown := present != nil && r.query(hashes[start])
		if err := r.makeRoom(*first); err != nil {
			return start, err
		}
		g := r.newest()
		if *first == 0 {
			*first = g.number
		}
		group := hashes[start:min(len(hashes), start+r.plan.Capacity-g.inserts)]
		if present == nil {
			g.table.InsertBatch(group, nil)
		} else {
			group = group[:min(len(group), chunk)]
			r.insertAnd(group, shown, present, start)
		}
		g.inserts += len(group)
		g.left += len(group)
		count(&r.counters.inserts, len(group))
		if generations != nil {
			for i := range group {
				generations[start+i] = g.number
			}
		}
		start += len(group)
	}
	if rest := len(hashes) % 64; rest != 0 && present != nil {
		present[len(hashes)/64] &= 1<<rest - 1
	}
	return len(hashes), nil
}

// insertAnd inserts a group of at most a chunk into the newest table, and writes the bits from
// start on of present: whether the newest generation showed a key just before its own insert, or
// any older does.
func (r *ring) insertAnd(group []uint64, first bool, present []uint64, start int) {
	var union, one [chunk / 64]uint64
	r.newest().table.InsertBatch(group, union[:])
	for i := range len(r.live) - 1 {
		r.live[i].table.QueryBatch(group, one[:])
		for w := range filter.Words(len(group)) {
			union[w] |= one[w]
		}
	}
	if first {
		union[0] |= 1
	}
	for i := 0; i < len(group); i += 64 {
		n := min(64, len(group)-i)
		mask := ^uint64(0) >> (64 - n)
		word, at, shift := union[i/64]&mask, (start+i)/64, (start+i)%64
		present[at] = present[at]&^(mask<<shift) | word<<shift
		if shift+n > 64 {
			present[at+1] = present[at+1]&^(mask>>(64-shift)) | word>>(64-shift)
		}
	}
}

// InsertBatch inserts keys one after another: InsertHashBatch of their hashes.
func (f *Filter) InsertBatch(keys [][]byte, present []uint64) (n int, err error) {
	return insertKeys(f, "InsertBatch", keys, (*Filter).Hash, present)
}

// InsertStringBatch is InsertBatch of strings.
func (f *Filter) InsertStringBatch(keys []string, present []uint64) (n int, err error) {
	return insertKeys(f, "InsertStringBatch", keys, (*Filter).HashString, present)
}

// InsertUint64Batch is InsertBatch of uint64s.
func (f *Filter) InsertUint64Batch(keys, present []uint64) (n int, err error) {
	return insertKeys(f, "InsertUint64Batch", keys, (*Filter).HashUint64, present)
}

// insertKeys takes the place of [filter.KeyedSet]'s, to which each chunk would be a batch of its
// own: a generation with keys of an earlier chunk could go while their owner does not count them as
// members yet.
func insertKeys[K any](f *Filter, op string, keys []K, hash func(*Filter, K) uint64,
	present []uint64) (int, error) {
	if f.Closed() {
		return 0, filter.ErrClosed
	}
	filter.RequirePresent(op, len(keys), present)
	var first Generation
	var buffer [chunk]uint64
	for start := 0; start < len(keys); start += chunk {
		hashes := buffer[:min(chunk, len(keys)-start)]
		for i := range hashes {
			hashes[i] = hash(f, keys[start+i])
		}
		var part []uint64
		if present != nil {
			part = present[start/64:]
		}
		if n, err := f.insert(hashes, part, nil, &first); err != nil {
			return start + n, err
		}
	}
	return len(keys), nil
}

// QueryHash reports whether the key of a hash is present: true for every member, and for a false
// positive.
func (f *Filter) QueryHash(hash uint64) bool {
	r := f.ring.Table()
	present := r.query(hash)
	runtime.KeepAlive(r)
	return present
}

func (r *ring) query(hash uint64) bool {
	for i := len(r.live) - 1; i >= 0; i-- { // the newest first: most queries are for young keys
		if r.live[i].table.Query(hash) {
			return true
		}
	}
	return false
}

// PrefetchHash brings the blocks of a hash, one of each generation, into the caches and does not
// wait for them: see [filter.Prefetcher].
func (f *Filter) PrefetchHash(hash uint64) {
	r := f.ring.Table()
	for i := range r.live {
		r.live[i].table.Prefetch(hash)
	}
	runtime.KeepAlive(r)
}

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) int {
	filter.RequirePresent("QueryHashBatch", len(hashes), present)
	r := f.ring.Table()
	count := 0
	var union, one [chunk / 64]uint64
	for start := 0; start < len(hashes); start += chunk {
		group := hashes[start:min(start+chunk, len(hashes))]
		words := filter.Words(len(group))
		r.live[0].table.QueryBatch(group, union[:])
		for i := 1; i < len(r.live); i++ {
			r.live[i].table.QueryBatch(group, one[:])
			for w := range words {
				union[w] |= one[w]
			}
		}
		for _, word := range union[:words] {
			count += bits.OnesCount64(word)
		}
		if present != nil {
			copy(present[start/64:], union[:words])
		}
	}
	runtime.KeepAlive(r)
	return count
}

// DeleteHash deletes the key of a hash, which must be a member, where it is not known in which
// generation: see the package documentation. With [Config.Expire] it clears nothing.
func (f *Filter) DeleteHash(hash uint64) Status {
	r := f.ring.Table()
	status := r.delete(hash)
	runtime.KeepAlive(r)
	return status
}

func (r *ring) delete(hash uint64) Status {
	at := -1
	for i := range r.live {
		if !r.live[i].table.Query(hash) {
			continue
		}
		if at >= 0 || r.expire {
			count(&r.counters.retained, 1)
			return Retained
		}
		at = i
	}
	if at < 0 {
		return Absent
	}
	return r.deleteAt(at, hash)
}

// DeleteHashIn deletes the key of a hash, which must be a member, from the generation that
// [Filter.Newest] was at its insert, or that Stragglers moved it to. Where that generation has
// retired, and the member was moved, it is as [Filter.DeleteHash]; with [Config.Expire] the member
// is gone, and the status is Absent. The generation 0 is none that is known: it is as DeleteHash.
func (f *Filter) DeleteHashIn(generation Generation, hash uint64) Status {
	r := f.ring.Table()
	defer runtime.KeepAlive(r)
	switch at := r.find(generation); {
	case at >= 0:
		return r.deleteAt(at, hash)
	case r.expire && generation != 0: // 0 is not known
		return Absent
	}
	return r.delete(hash)
}

// deleteAt deletes a hash from the generation with an index, in which it is a member.
func (r *ring) deleteAt(i int, hash uint64) Status {
	g := &r.live[i]
	status := g.table.Delete(hash)
	switch status {
	case Absent:
		return Absent
	case Deleted:
		count(&r.counters.deleted, 1)
	case Retained:
		count(&r.counters.retained, 1)
	}
	g.left = max(0, g.left-1) // below 0 only after deletes of keys that were no members
	if g.left == 0 && i < len(r.live)-1 {
		r.retire(i)
	}
	return status
}

// DeleteHashBatch deletes the keys of hashes, as [Filter.DeleteHash] one after another, and returns
// how many were Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []Status) int {
	filter.RequireStatus("DeleteHashBatch", len(hashes), status)
	r := f.ring.Table()
	count := 0
	for i, hash := range hashes {
		s := r.delete(hash)
		if s == Deleted {
			count++
		}
		if status != nil {
			status[i] = s
		}
	}
	runtime.KeepAlive(r)
	return count
}

// requireGenerations panics where generations is too short for the answers of n keys.
func requireGenerations(op string, n int, generations []Generation) {
	if generations != nil && len(generations) < n {
		panic(fmt.Sprintf("rolling: %s: generations has %d elements, %d keys need %d", op,
			len(generations), n, n))
	}
}
