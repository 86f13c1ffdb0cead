package measure

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
)

// table256 is a table of Block256.
type table256 struct {
	lanes[uint32]
	table kernel.Table256 // the same blocks
}

func newTable256(table kernel.Table256) table256 {
	return table256{unsafe.Slice((*[8]uint32)(&table[0]), len(table)), table}
}

func (t table256) part(from, to int) table { return newTable256(t.table[from:to]) }

func (t table256) batch(im dispatch.Implementation, out *answers) operations {
	return operations{
		query:  func(hashes []uint64) int { return im.QueryBatch256(t.lanes, hashes, out.hits) },
		insert: func(hashes []uint64) int { return im.InsertBatch256(t.lanes, hashes, out.hits) },
		remove: func(hashes []uint64) int { return im.DeleteBatch256(t.lanes, hashes, dispatch.Bytes(out.status)) },
	}
}

func (t table256) methods() operations {
	return operations{
		query:  func(hashes []uint64) int { return query256(t.table, hashes) },
		insert: func(hashes []uint64) int { return insert256(t.table, hashes) },
		remove: func(hashes []uint64) int { return delete256(t.table, hashes) },
	}
}

func (t table256) batchMethods(out *answers) operations {
	return operations{
		query:  func(hashes []uint64) int { return t.table.QueryBatch(hashes, out.hits) },
		insert: func(hashes []uint64) int { return t.table.InsertBatch(hashes, out.hits) },
		remove: func(hashes []uint64) int { return t.table.DeleteBatch(hashes, out.status) },
	}
}

func (t table256) single(im dispatch.Implementation) operations {
	return operations{
		query:  func(hashes []uint64) int { return queryBy256(im, t.lanes, hashes) },
		insert: func(hashes []uint64) int { return insertBy256(im, t.lanes, hashes) },
		remove: func(hashes []uint64) int { return deleteBy256(im, t.lanes, hashes) },
	}
}

// The loops over single keys are functions, as in programs: as literals that return from a method, the
// compiler made loops of them in which a query took twice the time.

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

func queryBy256(im dispatch.Implementation, table [][8]uint32, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(im.Query256(table, h))
	}
	return yes
}

func insertBy256(im dispatch.Implementation, table [][8]uint32, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(im.Insert256(table, h))
	}
	return yes
}

func deleteBy256(im dispatch.Implementation, table [][8]uint32, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(im.Delete256(table, h) == uint8(kernel.Deleted))
	}
	return yes
}

func (t table256) merge(im dispatch.Implementation, src table) {
	im.Merge256(t.lanes, src.(table256).lanes)
}

func (t table256) floors(set *instructionSet, distance int) operations {
	var nothing [8]uint32
	return set.w32.floors(t.lanes, distance, &nothing)
}

func (t table256) ahead(set *instructionSet, distance int, out *answers) operations {
	return set.w32.operations(t.lanes, distance, out)
}

func (t table256) or(set *instructionSet, src table) {
	set.w32.floor.Or(&t.lanes[0], &src.(table256).lanes[0], len(t.lanes))
}
