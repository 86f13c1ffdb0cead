package measure

import "github.com/bloomlane/bloomlane/fallback"

// distance is how many keys ahead the prefetching floors prefetch, as package kernel does.
const distance = 128

// instructionSet is the floors of one instruction set.
type instructionSet struct {
	name string
	w64  loops[uint64]
	w32  loops[uint32]
}

// loops are the loops of package floor for one width, and the prefetch of package asm.
type loops[L fallback.Lane] struct {
	fetch   func(table *[8]L, nblocks int, hashes *uint64, n int)
	load    func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int)
	rewrite func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int, pattern *[8]L)
	or      func(dst, src *[8]L, n int)
}

// floors returns the bare loops at the prefetch distance d, 0 being none. The rewriting one ORs the pattern
// into each block: nothing, where the bits are to stay.
func (l *loops[L]) floors(t lanes[L], d int, pattern *[8]L) operations {
	ahead := func(loop func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int)) stream {
		return func(hashes []uint64) int {
			d, fetch := min(d, len(hashes)), 0
			if d > 0 {
				l.fetch(&t[0], len(t), &hashes[0], d)
				fetch = len(hashes) - d
			}
			loop(&t[0], len(t), &hashes[0], len(hashes), fetch, d)
			return 0
		}
	}
	rewrite := ahead(func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) {
		l.rewrite(table, nblocks, hashes, n, fetch, distance, pattern)
	})
	return operations{query: ahead(l.load), insert: rewrite, remove: rewrite}
}
