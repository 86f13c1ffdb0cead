package measure

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/bench/floor"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// distance is how many keys ahead the prefetching floors prefetch, as package kernel does.
const distance = dispatch.FetchDistance

// instructionSet is the floors of one instruction set.
type instructionSet struct {
	name string
	w64  loops[uint64]
	w32  loops[uint32]
}

// loops are the loops of package floor for one width, and the prefetch of package asm.
type loops[L fallback.Lane] struct {
	asm   asm.Functions[L]
	floor floor.Functions[L]
}

// assembly is the instruction sets that this program and this CPU have, the best first.
func assembly() (all []instructionSet) {
	for _, im := range dispatch.Implementations() {
		for i, set := range asm.Sets {
			if set.Name == im.String() {
				floors := floor.Sets[i]
				all = append(all, instructionSet{set.Name, loops[uint64]{set.W512, floors.W512},
					loops[uint32]{set.W256, floors.W256}})
			}
		}
	}
	return all
}

// floors returns the bare loops at the prefetch distance d, 0 being none. The rewriting one ORs the
// pattern into each block: nothing, where the bits are to stay.
func (l *loops[L]) floors(t lanes[L], d int, pattern *[8]L) operations {
	ahead := func(
		loop func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int),
	) stream {
		return func(hashes []uint64) int {
			d, fetch := min(d, len(hashes)), 0
			if d > 0 {
				l.asm.Fetch(&t[0], len(t), &hashes[0], d)
				fetch = len(hashes) - d
			}
			loop(&t[0], len(t), &hashes[0], len(hashes), fetch, d)
			return 0
		}
	}
	rewrite := ahead(func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) {
		l.floor.Rewrite(table, nblocks, hashes, n, fetch, distance, pattern)
	})
	return operations{query: ahead(l.floor.Load), insert: rewrite, remove: rewrite}
}
