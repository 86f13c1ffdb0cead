package measure

import (
	"math/bits"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
)

// stream is a way to run an operation on hashes; it returns how often the answer was yes: present,
// present before, deleted.
type stream func(hashes []uint64) int

// operations are the streams of one way to use one table.
type operations struct{ query, insert, remove stream }

// answers is where batches write.
type answers struct {
	hits   []uint64
	status []kernel.Status
}

func newAnswers(keys int) *answers {
	return &answers{make([]uint64, (keys+63)/64), make([]kernel.Status, keys)}
}

// table is a table of either width, and the ways to use it. What calls package kernel is in a file a
// width, because a loop that is generic in it would not inline the methods of single keys.
type table interface {
	lane() int // bits
	nblocks() int
	bytes() int64
	memory() []byte

	batch(im dispatch.Implementation, out *answers) operations
	single(im dispatch.Implementation) operations
	methods() operations // of Table512 or Table256: what a program calls
	batchMethods(out *answers) operations
	merge(im dispatch.Implementation, src table)
	part(from, to int) table

	direct() operations  // package fallback without a dispatch
	bare() operations    // a loop in Go that reads, or reads and writes, one word of each block
	chained() operations // the same, one key after another
	floors(set *instructionSet, distance int) operations
	ahead(set *instructionSet, distance int, out *answers) operations // package asm
	or(set *instructionSet, src table)
}

// lanes is the blocks of a table as packages fallback and asm have them.
type lanes[L fallback.Lane] [][fallback.Lanes]L

func (t lanes[L]) lane() int    { return int(unsafe.Sizeof(*new(L))) * 8 }
func (t lanes[L]) nblocks() int { return len(t) }
func (t lanes[L]) bytes() int64 { return int64(len(t)) * int64(unsafe.Sizeof(t[0])) }
func (t lanes[L]) memory() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&t[0])), t.bytes())
}

func (t lanes[L]) direct() operations {
	return operations{
		query:  func(hashes []uint64) int { return queryDirect(t, hashes) },
		insert: func(hashes []uint64) int { return insertDirect(t, hashes) },
		remove: func(hashes []uint64) int { return deleteDirect(t, hashes) },
	}
}

func queryDirect[L fallback.Lane](t lanes[L], hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(fallback.Query(t, h))
	}
	return yes
}

func insertDirect[L fallback.Lane](t lanes[L], hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(fallback.Insert(t, h))
	}
	return yes
}

func deleteDirect[L fallback.Lane](t lanes[L], hashes []uint64) (yes int) {
	for _, h := range hashes {
		yes += one(fallback.Delete(t, h) == fallback.Deleted)
	}
	return yes
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// nothing is zero, which the compiler does not know: it keeps the loads of loops that read only.
var nothing uint64

func (t lanes[L]) bare() operations {
	rewrite := func(hashes []uint64) int {
		for _, h := range hashes {
			i, _ := bits.Mul64(h, uint64(len(t)))
			t[i][1] |= L(nothing)
		}
		return 0
	}
	return operations{
		query: func(hashes []uint64) int {
			var sum L
			for _, h := range hashes {
				i, _ := bits.Mul64(h, uint64(len(t)))
				sum |= t[i][1]
			}
			return int(sum & L(nothing))
		},
		insert: rewrite, remove: rewrite,
	}
}

// chained begins a key when the one before has come: what a program sees that needs the answer to go
// on.
func (t lanes[L]) chained() operations {
	rewrite := func(hashes []uint64) int {
		var last L
		for _, h := range hashes {
			i, _ := bits.Mul64(h^uint64(last)&nothing, uint64(len(t)))
			last = t[i][1]
			t[i][1] = last | L(nothing)
		}
		return 0
	}
	return operations{
		query: func(hashes []uint64) int {
			var last L
			for _, h := range hashes {
				i, _ := bits.Mul64(h^uint64(last)&nothing, uint64(len(t)))
				last = t[i][1]
			}
			return int(last & L(nothing))
		},
		insert: rewrite, remove: rewrite,
	}
}

// tableAt returns a table in memory that is aligned to a cache line.
func tableAt(lane int, memory unsafe.Pointer, bytes int64) table {
	if lane == 64 {
		return newTable512(unsafe.Slice((*kernel.Block512)(memory), bytes/int64(unsafe.Sizeof(kernel.Block512{}))))
	}
	return newTable256(unsafe.Slice((*kernel.Block256)(memory), bytes/int64(unsafe.Sizeof(kernel.Block256{}))))
}

// pagesHeap is what the Go runtime gives, which is where filters are in programs.
const pagesHeap = "heap"
