package elastic

import (
	"encoding/binary"
	"slices"
)

const (
	chunkBytes    = 64             // a cache line
	linkAt        = chunkBytes - 4 // in a chunk
	segmentChunks = 64             // allocated together: 4 KiB, but for a small first segment
	segmentBytes  = segmentChunks * chunkBytes
	fillBits      = 4 // of a link
)

// chunk is a part of a list: entries, whose number is in its link, and in the last bytes the link
// to the next chunk.
type chunk [chunkBytes]byte

// link is the number of a chunk in its arena, from 1 on, and in the low bits the number of its
// entries. 0 ends a list.
type link uint32

func (l link) number() uint32 { return uint32(l) >> fillBits }
func (l link) fill() int      { return int(l & (1<<fillBits - 1)) }

func (c *chunk) next() link     { return link(binary.LittleEndian.Uint32(c[linkAt:])) }
func (c *chunk) setNext(l link) { binary.LittleEndian.PutUint32(c[linkAt:], uint32(l)) }

// arena is the memory of chunks. It is allocated in segments, so that no call allocates much.
// Chunks have numbers and no pointers, so a garbage collection does not look into them.
type arena struct {
	first    int // chunks of the first segment, which is smaller for a filter of few members
	segments [][]chunk
	made     uint32 // the number of the last chunk that was ever in use
	free     link   // the list of the chunks that are in no other list
}

// arena returns an empty arena, with room for the members of p in its first segment: each block has
// a chunk that is not full.
func (p *plan) arena() *arena {
	return &arena{first: min(segmentChunks, 1+p.blocks+p.members/(linkAt/8))}
}

// clone returns a copy of the arena, in which links mean the same.
func (a *arena) clone() *arena {
	c := &arena{first: a.first, segments: make([][]chunk, len(a.segments)), made: a.made,
		free: a.free}
	for i, segment := range a.segments {
		c.segments[i] = slices.Clone(segment)
	}
	return c
}

func (a *arena) chunk(l link) *chunk {
	segment, i := a.place(l.number())
	return &a.segments[segment][i]
}

// place returns the segment of a chunk, and its position there.
func (a *arena) place(number uint32) (segment, i int) {
	if i = int(number) - a.first; i < 0 {
		return 0, int(number)
	}
	return 1 + i/segmentChunks, i % segmentChunks
}

// take returns a chunk without entries.
func (a *arena) take() link {
	if l := a.free; l != 0 {
		a.free = a.chunk(l).next()
		return l
	}
	a.made++
	if segment, _ := a.place(a.made); segment == len(a.segments) {
		chunks := segmentChunks
		if segment == 0 {
			chunks = a.first
		}
		a.segments = append(a.segments, make([]chunk, chunks))
	}
	return link(a.made << fillBits)
}

// put takes a chunk back.
func (a *arena) put(l link) {
	l &^= 1<<fillBits - 1
	a.chunk(l).setNext(a.free)
	a.free = l
}

// lists has a list of entries for each block. All entries have the width that the largest one
// needs.
type lists struct {
	arena *arena
	heads []link
	width int // of an entry, in bytes
	room  int // for entries, in a chunk
	mask  uint64
}

func (l *lists) entry(c *chunk, i int) uint64 {
	return binary.LittleEndian.Uint64(c[i*l.width:]) & l.mask
}

func (l *lists) setEntry(c *chunk, i int, entry uint64) {
	b := c[i*l.width:]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)&^l.mask|entry)
}

// push adds an entry to the list of a block: to its first chunk, the only one that may have room.
func (l *lists) push(block int, entry uint64) {
	head := l.heads[block]
	if n := head.fill(); n == 0 || n == l.room {
		next := head
		head = l.arena.take()
		l.arena.chunk(head).setNext(next)
	}
	l.setEntry(l.arena.chunk(head), head.fill(), entry)
	l.heads[block] = head + 1
}

// append appends the list of a block to entries.
func (l *lists) append(entries []uint64, block int) []uint64 {
	for link := l.heads[block]; link != 0; {
		c := l.arena.chunk(link)
		for i := range link.fill() {
			entries = append(entries, l.entry(c, i))
		}
		link = c.next()
	}
	return entries
}

// remove removes entry i, in the order of append, from the list of a block. The last entry of the
// first chunk replaces it.
func (l *lists) remove(block, i int) {
	head := l.heads[block]
	first, last := l.arena.chunk(head), head.fill()-1
	current, c := head, first
	for i >= current.fill() {
		i -= current.fill()
		current = c.next()
		c = l.arena.chunk(current)
	}
	l.setEntry(c, i, l.entry(first, last))
	if last > 0 {
		l.heads[block]--
		return
	}
	l.heads[block] = first.next()
	l.arena.put(head)
}

// clear empties the list of a block.
func (l *lists) clear(block int) {
	for at := l.heads[block]; at != 0; {
		next := l.arena.chunk(at).next()
		l.arena.put(at)
		at = next
	}
	l.heads[block] = 0
}
