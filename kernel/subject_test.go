package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// subject is what the laws test: one implementation at one width, or the methods of tables and
// blocks that users call, as functions on built-in types.
type subject[T fallback.Lane] struct {
	query       func(table [][8]T, h uint64) bool
	insert      func(table [][8]T, h uint64) bool
	delete      func(table [][8]T, h uint64) Status
	queryBatch  func(table [][8]T, hashes, present []uint64) int
	selectBatch func(table [][8]T, hashes []uint64, positions []uint32) int
	insertBatch func(table [][8]T, hashes, present []uint64) int
	deleteBatch func(table [][8]T, hashes []uint64, status []Status) int
	insertPart  func(part [][8]T, first, nblocks int, hashes []uint64)
	merge       func(table, other [][8]T)
	matchBatch  func(block *[8]T, masks [][8]T, present []uint64) int

	interval func(table [][8]T, first, end int) (low, high uint64)
	replace  func(table [][8]T, first int, part [][8]T)

	fold, intersect func(table, other [][8]T)

	// Operations on one block, which every implementation takes from fallback.
	queryMask  func(block, mask *[8]T) bool
	insertMask func(block, mask *[8]T) bool
	deleteMask func(block, mask *[8]T) Status
	mergeBlock func(block, other *[8]T)
}

// implementation returns the operations of an implementation; the rest are methods.
func implementation[T fallback.Lane](ops dispatch.Operations[T], s subject[T]) subject[T] {
	s.query, s.insert, s.queryBatch, s.insertBatch = ops.Query, ops.Insert, ops.QueryBatch,
		ops.InsertBatch
	s.delete = func(t [][8]T, h uint64) Status { return Status(ops.Delete(t, h)) }
	s.deleteBatch = func(t [][8]T, hashes []uint64, status []Status) int {
		return ops.DeleteBatch(t, hashes, dispatch.Bytes(status))
	}
	s.selectBatch = ops.SelectBatch
	s.insertPart, s.merge, s.matchBatch = ops.InsertPart, ops.Merge, ops.MatchBatch
	return s
}

func implementation512(im dispatch.Implementation) subject[uint64] {
	return implementation(im.Operations512(), methods512())
}

func implementation256(im dispatch.Implementation) subject[uint32] {
	return implementation(im.Operations256(), methods256())
}

func methods512() subject[uint64] { return methods[uint64, *Block512, Table512]() }
func methods256() subject[uint32] { return methods[uint32, *Block256, Table256]() }

// tableOf is Table512 or Table256, and blockOf a pointer to a block of it.
type tableOf[Table, Block any] interface {
	~[]Block
	Query(h uint64) bool
	Insert(h uint64) bool
	Delete(h uint64) Status
	QueryBatch(hashes, present []uint64) int
	SelectBatch(hashes []uint64, positions []uint32) int
	QueryInsertBatch(hashes, present []uint64) int
	DeleteBatch(hashes []uint64, status []Status) int
	InsertPart(first, nblocks int, hashes []uint64)
	Interval(first, end int) (low, high uint64)
	Replace(first int, part Table)
	Merge(u Table)
	Fold(u Table)
	Intersect(u Table)
}

type blockOf[Block any] interface {
	*Block
	Query(mask *Block) bool
	Insert(mask *Block) bool
	Delete(mask *Block) Status
	Merge(o *Block)
	MatchBatch(masks []Block, present []uint64) int
}

// methods returns the methods of a table and its blocks.
func methods[T fallback.Lane, Pointer blockOf[Block], Table tableOf[Table, Block],
	Block any]() subject[T] {
	table := func(t [][8]T) Table { return *(*Table)(unsafe.Pointer(&t)) }
	block := func(b *[8]T) Pointer { return Pointer((*Block)(unsafe.Pointer(b))) }
	mask := func(b *[8]T) *Block { return (*Block)(unsafe.Pointer(b)) }
	return subject[T]{
		query:  func(t [][8]T, h uint64) bool { return table(t).Query(h) },
		insert: func(t [][8]T, h uint64) bool { return table(t).Insert(h) },
		delete: func(t [][8]T, h uint64) Status { return table(t).Delete(h) },
		queryBatch: func(t [][8]T, hashes, present []uint64) int {
			return table(t).QueryBatch(hashes, present)
		},
		selectBatch: func(t [][8]T, hashes []uint64, positions []uint32) int {
			return table(t).SelectBatch(hashes, positions)
		},
		insertBatch: func(t [][8]T, hashes, present []uint64) int {
			return table(t).QueryInsertBatch(hashes, present)
		},
		deleteBatch: func(t [][8]T, hashes []uint64, status []Status) int {
			return table(t).DeleteBatch(hashes, status)
		},
		insertPart: func(t [][8]T, first, nblocks int, hashes []uint64) {
			table(t).InsertPart(first, nblocks, hashes)
		},
		interval: func(t [][8]T, first, end int) (low, high uint64) {
			return table(t).Interval(first, end)
		},
		replace:   func(t [][8]T, first int, part [][8]T) { table(t).Replace(first, table(part)) },
		merge:     func(t, u [][8]T) { table(t).Merge(table(u)) },
		fold:      func(t, u [][8]T) { table(t).Fold(table(u)) },
		intersect: func(t, u [][8]T) { table(t).Intersect(table(u)) },
		matchBatch: func(b *[8]T, masks [][8]T, present []uint64) int {
			return block(b).MatchBatch(table(masks), present)
		},
		queryMask:  func(b, m *[8]T) bool { return block(b).Query(mask(m)) },
		insertMask: func(b, m *[8]T) bool { return block(b).Insert(mask(m)) },
		deleteMask: func(b, m *[8]T) Status { return block(b).Delete(mask(m)) },
		mergeBlock: func(b, o *[8]T) { block(b).Merge(mask(o)) },
	}
}

// law is a law at both widths. Its functions run as subtests, once per implementation and once for
// the methods that users call.
type law struct {
	name string
	w64  func(*testing.T, subject[uint64])
	w32  func(*testing.T, subject[uint32])
}

func (l law) run(t *testing.T) {
	t.Run(l.name, func(t *testing.T) {
		for _, im := range dispatch.Implementations() {
			t.Run(fmt.Sprintf("512/%s", im), func(t *testing.T) { l.w64(t, implementation512(im)) })
			t.Run(fmt.Sprintf("256/%s", im), func(t *testing.T) { l.w32(t, implementation256(im)) })
		}
		t.Run("512/methods", func(t *testing.T) { l.w64(t, methods512()) })
		t.Run("256/methods", func(t *testing.T) { l.w32(t, methods256()) })
	})
}

// seeded returns a generator of the same numbers in every run.
func seeded[T fallback.Lane](seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(fallback.LaneBits[T]())))
}

// randomTable returns a table each bit of which is set with probability 1/2 if dense, else 1/8. No
// sequence of inserts need reach such a state, but all implementations must treat it alike.
func randomTable[T fallback.Lane](rng *rand.Rand, nblocks int, dense bool) [][8]T {
	table := make([][8]T, nblocks)
	for i := range table {
		table[i] = randomBlock[T](rng, dense)
	}
	return table
}

func randomBlock[T fallback.Lane](rng *rand.Rand, dense bool) (block [8]T) {
	for lane := range block {
		block[lane] = T(rng.Uint64())
		if !dense {
			block[lane] &= T(rng.Uint64())
			block[lane] &= T(rng.Uint64())
		}
	}
	return block
}

// guarded is a table between two random blocks. No operation on the table may write to these.
type guarded[T fallback.Lane] struct {
	whole, table [][8]T
}

// guard returns a copy of the table between two such blocks, which are the same for every table.
func guard[T fallback.Lane](table [][8]T) *guarded[T] {
	blocks := randomTable[T](seeded[T](31), 2, true)
	whole := slices.Concat(blocks[:1], table, blocks[1:])
	return &guarded[T]{whole, whole[1 : len(whole)-1 : len(whole)-1]}
}

// difference returns the index of the first element that differs in two slices of one length, or -1
// if they are equal.
func difference[E comparable](got, want []E) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

func bitOf(present []uint64, i int) bool { return present[i/64]>>(i%64)&1 != 0 }

// misaligned returns a table of zero blocks that begins the given number of lanes after the start
// of its memory.
func misaligned[T fallback.Lane](nblocks, offset int) [][8]T {
	lanes := make([]T, 8*nblocks+offset)
	return unsafe.Slice((*[8]T)(unsafe.Pointer(&lanes[offset])), nblocks)
}

func addressOf[B any](table []B) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(table))) }
