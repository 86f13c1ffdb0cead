package elastic

import "github.com/bloomlane/bloomlane/filter/base"

// A filter grows and shrinks by a move to another table, of twice the blocks or half of them. Each
// insert and each delete moves some blocks, and queries read the old table until all are moved. So
// a query reads one cache line at any time, and no call takes long.
//
// A unit of a move is one block of the smaller table, and the two of the larger one that have the
// same hashes: 2i and 2i+1. The lists of a unit are in the new table as soon as it is moved. Its
// blocks are in both tables until the end, where they are kept alike.

// spread is the reciprocal of the part of the members that come or go while all blocks are moved.
const spread = 32

// growsAt returns the number of members at which a table of nblocks begins to move to a larger one:
// early enough that the move is over when the number of members passes the table's limit.
func (p *plan) growsAt(nblocks int) int {
	changes := (nblocks + p.pace - 1) / p.pace
	return p.limit(nblocks) - (changes - 1) + 1
}

// shrinksBelow returns the number of members below which a table of nblocks moves to one of half
// the blocks: a quarter of its limit, so that the smaller table is half full.
func (p *plan) shrinksBelow(nblocks int) int {
	if nblocks == p.blocks {
		return 0
	}
	return (p.limit(nblocks) + 3) / 4
}

// nextBlocks returns the number of blocks of the table that the lists move to, or 0.
func (f *Filter) nextBlocks() int {
	if f.next == nil {
		return 0
	}
	return len(f.next.blocks)
}

// units returns the number of units of the move or, without a move, the number of blocks.
func (f *Filter) units(t *table) int {
	if f.next == nil {
		return len(t.blocks)
	}
	return min(len(t.blocks), len(f.next.blocks))
}

// holder returns the table that has the lists of a unit, and their blocks, from first up to end. t
// is the table that queries read.
func (f *Filter) holder(t *table, unit int) (of *table, first, end int) {
	units := f.units(t)
	if unit < f.moved {
		t = f.next
	}
	n := len(t.blocks) / units
	return t, n * unit, n * (unit + 1)
}

// holderOf returns the table that has the list of a hash.
func (f *Filter) holderOf(t *table, hash uint64) *table {
	if f.next != nil && int(hash>>32*uint64(f.units(t))>>32) < f.moved {
		return f.next
	}
	return t
}

// begin begins a move to a table of nblocks. A smaller table has an arena of its own, so that the
// memory of the larger one is freed with it.
func (f *Filter) begin(t *table, nblocks int) {
	a := t.arena
	if nblocks < len(t.blocks) {
		a = f.plan.arena()
	}
	f.next, f.moved = newTable(nblocks, a), 0
}

// advance moves some units, if there is a move. It returns the table that queries read then, also
// if the filter was closed meanwhile.
func (f *Filter) advance(t *table) *table {
	if f.next == nil {
		return t
	}
	for range f.plan.pace {
		f.move(t)
		if f.moved == f.units(t) {
			next := f.next
			base.Replace(&f.Life, t, next) // unless it was closed meanwhile
			f.next, f.moved = nil, 0
			return next
		}
	}
	return t
}

// move moves the next unit.
func (f *Filter) move(t *table) {
	old, first, end := f.holder(t, f.moved)
	hashes := f.work.hashes[:0]
	for block := first; block < end; block++ {
		hashes = old.appendHashes(hashes, block)
		old.clear(block)
	}
	f.work.hashes = hashes
	f.moved++
	to, first, end := f.holder(t, f.moved-1)
	for block := first; block < end; block++ {
		low, high := lowest(block, len(to.blocks)), lowest(block+1, len(to.blocks))-1
		entries := f.work.entries[:0]
		for _, hash := range hashes {
			if entry := hash - low; entry <= high-low {
				entries = append(entries, entry)
				to.push(block, entry)
			}
		}
		to.blocks[block : block+1].AddBatch(entries)
		f.work.entries = entries
	}
}
