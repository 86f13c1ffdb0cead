package measure

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
)

// table512 is a table of Block512.
type table512 struct {
	lanes[uint64]
	table kernel.Table512 // the same blocks
}

func newTable512(table kernel.Table512) table512 {
	return table512{unsafe.Slice((*[8]uint64)(&table[0]), len(table)), table}
}

func (t table512) part(from, to int) table { return newTable512(t.table[from:to]) }

func (t table512) batch(im dispatch.Implementation, out *answers) operations {
	return operations{
		query:  func(hashes []uint64) int { return im.QueryBatch512(t.lanes, hashes, out.hits) },
		insert: func(hashes []uint64) int { return im.InsertBatch512(t.lanes, hashes, out.hits) },
		remove: func(hashes []uint64) int { return im.DeleteBatch512(t.lanes, hashes, dispatch.Bytes(out.status)) },
	}
}

func (t table512) methods() operations {
	return operations{
		query:  func(hashes []uint64) int { return query512(t.table, hashes) },
		insert: func(hashes []uint64) int { return insert512(t.table, hashes) },
		remove: func(hashes []uint64) int { return delete512(t.table, hashes) },
	}
}

func (t table512) batchMethods(out *answers) operations {
	return operations{
		query:  func(hashes []uint64) int { return t.table.QueryBatch(hashes, out.hits) },
		insert: func(hashes []uint64) int { return t.table.InsertBatch(hashes, out.hits) },
		remove: func(hashes []uint64) int { return t.table.DeleteBatch(hashes, out.status) },
	}
}

func (t table512) single(im dispatch.Implementation) operations {
	return operations{
		query:  func(hashes []uint64) int { return queryBy512(im, t.lanes, hashes) },
		insert: func(hashes []uint64) int { return insertBy512(im, t.lanes, hashes) },
		remove: func(hashes []uint64) int { return deleteBy512(im, t.lanes, hashes) },
	}
}

// The loops over single keys are functions, as in programs: as literals that return from a method, the
// compiler made loops of them in which a query took twice the time.

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

func queryBy512(im dispatch.Implementation, table [][8]uint64, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(im.Query512(table, h))
	}
	return yes
}

func insertBy512(im dispatch.Implementation, table [][8]uint64, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(im.Insert512(table, h))
	}
	return yes
}

func deleteBy512(im dispatch.Implementation, table [][8]uint64, hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(im.Delete512(table, h) == uint8(kernel.Deleted))
	}
	return yes
}

func (t table512) merge(im dispatch.Implementation, src table) {
	im.Merge512(t.lanes, src.(table512).lanes)
}

func (t table512) floors(set *instructionSet, distance int) operations {
	var nothing [8]uint64
	return set.w64.floors(t.lanes, distance, &nothing)
}

func (t table512) ahead(set *instructionSet, distance int, out *answers) operations {
	return set.w64.operations(t.lanes, distance, out)
}

func (t table512) or(set *instructionSet, src table) {
	set.w64.floor.Or(&t.lanes[0], &src.(table512).lanes[0], len(t.lanes))
}
