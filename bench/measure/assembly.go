package measure

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/bench/floor"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// distance is how many keys ahead the prefetching floors prefetch, as package kernel does.
const distance = dispatch.FetchDistance

// instructionSet is the assembly of one instruction set.
type instructionSet struct {
	name string
	w64  loops[uint64]
	w32  loops[uint32]
}

// loops are the functions of packages asm and floor for one width.
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
				all = append(all, instructionSet{set.Name, loops[uint64]{set.W512, floors.W512}, loops[uint32]{set.W256, floors.W256}})
			}
		}
	}
	return all
}

// ahead returns a stream that runs an assembly loop with the prefetch distance d, 0 being none.
func (l *loops[L]) ahead(t lanes[L], d int, loop func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int) stream {
	return func(hashes []uint64) int {
		d, fetch := min(d, len(hashes)), 0
		if d > 0 {
			l.asm.Fetch(&t[0], len(t), &hashes[0], d)
			fetch = len(hashes) - d
		}
		return loop(&t[0], len(t), &hashes[0], len(hashes), fetch, d)
	}
}

// floors returns the bare loops at the prefetch distance d. The rewriting one ORs the pattern into
// each block: nothing, where the bits are to stay.
func (l *loops[L]) floors(t lanes[L], d int, pattern *[8]L) operations {
	rewrite := l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
		l.floor.Rewrite(table, nblocks, hashes, n, fetch, distance, pattern)
		return 0
	})
	return operations{
		query: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			l.floor.Load(table, nblocks, hashes, n, fetch, distance)
			return 0
		}),
		insert: rewrite, remove: rewrite,
	}
}

// operations returns the operations of package asm at the prefetch distance d.
func (l *loops[L]) operations(t lanes[L], d int, out *answers) operations {
	return operations{
		query: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return l.asm.QueryBatch(table, nblocks, hashes, n, fetch, distance, &out.hits[0])
		}),
		insert: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return l.asm.InsertBatch(table, nblocks, hashes, n, fetch, distance, &out.hits[0])
		}),
		remove: l.ahead(t, d, func(table *[8]L, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return l.asm.DeleteBatch(table, nblocks, hashes, n, fetch, distance, (*uint8)(&out.status[0]))
		}),
	}
}
