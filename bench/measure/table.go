package measure

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/kernels"
)

// answers is where batches write.
type answers struct {
	present   []uint64
	positions []uint32
	status    []kernel.Status
}

func newAnswers(keys int) *answers {
	return &answers{make([]uint64, (keys+63)/64), make([]uint32, keys),
		make([]kernel.Status, keys)}
}

// table is a table of either width, and the ways to use it.
type table interface {
	nblocks() int
	bytes() int64
	memory() []byte
	part(from, to int) table

	batch(im dispatch.Implementation, out *answers) operations
	methods() operations // of Table512 or Table256: what a program calls
	batchMethods(out *answers) operations
	merge(im dispatch.Implementation) func(dst, src table)

	bare() operations // a loop in Go that reads, or reads and writes, one word of each block
	floors(set *instructionSet, distance int) operations
	or(set *instructionSet) func(dst, src table)
}

// lanes is the blocks of a table as packages fallback and asm have them.
type lanes[L fallback.Lane] [][fallback.Lanes]L

func (t lanes[L]) nblocks() int { return len(t) }
func (t lanes[L]) bytes() int64 { return int64(len(t)) * int64(unsafe.Sizeof(t[0])) }
func (t lanes[L]) memory() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&t[0])), t.bytes())
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (t lanes[L]) bare() operations {
	rewrite := func(hashes []uint64) int { kernels.RewriteEach(t, hashes); return 0 }
	return operations{
		query:  func(hashes []uint64) int { kernels.ReadEach(t, hashes); return 0 },
		insert: rewrite, remove: rewrite,
	}
}

// blocks is a table, with what differs by its width.
type blocks[L fallback.Lane] struct {
	lanes[L]
	implementation func(im dispatch.Implementation) dispatch.Operations[L]
	loops          func(set *instructionSet) *loops[L]
	single         operations // on kernel's methods of one key
	batches        func(out *answers) operations
	cut            func(from, to int) table
}

func (t *blocks[L]) part(from, to int) table              { return t.cut(from, to) }
func (t *blocks[L]) methods() operations                  { return t.single }
func (t *blocks[L]) batchMethods(out *answers) operations { return t.batches(out) }

func (t *blocks[L]) batch(im dispatch.Implementation, out *answers) operations {
	do, status := t.implementation(im), dispatch.Bytes(out.status)
	return operations{
		query:  func(hashes []uint64) int { return do.QueryBatch(t.lanes, hashes, out.present) },
		choose: func(hashes []uint64) int { return do.SelectBatch(t.lanes, hashes, out.positions) },
		insert: func(hashes []uint64) int { return do.InsertBatch(t.lanes, hashes, out.present) },
		remove: func(hashes []uint64) int { return do.DeleteBatch(t.lanes, hashes, status) },
	}
}

func (t *blocks[L]) merge(im dispatch.Implementation) func(dst, src table) {
	merge := t.implementation(im).Merge
	return func(dst, src table) { merge(dst.(*blocks[L]).lanes, src.(*blocks[L]).lanes) }
}

func (t *blocks[L]) floors(set *instructionSet, distance int) operations {
	return t.loops(set).floors(t.lanes, distance, new([fallback.Lanes]L))
}

func (t *blocks[L]) or(set *instructionSet) func(dst, src table) {
	or := t.loops(set).floor.Or
	return func(dst, src table) {
		to, from := dst.(*blocks[L]).lanes, src.(*blocks[L]).lanes
		or(&to[0], &from[0], len(to))
	}
}

// tableAt returns a table in memory that is aligned to a cache line.
func tableAt(width int, memory unsafe.Pointer, bytes int64) table {
	if width == 512 {
		return newTable512(unsafe.Slice((*kernel.Block512)(memory),
			bytes/int64(unsafe.Sizeof(kernel.Block512{}))))
	}
	return newTable256(unsafe.Slice((*kernel.Block256)(memory),
		bytes/int64(unsafe.Sizeof(kernel.Block256{}))))
}

// The kinds of pages.
const (
	pages4K   = "4KiB"
	pagesHuge = "huge"
	pagesHeap = "heap" // what the Go runtime gives, which is where filters are in programs

	hugeBytes = 2 << 20
)

func newTable512(t kernel.Table512) table {
	return &blocks[uint64]{
		lanes:          dispatch.Lanes(t),
		implementation: dispatch.Implementation.Operations512,
		loops:          func(set *instructionSet) *loops[uint64] { return &set.w64 },
		single: operations{
			query:  func(hashes []uint64) int { return query512(t, hashes) },
			insert: func(hashes []uint64) int { return insert512(t, hashes) },
			remove: func(hashes []uint64) int { return delete512(t, hashes) },
		},
		batches: func(out *answers) operations {
			return operations{
				query: func(hashes []uint64) int { return t.QueryBatch(hashes, out.present) },
				insert: func(hashes []uint64) int {
					return t.QueryInsertBatch(hashes, out.present)
				},
				remove: func(hashes []uint64) int { return t.DeleteBatch(hashes, out.status) },
			}
		},
		cut: func(from, to int) table { return newTable512(t[from:to]) },
	}
}

func newTable256(t kernel.Table256) table {
	return &blocks[uint32]{
		lanes:          dispatch.Lanes(t),
		implementation: dispatch.Implementation.Operations256,
		loops:          func(set *instructionSet) *loops[uint32] { return &set.w32 },
		single: operations{
			query:  func(hashes []uint64) int { return query256(t, hashes) },
			insert: func(hashes []uint64) int { return insert256(t, hashes) },
			remove: func(hashes []uint64) int { return delete256(t, hashes) },
		},
		batches: func(out *answers) operations {
			return operations{
				query: func(hashes []uint64) int { return t.QueryBatch(hashes, out.present) },
				insert: func(hashes []uint64) int {
					return t.QueryInsertBatch(hashes, out.present)
				},
				remove: func(hashes []uint64) int { return t.DeleteBatch(hashes, out.status) },
			}
		},
		cut: func(from, to int) table { return newTable256(t[from:to]) },
	}
}

// The loops over single keys are functions of each width, as in programs: one that is generic in
// the width would not inline kernel's methods, and of literals that return from a method the
// compiler made loops in which a query took twice the time.

func query512(table kernel.Table512, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(table.Query(h))
	}
	return yes
}

func insert512(table kernel.Table512, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(table.Insert(h))
	}
	return yes
}

func delete512(table kernel.Table512, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(table.Delete(h) == kernel.Deleted)
	}
	return yes
}

func query256(table kernel.Table256, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(table.Query(h))
	}
	return yes
}

func insert256(table kernel.Table256, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(table.Insert(h))
	}
	return yes
}

func delete256(table kernel.Table256, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(table.Delete(h) == kernel.Deleted)
	}
	return yes
}
