package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// subject is one implementation at one width, or the methods of tables and blocks that users call,
// as functions on built-in types: what every law is a law of.
type subject[T fallback.Lane] struct {
	query       func(table [][8]T, h uint64) bool
	insert      func(table [][8]T, h uint64) bool
	delete      func(table [][8]T, h uint64) Status
	queryBatch  func(table [][8]T, hashes, hits []uint64) int
	insertBatch func(table [][8]T, hashes, hits []uint64) int
	deleteBatch func(table [][8]T, hashes []uint64, status []Status) int
	merge       func(table, other [][8]T)
	queryMask   func(block, mask *[8]T) bool
	insertMask  func(block, mask *[8]T) bool
	deleteMask  func(block, mask *[8]T) Status
	mergeBlock  func(block, other *[8]T)
	matchBatch  func(block *[8]T, masks [][8]T, hits []uint64) int
}

func table512(t [][8]uint64) Table512 { return *(*Table512)(unsafe.Pointer(&t)) }
func table256(t [][8]uint32) Table256 { return *(*Table256)(unsafe.Pointer(&t)) }
func block512(b *[8]uint64) *Block512 { return (*Block512)(b) }
func block256(b *[8]uint32) *Block256 { return (*Block256)(b) }

func implementation512(im Implementation) subject[uint64] {
	return subject[uint64]{
		query:       func(t [][8]uint64, h uint64) bool { return im.Query512(table512(t), h) },
		insert:      func(t [][8]uint64, h uint64) bool { return im.Insert512(table512(t), h) },
		delete:      func(t [][8]uint64, h uint64) Status { return im.Delete512(table512(t), h) },
		queryBatch:  func(t [][8]uint64, hashes, hits []uint64) int { return im.QueryBatch512(table512(t), hashes, hits) },
		insertBatch: func(t [][8]uint64, hashes, hits []uint64) int { return im.InsertBatch512(table512(t), hashes, hits) },
		deleteBatch: func(t [][8]uint64, hashes []uint64, status []Status) int {
			return im.DeleteBatch512(table512(t), hashes, status)
		},
		merge:      func(t, u [][8]uint64) { im.Merge512(table512(t), table512(u)) },
		queryMask:  func(b, m *[8]uint64) bool { return im.QueryMask512(block512(b), block512(m)) },
		insertMask: func(b, m *[8]uint64) bool { return im.InsertMask512(block512(b), block512(m)) },
		deleteMask: func(b, m *[8]uint64) Status { return im.DeleteMask512(block512(b), block512(m)) },
		mergeBlock: func(b, o *[8]uint64) { im.MergeBlock512(block512(b), block512(o)) },
		matchBatch: func(b *[8]uint64, masks [][8]uint64, hits []uint64) int {
			return im.MatchBatch512(block512(b), table512(masks), hits)
		},
	}
}

func methods512() subject[uint64] {
	return subject[uint64]{
		query:       func(t [][8]uint64, h uint64) bool { return table512(t).Query(h) },
		insert:      func(t [][8]uint64, h uint64) bool { return table512(t).Insert(h) },
		delete:      func(t [][8]uint64, h uint64) Status { return table512(t).Delete(h) },
		queryBatch:  func(t [][8]uint64, hashes, hits []uint64) int { return table512(t).QueryBatch(hashes, hits) },
		insertBatch: func(t [][8]uint64, hashes, hits []uint64) int { return table512(t).InsertBatch(hashes, hits) },
		deleteBatch: func(t [][8]uint64, hashes []uint64, status []Status) int {
			return table512(t).DeleteBatch(hashes, status)
		},
		merge:      func(t, u [][8]uint64) { table512(t).Merge(table512(u)) },
		queryMask:  func(b, m *[8]uint64) bool { return block512(b).Query(block512(m)) },
		insertMask: func(b, m *[8]uint64) bool { return block512(b).Insert(block512(m)) },
		deleteMask: func(b, m *[8]uint64) Status { return block512(b).Delete(block512(m)) },
		mergeBlock: func(b, o *[8]uint64) { block512(b).Merge(block512(o)) },
		matchBatch: func(b *[8]uint64, masks [][8]uint64, hits []uint64) int {
			return block512(b).MatchBatch(table512(masks), hits)
		},
	}
}

func implementation256(im Implementation) subject[uint32] {
	return subject[uint32]{
		query:       func(t [][8]uint32, h uint64) bool { return im.Query256(table256(t), h) },
		insert:      func(t [][8]uint32, h uint64) bool { return im.Insert256(table256(t), h) },
		delete:      func(t [][8]uint32, h uint64) Status { return im.Delete256(table256(t), h) },
		queryBatch:  func(t [][8]uint32, hashes, hits []uint64) int { return im.QueryBatch256(table256(t), hashes, hits) },
		insertBatch: func(t [][8]uint32, hashes, hits []uint64) int { return im.InsertBatch256(table256(t), hashes, hits) },
		deleteBatch: func(t [][8]uint32, hashes []uint64, status []Status) int {
			return im.DeleteBatch256(table256(t), hashes, status)
		},
		merge:      func(t, u [][8]uint32) { im.Merge256(table256(t), table256(u)) },
		queryMask:  func(b, m *[8]uint32) bool { return im.QueryMask256(block256(b), block256(m)) },
		insertMask: func(b, m *[8]uint32) bool { return im.InsertMask256(block256(b), block256(m)) },
		deleteMask: func(b, m *[8]uint32) Status { return im.DeleteMask256(block256(b), block256(m)) },
		mergeBlock: func(b, o *[8]uint32) { im.MergeBlock256(block256(b), block256(o)) },
		matchBatch: func(b *[8]uint32, masks [][8]uint32, hits []uint64) int {
			return im.MatchBatch256(block256(b), table256(masks), hits)
		},
	}
}

func methods256() subject[uint32] {
	return subject[uint32]{
		query:       func(t [][8]uint32, h uint64) bool { return table256(t).Query(h) },
		insert:      func(t [][8]uint32, h uint64) bool { return table256(t).Insert(h) },
		delete:      func(t [][8]uint32, h uint64) Status { return table256(t).Delete(h) },
		queryBatch:  func(t [][8]uint32, hashes, hits []uint64) int { return table256(t).QueryBatch(hashes, hits) },
		insertBatch: func(t [][8]uint32, hashes, hits []uint64) int { return table256(t).InsertBatch(hashes, hits) },
		deleteBatch: func(t [][8]uint32, hashes []uint64, status []Status) int {
			return table256(t).DeleteBatch(hashes, status)
		},
		merge:      func(t, u [][8]uint32) { table256(t).Merge(table256(u)) },
		queryMask:  func(b, m *[8]uint32) bool { return block256(b).Query(block256(m)) },
		insertMask: func(b, m *[8]uint32) bool { return block256(b).Insert(block256(m)) },
		deleteMask: func(b, m *[8]uint32) Status { return block256(b).Delete(block256(m)) },
		mergeBlock: func(b, o *[8]uint32) { block256(b).Merge(block256(o)) },
		matchBatch: func(b *[8]uint32, masks [][8]uint32, hits []uint64) int {
			return block256(b).MatchBatch(table256(masks), hits)
		},
	}
}

// law is a law at both widths. Its functions run as subtests, once for every implementation and
// once for the methods that users call.
type law struct {
	name string
	w64  func(*testing.T, subject[uint64])
	w32  func(*testing.T, subject[uint32])
}

func (l law) run(t *testing.T) {
	t.Run(l.name, func(t *testing.T) {
		for _, im := range Implementations() {
			t.Run(fmt.Sprintf("512/%s", im), func(t *testing.T) { l.w64(t, implementation512(im)) })
			t.Run(fmt.Sprintf("256/%s", im), func(t *testing.T) { l.w32(t, implementation256(im)) })
		}
		t.Run("512/methods", func(t *testing.T) { l.w64(t, methods512()) })
		t.Run("256/methods", func(t *testing.T) { l.w32(t, methods256()) })
	})
}

// seeded returns a generator that gives every run and every law of a width the same numbers.
func seeded[T fallback.Lane](seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(fallback.LaneBits[T]())))
}

func randomHashes(rng *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	return hashes
}

// randomTable returns a table whose every bit is set with probability 1/2 where dense, else 1/8:
// states that no sequence of inserts need reach, and that an implementation must handle alike.
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

// guarded is a table between two random blocks that no operation on the table may write.
type guarded[T fallback.Lane] struct {
	whole, table [][8]T
}

// guard returns a copy of the table between two such blocks, the same for every table.
func guard[T fallback.Lane](table [][8]T) *guarded[T] {
	blocks := randomTable[T](seeded[T](31), 2, true)
	whole := slices.Concat(blocks[:1], table, blocks[1:])
	return &guarded[T]{whole, whole[1 : len(whole)-1 : len(whole)-1]}
}

// difference returns the index of the first element in which two slices of one length differ, -1
// where none does.
func difference[E comparable](got, want []E) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

func bitOf(hits []uint64, i int) bool { return hits[i/64]>>(i%64)&1 != 0 }

// misaligned returns a table of zero blocks that begins the given number of lanes beyond where a
// slice of its lanes would.
func misaligned[T fallback.Lane](nblocks, offset int) [][8]T {
	lanes := make([]T, 8*nblocks+offset)
	return unsafe.Slice((*[8]T)(unsafe.Pointer(&lanes[offset])), nblocks)
}

func addressOf[B any](table []B) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(table))) }
