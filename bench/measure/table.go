package measure

import (
	"math/bits"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
)

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
	nblocks() int
	bytes() int64
	memory() []byte

	batch(im dispatch.Implementation, out *answers) operations
	methods() operations // of Table512 or Table256: what a program calls
	batchMethods(out *answers) operations
	merge(im dispatch.Implementation, src table)
	part(from, to int) table

	bare() operations // a loop in Go that reads, or reads and writes, one word of each block
	floors(set *instructionSet, distance int) operations
	or(set *instructionSet, src table)
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

// tableAt returns a table in memory that is aligned to a cache line.
func tableAt(width int, memory unsafe.Pointer, bytes int64) table {
	if width == 512 {
		return newTable512(unsafe.Slice((*kernel.Block512)(memory), bytes/int64(unsafe.Sizeof(kernel.Block512{}))))
	}
	return newTable256(unsafe.Slice((*kernel.Block256)(memory), bytes/int64(unsafe.Sizeof(kernel.Block256{}))))
}

// pagesHeap is what the Go runtime gives, which is where filters are in programs.
const pagesHeap = "heap"
