package main

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel"
)

// The operations, as results name them.
const (
	opQuery  = "query"
	opInsert = "insert"
	opDelete = "delete"
	opMerge  = "merge"
	opMatch  = "match"
)

// The forms of an operation.
const (
	formBatch  = "batch"
	formSingle = "single"
)

// distance is how many keys ahead the prefetching floors prefetch, as package kernel does.
const distance = 64

// instructionSet is the assembly of one instruction set: the loops of package floor and the stubs of
// package asm.
type instructionSet struct {
	name          string
	fetch         func(table *[8]uint64, nblocks int, hashes *uint64, n int)
	load          func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int)
	rewrite       func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int, pattern *[8]uint64)
	or            func(dst, src *[8]uint64, n int)
	query, insert func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int, hits *uint64) int
	delete        func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int, status *uint8) int
}

// stream is a way to run an operation on a slice of hashes; it returns how often the answer was yes:
// present, present before, deleted.
type stream func(table kernel.Table512, hashes []uint64) int

// ahead runs an assembly loop with the prefetch distance d, 0 being none.
func (set *instructionSet) ahead(table kernel.Table512, hashes []uint64, d int,
	loop func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int) int) int {
	lanes, fetch := (*[8]uint64)(&table[0]), 0
	if d > 0 {
		set.fetch(lanes, len(table), &hashes[0], d)
		fetch = len(hashes) - d
	}
	return loop(lanes, len(table), &hashes[0], len(hashes), fetch, d)
}

// floorLoad and floorRewrite are the floors at the prefetch distance d.

func (set *instructionSet) floorLoad(d int) stream {
	return func(table kernel.Table512, hashes []uint64) int {
		return set.ahead(table, hashes, d, func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int) int {
			set.load(table, nblocks, hashes, n, fetch, distance)
			return 0
		})
	}
}

// floorRewrite ORs the pattern into each block. Nothing, in the benchmark: the bits stay.
func (set *instructionSet) floorRewrite(d int, pattern *[8]uint64) stream {
	return func(table kernel.Table512, hashes []uint64) int {
		return set.ahead(table, hashes, d, func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int) int {
			set.rewrite(table, nblocks, hashes, n, fetch, distance, pattern)
			return 0
		})
	}
}

// The operations through package asm, at the prefetch distance d.

func (set *instructionSet) queryAhead(d int, a *arena) stream {
	return func(table kernel.Table512, hashes []uint64) int {
		return set.ahead(table, hashes, d, func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return set.query(table, nblocks, hashes, n, fetch, distance, &a.hits[0])
		})
	}
}

func (set *instructionSet) insertAhead(d int, a *arena) stream {
	return func(table kernel.Table512, hashes []uint64) int {
		return set.ahead(table, hashes, d, func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return set.insert(table, nblocks, hashes, n, fetch, distance, &a.hits[0])
		})
	}
}

func (set *instructionSet) deleteAhead(d int, a *arena) stream {
	return func(table kernel.Table512, hashes []uint64) int {
		return set.ahead(table, hashes, d, func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int) int {
			return set.delete(table, nblocks, hashes, n, fetch, distance, (*uint8)(&a.status[0]))
		})
	}
}

// queries and updates give contenders to run on the arena's tables of the given pages: queries have
// one phase, and updates two, a delete and then an insert of the same keys.

func (a *arena) queries(r row, isFloor bool, pages string, query stream) contender {
	table := a.tables[pages]
	r.Pages, r.Bytes = pages, a.bytes
	return contender{
		row: r, isFloor: isFloor, names: []string{opQuery},
		prepare: func(i int) { warm(table, slice(a.asked, i)) },
		phases:  []func(int) int{func(i int) int { return query(table, slice(a.asked, i)) }},
	}
}

func (a *arena) updates(r row, isFloor bool, pages string, remove, insert stream) contender {
	table := a.tables[pages]
	r.Pages, r.Bytes = pages, a.bytes
	return contender{
		row: r, isFloor: isFloor, names: []string{opDelete, opInsert},
		prepare: func(i int) { warm(table, slice(a.stream, i)) },
		phases: []func(int) int{
			func(i int) int { return remove(table, slice(a.stream, i)) },
			func(i int) int { return insert(table, slice(a.stream, i)) },
		},
	}
}

// batches returns the contenders for batches: the floors and every implementation.
func (a *arena) batches() (queries, updates []contender) {
	var nothing [8]uint64
	for _, pages := range pageKinds {
		for _, set := range assembly() {
			for _, d := range []int{0, distance} {
				r := row{Form: formBatch, Implementation: fmt.Sprintf("%s, distance %d", set.name, d)}
				rewrite := set.floorRewrite(d, &nothing)
				queries = append(queries, a.queries(r, true, pages, set.floorLoad(d)))
				updates = append(updates, a.updates(r, true, pages, rewrite, rewrite))
			}
		}
		for _, im := range kernel.Implementations() {
			r := row{Form: formBatch, Implementation: im.String()}
			queries = append(queries, a.queries(r, false, pages, func(table kernel.Table512, hashes []uint64) int {
				return im.QueryBatch512(table, hashes, a.hits)
			}))
			updates = append(updates, a.updates(r, false, pages,
				func(table kernel.Table512, hashes []uint64) int { return im.DeleteBatch512(table, hashes, a.status) },
				func(table kernel.Table512, hashes []uint64) int { return im.InsertBatch512(table, hashes, a.hits) }))
		}
	}
	return queries, updates
}

// singles returns the contenders for loops over one key at a time: the bare loop, the methods of
// Table512, each implementation by name, and package fallback called without a dispatch.
func (a *arena) singles() (queries, updates []contender) {
	for _, pages := range pageKinds {
		add := func(name string, isFloor bool, query, remove, insert stream) {
			r := row{Form: formSingle, Implementation: name}
			queries = append(queries, a.queries(r, isFloor, pages, query))
			updates = append(updates, a.updates(r, isFloor, pages, remove, insert))
		}
		add("loop in Go", true, bareLoad, bareRewrite, bareRewrite)
		add("loop in Go, one by one", true, chainedLoad, chainedRewrite, chainedRewrite)
		add("Table512",
			false,
			func(table kernel.Table512, hashes []uint64) (yes int) {
				for _, h := range hashes {
					yes += one(table.Query(h))
				}
				return yes
			},
			func(table kernel.Table512, hashes []uint64) (yes int) {
				for _, h := range hashes {
					yes += one(table.Delete(h) == kernel.Deleted)
				}
				return yes
			},
			func(table kernel.Table512, hashes []uint64) (yes int) {
				for _, h := range hashes {
					yes += one(table.Insert(h))
				}
				return yes
			})
		for _, im := range kernel.Implementations() {
			add(im.String(),
				false,
				func(table kernel.Table512, hashes []uint64) (yes int) {
					for _, h := range hashes {
						yes += one(im.Query512(table, h))
					}
					return yes
				},
				func(table kernel.Table512, hashes []uint64) (yes int) {
					for _, h := range hashes {
						yes += one(im.Delete512(table, h) == kernel.Deleted)
					}
					return yes
				},
				func(table kernel.Table512, hashes []uint64) (yes int) {
					for _, h := range hashes {
						yes += one(im.Insert512(table, h))
					}
					return yes
				})
		}
		table := a.tables[pages]
		lanes := unsafe.Slice((*[8]uint64)(&table[0]), len(table)) // as package fallback has it
		add("fallback, direct",
			false,
			func(_ kernel.Table512, hashes []uint64) (yes int) {
				for _, h := range hashes {
					yes += one(fallback.Query(lanes, h))
				}
				return yes
			},
			func(_ kernel.Table512, hashes []uint64) (yes int) {
				for _, h := range hashes {
					yes += one(fallback.Delete(lanes, h) == fallback.Deleted)
				}
				return yes
			},
			func(_ kernel.Table512, hashes []uint64) (yes int) {
				for _, h := range hashes {
					yes += one(fallback.Insert(lanes, h))
				}
				return yes
			})
	}
	return queries, updates
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// bareLoad and bareRewrite read, and read and write, one word of the block of each hash.

func bareLoad(table kernel.Table512, hashes []uint64) int {
	var sum uint64
	for _, h := range hashes {
		i, _ := bits.Mul64(h, uint64(len(table)))
		sum |= table[i][1]
	}
	return int(sum & nothing) // which keeps the loads
}

func bareRewrite(table kernel.Table512, hashes []uint64) int {
	for _, h := range hashes {
		i, _ := bits.Mul64(h, uint64(len(table)))
		table[i][1] |= nothing
	}
	return 0
}

// chainedLoad and chainedRewrite do the same, and begin a key when the one before has come: what a
// program sees that needs the answer to go on.

func chainedLoad(table kernel.Table512, hashes []uint64) int {
	var last uint64
	for _, h := range hashes {
		i, _ := bits.Mul64(h^last&nothing, uint64(len(table)))
		last = table[i][1]
	}
	return int(last & nothing)
}

func chainedRewrite(table kernel.Table512, hashes []uint64) int {
	var last uint64
	for _, h := range hashes {
		i, _ := bits.Mul64(h^last&nothing, uint64(len(table)))
		last = table[i][1]
		table[i][1] = last | nothing
	}
	return 0
}

// nothing is zero, which the compiler does not know.
var nothing uint64

// distances are those of the sweep.
var distances = []int{0, 8, 16, 32, 48, 64, 96, 128}

// sweep returns the contenders of the prefetch-distance sweep of an instruction set.
func (a *arena) sweep(set instructionSet) (queries, updates []contender) {
	var nothing [8]uint64
	for _, pages := range pageKinds {
		for _, d := range distances {
			r := row{Form: formBatch, Implementation: set.name, Distance: &d}
			rewrite := set.floorRewrite(d, &nothing)
			queries = append(queries,
				a.queries(r, true, pages, set.floorLoad(d)),
				a.queries(r, false, pages, set.queryAhead(d, a)))
			updates = append(updates,
				a.updates(r, true, pages, rewrite, rewrite),
				a.updates(r, false, pages, set.deleteAhead(d, a), set.insertAhead(d, a)))
		}
	}
	return queries, updates
}
