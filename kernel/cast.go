package kernel

import (
	"fmt"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/hugepage"
)

// The named types of this package and the built-in types of fallback and asm have the same memory. These are
// the only casts between them. A table's slice is taken for the other as it is: unsafe.Slice would check the
// length anew, and a single query took 3.4 ns with that, and takes 2.7.

func lanes512(t Table512) [][8]uint64 {
	return *(*[][8]uint64)(unsafe.Pointer(&t))
}

func lanes256(t Table256) [][8]uint32 {
	return *(*[][8]uint32)(unsafe.Pointer(&t))
}

func bytes(status []Status) []uint8 {
	return unsafe.Slice((*uint8)(unsafe.SliceData(status)), len(status))
}

// cacheLine is the alignment of a new table, in bytes.
const cacheLine = 64

// newTable returns n zero blocks of type B, the first of which begins a cache line.
func newTable[B Block256 | Block512](n int) []B {
	memory := make([]uint64, wordsFor[B](n))
	hugepage.Advise(memory)
	return aligned[B](memory, n)
}

// wordsFor returns how much memory aligned takes for n blocks, wherever its words lie.
func wordsFor[B Block256 | Block512](n int) int {
	return (n*int(unsafe.Sizeof(*new(B)))+cacheLine)/8 - 1
}

// aligned returns n blocks in memory, from the first cache line that begins there.
func aligned[B Block256 | Block512](memory []uint64, n int) []B {
	start := unsafe.Pointer(unsafe.SliceData(memory))
	gap := -uintptr(start) % cacheLine
	return unsafe.Slice((*B)(unsafe.Add(start, gap)), n)
}

// Words returns the lanes of the table, block by block, lane 0 first: the table's own memory.
func (t Table512) Words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(t))), len(t)*len(Block512{}))
}

// TableOfWords returns the table whose lanes the words are, 8 a block: it lies in their memory. It panics
// where words is no whole number of blocks.
func TableOfWords(words []uint64) Table512 {
	const lanes = len(Block512{})
	if len(words)%lanes != 0 {
		panic(fmt.Sprintf("kernel: a table of %d words, want a multiple of %d", len(words), lanes))
	}
	return unsafe.Slice((*Block512)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/lanes)
}
