package sharded

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
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
	before  filter.History // the history of that filter
}

// stripe is what the writers of some blocks share, on a cache line of its own. A section holds the
// lock and rewrites blocks by the kernels, as if it were alone. Inserts of one key may run beside
// it: the section may overwrite their atomic ORs, or not see them. They find that out by sections,
// and repeat.
type stripe struct {
	lock     sync.Mutex
	sections atomic.Uint64 // begins plus ends: odd while a section is at work

	// keys since the table was taken; an insert that is repeated counts twice
	written           atomic.Uint64
	repeated          atomic.Uint64
	deleted, retained atomic.Uint64
	_                 [16]byte
}

func newTable(blocks kernel.Table512, taken *file.Contents, before filter.History) *table {
	shift := max(0, bits.Len(uint(len(blocks)-1))-bits.Len(uint(maxStripes-1)))
	return &table{blocks: blocks, stripes: make([]stripe, (len(blocks)-1)>>shift+1), shift: shift,
		taken: taken, before: before}
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
func (s *stripe) begin() {
	s.lock.Lock()
	s.sections.Add(1)
	s.sections.Load()
}

func (s *stripe) end() {
	s.sections.Add(1)
	s.lock.Unlock()
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
		s.end()
		return present
	}
	fresh := insertAtomically(t.block(i), fallback.Spread(hash))
	present = fresh == 0
	s.written.Add(1)
	if s.sections.Load() != before {
		t.repeat(s, i, hash, fresh, written+1)
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
// in fresh lanes, and only if nothing else was written meanwhile.
func (t *table) repeat(s *stripe, i int, hash, fresh, written uint64) {
	s.begin()
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
		filter.InsertEach(hashes, present, t.insertSeen)
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
		filter.DeleteEach(hashes, status, t.deleteSeen)
		return
	}
	t.blocks.DeleteBatch(hashes, status)
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

func (s *stripe) history() filter.History {
	repeated := s.repeated.Load() // before written, which is not less
	return filter.History{Inserts: s.written.Load() - repeated, Deleted: s.deleted.Load(),
		Retained: s.retained.Load()}
}

// history returns the history since the filter was made.
func (t *table) history() filter.History {
	h := t.before
	for i := range t.stripes {
		h.Add(t.stripes[i].history())
	}
	return h
}

// copy returns the words of the blocks, and the history that belongs to them. No section is at work
// in a stripe while it is copied.
func (t *table) copy() (words []uint64, h filter.History) {
	words, h = make([]uint64, len(t.blocks)*fallback.Lanes), t.before
	for i := range t.stripes {
		s := &t.stripes[i]
		s.lock.Lock()
		h.Add(s.history())
		for i := i << t.shift; i < min((i+1)<<t.shift, len(t.blocks)); i++ {
			block := t.load(i)
			copy(words[i*fallback.Lanes:], block[:])
		}
		s.lock.Unlock()
	}
	return words, h
}
