package sharded

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/kernel"
)

// The sizes of the locks. With more stripes fewer writers meet, and with fewer ranges the locks of
// a batch are held for more of its keys. docs/measurements/kinds.md has the times.
const (
	maxStripes = 128
	maxRanges  = 64
	partBlocks = 16 // the least blocks of a stripe, and the most that a pass takes at a time
)

// table has the blocks and their stripes. A stripe is 1<<shift consecutive blocks, and a range is
// 1<<rangeShift consecutive stripes.
type table struct {
	blocks            kernel.Table512
	stripes           []stripe
	shift, rangeShift int
	taken             *file.Contents // what Of took; the blocks lie in its words

	// turns counts the beginnings and the ends of rebuilds, refreshes and merges: it is odd while
	// one runs.
	turns          atomic.Uint64
	planned        int // members
	plannedInserts uint64

	// A pass goes through the blocks of a stripe, some at a time: it copies them, makes fresh ones,
	// or merges others. There is one pass at a time, so that each sees a stripe before another
	// pass, or after it. Whoever needs both takes this lock before that of a stripe.
	pass sync.Mutex
	late base.History // of the copied blocks of the stripe that is being copied; its lock guards it
}

// stripe is what the writers of some blocks share, on a cache line of its own. The lock guards the
// blocks and the other fields. Queries do not take it, so blocks are written by the kernels, whose
// stores are of whole lanes.
type stripe struct {
	lock    sync.Mutex
	history base.History
	renewal *renewal // the one that goes on, or nil
	absent  uint64   // deletes of keys that were not present: see [deletable.Stats]
	copied  int      // the block that a copy has come to, or 0
	_       [64 - 8 - 4*8 - 2*bits.UintSize/8]byte
}

func newTable(blocks kernel.Table512, taken *file.Contents, before base.History) *table {
	// log2 returns the logarithm of the least power of two that is not below n.
	log2 := func(n int) int { return bits.Len(uint(n - 1)) }
	shift := max(log2(partBlocks), log2(len(blocks))-log2(maxStripes))
	t := &table{blocks: blocks, stripes: make([]stripe, (len(blocks)-1)>>shift+1), shift: shift,
		taken: taken}
	t.rangeShift = max(0, log2(len(t.stripes))-log2(maxRanges))
	for i := range t.stripes {
		t.stripes[i].history = t.share(before, i)
	}
	return t
}

// String returns the size, in words.
func (t *table) String() string { return fmt.Sprintf("%d blocks", len(t.blocks)) }

// blocksOf returns the first block of a stripe, and the end.
func (t *table) blocksOf(stripe int) (first, end int) {
	first = stripe << t.shift
	return first, min(first+1<<t.shift, len(t.blocks))
}

// ranges returns the number of ranges.
func (t *table) ranges() int { return (len(t.stripes)-1)>>t.rangeShift + 1 }

// stripesOf returns the first stripe of a range, and the end.
func (t *table) stripesOf(r int) (first, end int) {
	first = r << t.rangeShift
	return first, min(first+1<<t.rangeShift, len(t.stripes))
}

// share returns the part of a stripe in a history of all blocks. The parts of all stripes add up to
// the history.
func (t *table) share(h base.History, stripe int) base.History {
	first, end := t.blocksOf(stripe)
	until := func(n uint64, block int) uint64 {
		high, low := bits.Mul64(n, uint64(block))
		n, _ = bits.Div64(high, low, uint64(len(t.blocks)))
		return n
	}
	part := func(n uint64) uint64 { return until(n, end) - until(n, first) }
	return base.History{Inserts: part(h.Inserts), Deleted: part(h.Deleted),
		Retained: part(h.Retained)}
}

// index returns the block of a hash.
func (t *table) index(hash uint64) int { return int(fallback.Index(hash, uint64(len(t.blocks)))) }

func (t *table) block(i int) *[fallback.Lanes]uint64 {
	return (*[fallback.Lanes]uint64)(&t.blocks[i])
}

// load returns a copy of a block that others may write meanwhile.
func (t *table) load(i int) kernel.Block512 { return fallback.LoadBlock(t.block(i)) }

// insert inserts a hash.
func (t *table) insert(hash uint64) (present bool) {
	s := &t.stripes[t.index(hash)>>t.shift]
	s.lock.Lock()
	present = t.insertOne(hash)
	s.history.Inserts++
	if s.watched() {
		t.inserted(s, hash)
	}
	s.lock.Unlock()
	return present
}

// delete deletes a hash.
func (t *table) delete(hash uint64) filter.Status {
	s := &t.stripes[t.index(hash)>>t.shift]
	s.lock.Lock()
	status := t.deleteOne(hash)
	s.history.Note(status)
	if status == filter.Absent {
		s.absent++
	}
	if s.watched() {
		t.deleted(s, hash, status)
	}
	s.lock.Unlock()
	return status
}

// watched reports whether a renewal or a copy must hear of what is written.
func (s *stripe) watched() bool { return s.renewal != nil || s.copied != 0 }

// inserted tells the renewal and the copy of a stripe of an insert.
func (t *table) inserted(s *stripe, hash uint64) {
	block := t.index(hash)
	if s.renewal != nil {
		s.renewal.insert(block, hash)
	}
	if block < s.copied {
		t.late.Inserts++
	}
}

// deleted tells the renewal and the copy of a stripe of a delete.
func (t *table) deleted(s *stripe, hash uint64, status filter.Status) {
	block := t.index(hash)
	if s.renewal != nil {
		s.renewal.delete(block, hash, status)
	}
	if block < s.copied {
		t.late.Note(status)
	}
}

// Writers change blocks by package kernel. Under the race detector they use atomic loads and stores
// instead, because it does not see assembly, and queries read these lanes.

func (t *table) insertOne(hash uint64) (present bool) {
	if fallback.Race {
		return t.insertSeen(hash)
	}
	return t.blocks.Insert(hash)
}

func (t *table) insertAll(hashes, present []uint64) {
	if fallback.Race {
		base.InsertEach(t, hashes, present, (*table).insertSeen)
		return
	}
	t.blocks.QueryInsertBatch(hashes, present)
}

func (t *table) deleteOne(hash uint64) filter.Status {
	if fallback.Race {
		return t.deleteSeen(hash)
	}
	return t.blocks.Delete(hash)
}

func (t *table) deleteAll(hashes []uint64, status []filter.Status) (deleted int) {
	if fallback.Race {
		return base.DeleteEach(t, hashes, status, (*table).deleteSeen)
	}
	return t.blocks.DeleteBatch(hashes, status)
}

// merge adds the members of other to the blocks from first on.
func (t *table) merge(first int, other kernel.Table512) {
	if !fallback.Race {
		t.blocks[first:][:len(other)].Merge(other)
		return
	}
	for i := range other {
		block := t.load(first + i)
		block.Merge(&other[i])
		fallback.StoreBlock(t.block(first+i), (*[fallback.Lanes]uint64)(&block))
	}
}

func (t *table) insertSeen(hash uint64) (present bool) {
	i, mask := t.index(hash), fallback.Mask[uint64](hash)
	block := fallback.LoadBlock(t.block(i))
	present = fallback.InsertMask(&block, &mask)
	fallback.StoreBlock(t.block(i), &block)
	return present
}

func (t *table) deleteSeen(hash uint64) filter.Status {
	i, mask := t.index(hash), fallback.Mask[uint64](hash)
	block := fallback.LoadBlock(t.block(i))
	status := fallback.DeleteMask(&block, &mask)
	fallback.StoreBlock(t.block(i), &block)
	return filter.Status(status)
}

// counted says that plain stores of counters are seen whole by atomic loads.
const counted = bits.UintSize == 64 && !fallback.Race

// histories returns the history of the filter. It takes no lock unless a turn changes histories as
// a whole: otherwise a stripe counts one write after another.
func (t *table) histories() (h base.History) {
	turns := t.turns.Load()
	if counted && turns%2 == 0 {
		for i := range t.stripes {
			s := &t.stripes[i].history
			h.Add(base.History{ // the inserts last, so that no delete is without its insert
				Deleted:  atomic.LoadUint64(&s.Deleted),
				Retained: atomic.LoadUint64(&s.Retained),
				Inserts:  atomic.LoadUint64(&s.Inserts),
			})
		}
		if t.turns.Load() == turns {
			return h
		}
	}
	h = base.History{}
	for i := range t.stripes {
		s := &t.stripes[i]
		s.lock.Lock()
		h.Add(s.history)
		s.lock.Unlock()
	}
	return h
}

// absents returns the number of deletes of keys that were not present.
func (t *table) absents() (n uint64) {
	for i := range t.stripes {
		s := &t.stripes[i]
		s.lock.Lock()
		n += s.absent
		s.lock.Unlock()
	}
	return n
}

// copy copies the blocks of a stripe, and returns the history that belongs to them.
func (t *table) copy(to kernel.Table512, stripe int) (h base.History) {
	t.pass.Lock()
	defer t.pass.Unlock()
	for more := true; more; {
		h, more = t.copyPart(to, stripe)
	}
	return h
}

// copyPart is copy for the next part. It returns whether a part is left, or the history: inserts
// and deletes in blocks that were copied before come too late for it.
func (t *table) copyPart(to kernel.Table512, stripe int) (h base.History, more bool) {
	s := &t.stripes[stripe]
	first, end := t.blocksOf(stripe)
	start := max(first, s.copied) // which nobody else changes
	part := to[start-first : min(start+partBlocks, end)-first]
	clear(part) // so that others do not wait while new memory is mapped
	s.lock.Lock()
	defer s.lock.Unlock()
	s.copied = start + copy(part, t.blocks[start:])
	if s.copied < end {
		return base.History{}, true
	}
	h = s.history
	h.Inserts -= t.late.Inserts
	h.Deleted -= t.late.Deleted
	h.Retained -= t.late.Retained
	s.copied, t.late = 0, base.History{}
	return h, false
}
