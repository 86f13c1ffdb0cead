package kernel

import (
	"fmt"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/hugepage"
)

// cacheLine is the alignment of a new table, in bytes.
const cacheLine = 64

// newTable returns n zero blocks of type B, the first of which begins a cache line.
func newTable[B Block256 | Block512 | SplitBlock](n int) []B {
	return aligned[B](hugepage.Make(wordsFor[B](n)), n)
}

// wordsFor returns how much memory aligned takes for n blocks, wherever its words lie.
func wordsFor[B Block256 | Block512 | SplitBlock](n int) int {
	return (n*int(unsafe.Sizeof(*new(B)))+cacheLine)/8 - 1
}

// aligned returns n blocks in memory, from the first cache line that begins there.
func aligned[B Block256 | Block512 | SplitBlock](memory []uint64, n int) []B {
	start := unsafe.Pointer(unsafe.SliceData(memory))
	gap := -uintptr(start) % cacheLine
	return unsafe.Slice((*B)(unsafe.Add(start, gap)), n)
}

// Words returns the lanes of the table, block by block, lane 0 first: the table's own memory.
func (t Table512) Words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(t))), len(t)*len(Block512{}))
}

// TableOfWords returns the table whose lanes the words are, 8 a block: it lies in their memory. It
// panics where words is no whole number of blocks.
func TableOfWords(words []uint64) Table512 {
	const lanes = len(Block512{})
	if len(words)%lanes != 0 {
		panic(fmt.Sprintf("kernel: a table of %d words, want a multiple of %d", len(words), lanes))
	}
	return unsafe.Slice((*Block512)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/lanes)
}

func requireSize(nblocks, blockBytes int) {
	if limit := (1<<(intBits-1) - 1) / blockBytes / 2; nblocks < 1 || nblocks > limit {
		panic(fmt.Sprintf("kernel: a new table of %d blocks: the number must be in 1..%d",
			nblocks, limit))
	}
}

// intBits is the width of an int.
const intBits = 32 << (^uint(0) >> 63)

// requireBlocks panics unless a table of nblocks has the blocks from first to end, and these are
// some.
func requireBlocks(op string, first, end, nblocks int) {
	if first < 0 || end <= first || end > nblocks {
		panic(fmt.Sprintf("kernel: %s: blocks from %d to %d of a table of %d", op, first,
			end, nblocks))
	}
}

// requireHalf panics unless a table of nblocks can be the fold of one of other blocks.
func requireHalf(nblocks, other int) {
	if other%2 != 0 || other/2 != nblocks {
		panic(fmt.Sprintf("kernel: Fold: a table of %d blocks into one of %d, which is not half "+
			"of that", other, nblocks))
	}
}

// requireEqual panics unless two tables have the same number of blocks.
func requireEqual(op string, nblocks, other int) {
	if nblocks != other {
		panic(fmt.Sprintf("kernel: %s: a table of %d blocks and one of %d", op, nblocks, other))
	}
}
