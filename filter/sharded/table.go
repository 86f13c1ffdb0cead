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

// maxStripes is the largest number of stripes. With more stripes fewer writers meet, and with fewer
// stripes a section has more keys of a batch. docs/measurements/sharded.md has the times.
const maxStripes = 64

// table has the blocks and their stripes. A stripe is 1<<shift consecutive blocks.
type table struct {
	blocks  kernel.Table512
	stripes []stripe
	shift   int
	taken   *file.Contents // the contents of the filter that Of took; the blocks lie in its words

	// The history of each stripe, minus what its counters say: its part in the history of the
	// filter that Of took, and what rebuilds and merges make of it. The difference may be negative,
	// modulo 2^64. The lock of the stripe guards it.
	bases []base.History

	busy           atomic.Bool // a rebuild, a refresh or a merge runs
	planned        int         // members
	plannedInserts uint64
}

// stripe is what the writers of some blocks share, on a cache line of its own. A section holds the
// lock and rewrites blocks by the kernels, as if it were alone. Inserts of one key may run beside
// it: the section may overwrite their atomic ORs, or not see them. They find that out by sections,
// and repeat.
type stripe struct {
	lock     sync.Mutex
	sections atomic.Uint64 // begins plus ends: odd while a section is at work

	// keys since the table was taken; an insert that is repeated counts twice, and a section that
	// brings keys from elsewhere counts once
	written           atomic.Uint64
	repeated          atomic.Uint64
	deleted, retained atomic.Uint64

	// The renewal that goes on, or nil, and what written was when the last one ended: the history
	// does not have the inserts before it. The lock guards both.
	renewal   *renewal
	renewedAt uint64
}

func newTable(blocks kernel.Table512, taken *file.Contents, before base.History) *table {
	shift := max(0, bits.Len(uint(len(blocks)-1))-bits.Len(uint(maxStripes-1)))
	t := &table{blocks: blocks, stripes: make([]stripe, (len(blocks)-1)>>shift+1), shift: shift,
		taken: taken}
	t.bases = make([]base.History, len(t.stripes))
	for i := range t.bases {
		t.bases[i] = t.share(before, i)
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

// begin begins a section. The section sees all inserts of one key that will not be repeated.
//
// An insert stores its bits before it loads sections, and a section stores sections before it loads
// bits. So one of the two sees the other, if no load overtakes the store before it. On x86 Add is a
// locked instruction, which no load overtakes. On arm64 plain loads may overtake the store of an
// Add, but no load overtakes a load-acquire, which waits for the store-release: that is why there
// is a Load.
//
// During a renewal, sections is odd in between too, so that inserts of one key become sections,
// which are recorded.
func (s *stripe) begin() {
	s.lock.Lock()
	s.count()
	s.sections.Load()
}

func (s *stripe) end() {
	s.count()
	s.lock.Unlock()
}

func (s *stripe) count() {
	if s.renewal != nil {
		s.sections.Add(2)
		return
	}
	s.sections.Add(1)
}

// insert inserts a hash. It takes no lock unless a section is at work.
func (t *table) insert(hash uint64) (present bool) {
	i := t.index(hash)
	s := &t.stripes[i>>t.shift]
	before, written := s.sections.Load(), s.written.Load()
	if before&1 != 0 {
		s.begin()
		present = t.insertOne(hash)
		s.written.Add(1)
		if s.renewal != nil {
			s.renewal.insert(i, hash)
		}
		s.end()
		return present
	}
	fresh := insertAtomically(t.block(i), fallback.Spread(hash))
	present = fresh == 0
	counted := s.written.Add(1)
	if s.sections.Load() != before {
		t.repeat(s, i, hash, fresh, written+1, counted)
	}
	return present
}

// insertAtomically is [fallback.InsertMask] for a key. If two inserts set one bit, one of them
// finds it set and marks its region. It returns the lanes whose bit it found clear, as a bit each.
func insertAtomically(block *[fallback.Lanes]uint64, g uint64) (fresh uint64) {
	var collided uint64
	for lane := uint(fallback.CollisionLanes); lane < fallback.Lanes; lane++ {
		position := fallback.Position[uint64](g, lane)
		bit := uint64(1) << position
		old := atomic.OrUint64(&block[lane], bit)
		collided |= old & bit
		fresh |= ^old >> position & 1 << lane
	}
	if collided != 0 {
		atomic.OrUint64(&block[0], collided)
	}
	return fresh
}

// repeat inserts a hash again, in a section, after it was inserted beside another section. A bit
// that it finds set belongs to another key, or to its own first insert. The latter is certain only
// in fresh lanes, and only if nothing else was written meanwhile: then written is what the insert
// expects. counted is what it was when the insert was counted.
func (t *table) repeat(s *stripe, i int, hash, fresh, written, counted uint64) {
	s.begin()
	if s.renewal != nil {
		s.renewal.insert(i, hash)
	}
	if counted <= s.renewedAt {
		t.bases[i>>t.shift].Inserts++
	}
	if s.written.Load() != written {
		fresh = 0
	}
	mask, block := fallback.Mask[uint64](hash), t.load(i)
	own := mask
	for lane := range mask {
		if fresh>>lane&1 != 0 {
			mask[lane] = 0
		} else {
			own[lane] = 0
		}
	}
	b := (*[fallback.Lanes]uint64)(&block)
	fallback.InsertMask(b, &mask)
	for lane := range own {
		b[lane] |= own[lane]
	}
	fallback.StoreBlock(t.block(i), b)
	s.written.Add(1)
	s.repeated.Add(1)
	s.end()
}

// Sections change blocks by package kernel. Under the race detector they use atomic loads and
// stores instead, because it does not see assembly, and other goroutines read and write these
// lanes.

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

func (t *table) deleteAll(hashes []uint64, status []filter.Status) {
	if fallback.Race {
		base.DeleteEach(t, hashes, status, (*table).deleteSeen)
		return
	}
	t.blocks.DeleteBatch(hashes, status)
}

// replace replaces the blocks from first on.
func (t *table) replace(first int, part kernel.Table512) {
	if !fallback.Race {
		t.blocks.Replace(first, part)
		return
	}
	for i := range part {
		fallback.StoreBlock(t.block(first+i), (*[fallback.Lanes]uint64)(&part[i]))
	}
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

// note counts a delete.
func (s *stripe) note(status filter.Status) {
	switch status {
	case filter.Deleted:
		s.deleted.Add(1)
	case filter.Retained:
		s.retained.Add(1)
	}
}

// history returns the history of a stripe, whose lock the caller holds.
func (t *table) history(stripe int) base.History {
	s, h := &t.stripes[stripe], t.bases[stripe]
	repeated := s.repeated.Load() // before written, which is not less
	h.Inserts += s.written.Load() - repeated
	h.Deleted += s.deleted.Load()
	h.Retained += s.retained.Load()
	return h
}

// become makes h the history of a stripe, whose lock the caller holds.
func (t *table) become(stripe int, h base.History) {
	before := t.history(stripe)
	base := &t.bases[stripe]
	base.Inserts += h.Inserts - before.Inserts
	base.Deleted += h.Deleted - before.Deleted
	base.Retained += h.Retained - before.Retained
}

// histories returns the history of the filter.
func (t *table) histories() (h base.History) {
	for i := range t.stripes {
		s := &t.stripes[i]
		s.lock.Lock()
		h.Add(t.history(i))
		s.lock.Unlock()
	}
	return h
}

// copy copies the blocks of a stripe, and returns the history that belongs to them. No section is
// at work in the stripe meanwhile.
func (t *table) copy(to kernel.Table512, stripe int) base.History {
	s := &t.stripes[stripe]
	s.lock.Lock()
	defer s.lock.Unlock()
	first, end := t.blocksOf(stripe)
	for i := first; i < end; i++ {
		to[i-first] = t.load(i)
	}
	return t.history(stripe)
}
