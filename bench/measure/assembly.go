package measure

import "github.com/bloomlane/bloomlane/fallback"

// distance is how many keys ahead the prefetching floors prefetch, as package kernel does.
const distance = 128

// instructionSet is the assembly of one instruction set.
type instructionSet struct {
	name string
	w64  loops[uint64]
	w32  loops[uint32]
}

// loops are the loops of package floor and the stubs of package asm for one width.
type loops[L fallback.Lane] struct {
	fetch         func(table *[8]L, nblocks int, hashes *uint64, n int)
	load          func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int)
	rewrite       func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int, pattern *[8]L)
	or            func(dst, src *[8]L, n int)
	query, insert func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int, hits *uint64) int
	delete        func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int, status *uint8) int
}

// ahead returns a stream that runs an assembly loop with the prefetch distance d, 0 being none.
func (l *loops[L]) ahead(t lanes[L], d int, loop func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int) stream {
	return func(hashes []uint64) int {
		d, fetch := min(d, len(hashes)), 0
		if d > 0 {
			l.fetch(&t[0], len(t), &hashes[0], d)
			fetch = len(hashes) - d
		}
		return loop(&t[0], len(t), &hashes[0], len(hashes), fetch, d)
	}
}

// floors returns the bare loops at the prefetch distance d. The rewriting one ORs the pattern into
// each block: nothing, where the bits are to stay.
func (l *loops[L]) floors(t lanes[L], d int, pattern *[8]L) operations {
	rewrite := l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
		l.rewrite(table, nblocks, hashes, n, fetch, distance, pattern)
		return 0
	})
	return operations{
		query: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			l.load(table, nblocks, hashes, n, fetch, distance)
			return 0
		}),
		insert: rewrite, remove: rewrite,
	}
}

// operations returns the operations of package asm at the prefetch distance d.
func (l *loops[L]) operations(t lanes[L], d int, out *answers) operations {
	return operations{
		query: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return l.query(table, nblocks, hashes, n, fetch, distance, &out.hits[0])
		}),
		insert: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return l.insert(table, nblocks, hashes, n, fetch, distance, &out.hits[0])
		}),
		remove: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return l.delete(table, nblocks, hashes, n, fetch, distance, (*uint8)(&out.status[0]))
		}),
	}
}
