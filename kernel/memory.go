package kernel

import (
	"fmt"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/hugepage"
)

// cacheLine is the alignment of a new table, in bytes.
const cacheLine = 64

// newTable returns n zero blocks of type B, the first of which begins a cache line.
func newTable[B Block256 | Block512 | SplitBlock](n int) []B {
	dispatch.Depend()
	const line = cacheLine / 8
	words := (n*int(unsafe.Sizeof(*new(B)))/8 + line - 1) / line * line
	memory := hugepage.Make(words)
	// Go gives whole lines from the start of one, but does not promise it.
	if uintptr(unsafe.Pointer(unsafe.SliceData(memory)))%cacheLine != 0 {
		memory = hugepage.Make(wordsFor[B](n))
	}
	return aligned[B](memory, n)
}

// wordsFor returns how many words aligned needs for n blocks, wherever the memory begins.
func wordsFor[B Block256 | Block512 | SplitBlock](n int) int {
	return (n*int(unsafe.Sizeof(*new(B)))+cacheLine)/8 - 1
}

// aligned returns n blocks in memory, starting at the first cache line that begins in it.
func aligned[B Block256 | Block512 | SplitBlock](memory []uint64, n int) []B {
	start := unsafe.Pointer(unsafe.SliceData(memory))
	gap := -uintptr(start) % cacheLine
	return unsafe.Slice((*B)(unsafe.Add(start, gap)), n)
}

// Words returns the lanes of the table, block by block, lane 0 first. The slice is the memory of
// the table and no copy.
func (t Table512) Words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(t))), len(t)*len(Block512{}))
}

// TableOfWords returns the table whose lanes are words, 8 per block, lane 0 first. The table uses
// the memory of words and copies nothing. It panics if the number of words is no multiple of 8.
func TableOfWords(words []uint64) Table512 {
	const lanes = len(Block512{})
	if len(words)%lanes != 0 {
		panic(fmt.Sprintf("kernel: TableOfWords: %d words are no whole number of blocks, of %d "+
			"words each", len(words), lanes))
	}
	return unsafe.Slice((*Block512)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/lanes)
}

func requireSize(nblocks, blockBytes int) {
	if limit := (1<<(intBits-1) - 1) / blockBytes / 2; nblocks < 1 || nblocks > limit {
		panic(fmt.Sprintf("kernel: a new table of %d blocks: the number must be 1 to %d",
			nblocks, limit))
	}
}

// intBits is the width of an int.
const intBits = 32 << (^uint(0) >> 63)

// requireBlocks panics unless a table of nblocks has the blocks first to end - 1, and first is
// below end.
func requireBlocks(op string, first, end, nblocks int) {
	if first < 0 || end <= first || end > nblocks {
		panic(fmt.Sprintf("kernel: %s: a table of %d blocks has no blocks from %d to %d", op,
			nblocks, first, end))
	}
}

// fold makes t the fold of u. The index of a hash is the floor of x*n for n blocks and an x below 1,
// and floor(floor(x*n)/m) is floor(x*n/m).
func fold[B any](t, u []B, merge func(b, o *B)) {
	if len(t) == 0 && len(u) > 0 || len(t) > 0 && (len(u) == 0 || len(u)%len(t) != 0) {
		panic(fmt.Sprintf("kernel: Fold: a table of %d blocks into one of %d, which does not "+
			"divide that", len(u), len(t)))
	}
	for i := range t {
		m := len(u) / len(t)
		t[i] = u[m*i] // which no later block needs
		for j := range m - 1 {
			merge(&t[i], &u[m*i+1+j])
		}
	}
}

// requireEqual panics unless two tables have the same number of blocks.
func requireEqual(op string, nblocks, other int) {
	if nblocks != other {
		panic(fmt.Sprintf("kernel: %s: a table of %d blocks and one of %d differ in size", op,
			nblocks, other))
	}
}
