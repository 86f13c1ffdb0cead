package rolling

import (
	"fmt"
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// chunk is how many keys have their answers in buffers on the stack. It is a multiple of 64, so
// that each chunk begins at a word of the answers.
const chunk = 512

// InsertHash inserts the key with this hash, which must not be a member, into the newest
// generation. It reports whether any live generation showed the key before. Afterwards
// [Filter.Newest] is the generation of the key, for [Filter.DeleteHashIn]. The error is a
// *[StragglersError] or [filter.ErrClosed]. On an error the key is not inserted, and every member
// is still found.
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	r := base.Held(&f.Life)
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

// InsertHashBatch inserts hashes one after another: see [filter.Set]. The errors are those of
// InsertHash. No generation with keys of the same batch goes during the batch: a batch that would
// need it stops with [filter.ErrFull]. The keys of a slice are one batch, and so are those of an
// iterator, in every form.
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	_, n, err = f.InsertHashPart(0, hashes, present)
	return n, err
}

// InsertHashPart is InsertHashBatch for a part of a batch: see [filter.Batcher].
func (f *Filter) InsertHashPart(
	batch filter.Batch,
	hashes, present []uint64,
) (next filter.Batch, n int, err error) {
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	first := Generation(batch)
	n, err = f.insert(hashes, present, nil, &first)
	return filter.Batch(first), n, err
}

// InsertHashBatchIn is InsertHashBatch for owners who delete by generation. generations[i] becomes
// the generation of hashes[i], for [Filter.DeleteHashIn]. generations may be nil; otherwise it has
// at least len(hashes) elements, or the call panics.
func (f *Filter) InsertHashBatchIn(hashes []uint64, generations []Generation) (n int, err error) {
	requireGenerations("InsertHashBatchIn", len(hashes), generations)
	var first Generation
	return f.insert(hashes, nil, generations, &first)
}

// insert inserts a part of a batch. first is the generation of the first key of the batch, or 0
// before that key is inserted.
func (f *Filter) insert(
	hashes, present []uint64,
	generations []Generation,
	first *Generation,
) (int, error) {
	r := base.Held(&f.Life)
	if r == nil {
		return 0, filter.ErrClosed
	}
	defer runtime.KeepAlive(r)
	for start := 0; start < len(hashes); {
		// The query comes before a rotation, which may expire members, as in a single insert.
		shown := present != nil && r.query(hashes[start])
		if err := r.makeRoom(*first); err != nil {
			return start, err
		}
		g := r.newest()
		if *first == 0 {
			*first = g.number
		}
		group := hashes[start:min(len(hashes), start+r.shape.Capacity-g.inserts)]
		if present == nil {
			g.table.QueryInsertBatch(group, nil)
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

// insertAnd inserts a group of at most a chunk into the newest table. It writes the bits of present
// from bit start on: whether the newest generation showed a key just before its own insert, or an
// older one does.
func (r *ring) insertAnd(group []uint64, first bool, present []uint64, start int) {
	var union, one [chunk / 64]uint64
	r.newest().table.QueryInsertBatch(group, union[:])
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

// QueryHash reports whether the key with this hash is present. It is true for every member, and for
// a false positive.
func (f *Filter) QueryHash(hash uint64) bool {
	r := base.Require(&f.Life)
	present := r.query(hash)
	runtime.KeepAlive(r)
	return present
}

func (r *ring) query(hash uint64) bool {
	for i := len(r.live) - 1; i >= 0; i-- { // newest first: most queries are for young keys
		if r.live[i].table.Query(hash) {
			return true
		}
	}
	return false
}

// PrefetchHash starts to load the blocks of a hash, one per generation, into the caches, and
// returns at once: see [filter.Prefetcher].
func (f *Filter) PrefetchHash(hash uint64) {
	r := base.Require(&f.Life)
	for i := range r.live {
		r.live[i].table.Prefetch(hash)
	}
	runtime.KeepAlive(r)
}

// QueryHashBatch queries hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) int {
	base.RequirePresent("QueryHashBatch", len(hashes), present)
	r := base.Require(&f.Life)
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

// DeleteHash deletes the key with this hash, which must be a member, without knowing its
// generation. If several generations show the key, or if members expire, it clears nothing and
// returns Retained.
func (f *Filter) DeleteHash(hash uint64) Status {
	r := base.Require(&f.Life)
	status := r.delete(hash)
	runtime.KeepAlive(r)
	return status
}

func (r *ring) delete(hash uint64) Status {
	oldest := -1
	for i := range r.live {
		if !r.live[i].table.Query(hash) {
			continue
		}
		if oldest >= 0 || r.expire {
			count(&r.counters.retained, 1)
			return Retained
		}
		oldest = i
	}
	if oldest < 0 {
		return Absent
	}
	return r.deleteAt(oldest, hash)
}

// DeleteHashIn deletes the key with this hash, which must be a member, from its generation: the one
// that [Filter.Newest] returned after its insert, or the one that Stragglers moved it to. If that
// generation has retired, DeleteHashIn is [Filter.DeleteHash], because the member was moved; but if
// members expire, the member is gone, and the status is Absent. If generation is 0, DeleteHashIn is
// DeleteHash.
func (f *Filter) DeleteHashIn(generation Generation, hash uint64) Status {
	r := base.Require(&f.Life)
	defer runtime.KeepAlive(r)
	switch at := r.find(generation); {
	case at >= 0:
		return r.deleteAt(at, hash)
	case r.expire && generation != 0: // 0 stands for an unknown generation
		return Absent
	}
	return r.delete(hash)
}

// deleteAt deletes a hash from live generation i, in which it is a member.
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
	g.left = max(0, g.left-1) // below 0 only after deletes of non-members
	if g.left == 0 && i < len(r.live)-1 {
		r.retire(i)
	}
	return status
}

// DeleteHashBatch deletes hashes, as [Filter.DeleteHash] does, one after another, and returns how
// many have the status Deleted: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []Status) int {
	base.RequireStatus("DeleteHashBatch", len(hashes), status)
	r := base.Require(&f.Life)
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

// requireGenerations panics if generations is not nil and has fewer than n elements.
func requireGenerations(op string, n int, generations []Generation) {
	if generations != nil && len(generations) < n {
		panic(fmt.Sprintf("rolling: %s: generations has %d elements, %d keys need %d", op,
			len(generations), n, n))
	}
}
