package elastic

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

// The blocks are split blocks: eight lanes of 32 bits, in each of which a key has one. Of the
// blocks of package kernel they need the fewest bits for a rate. They have no collision lane, so
// nothing can be deleted from them, but here blocks are built again.
const (
	blockBytes = 32
	blockBits  = 8 * blockBytes
)

var blockShape = expected.Lanes{Count: 8, Bits: 32}

// table is blocks, which queries read, and for each block a list of its members, from which it is
// built again. The hashes of a block are an interval, because the number of the block grows with
// the hash. An entry of a list is the distance of a hash from the lowest hash of the block. It has
// fewer bits the more blocks there are.
type table struct {
	blocks kernel.SplitBlockTable
	lists
}

func newTable(nblocks int, a *arena) *table {
	width := (bits.Len64(lowest(1, nblocks)-1) + 7) / 8
	return &table{kernel.NewSplitBlockTable(nblocks), lists{
		arena: a, heads: make([]link, nblocks), width: width, room: linkAt / width,
		mask: 1<<(8*width-1)<<1 - 1,
	}}
}

// clone returns a copy of the table, whose lists lie in the arena a.
func (t *table) clone(a *arena) *table {
	c := *t
	c.blocks, c.heads, c.arena = kernel.NewSplitBlockTable(len(t.blocks)), slices.Clone(t.heads), a
	copy(c.blocks, t.blocks)
	return &c
}

// String returns the size, in words.
func (t *table) String() string { return fmt.Sprintf("%d blocks", len(t.blocks)) }

// lowest returns the lowest hash of a block, in a table of nblocks. For the block behind the last
// one it would be 2^64, which is 0.
func lowest(block, nblocks int) uint64 {
	return (uint64(block)<<32 + uint64(nblocks) - 1) / uint64(nblocks) << 32
}

// block returns the block of a hash: kernel's.
func (t *table) block(hash uint64) int { return int(hash >> 32 * uint64(len(t.blocks)) >> 32) }

// place returns the block of a hash, and its entry there. The bits of a block follow from the lower
// 32 bits of a hash, which the entry has too.
func (t *table) place(hash uint64) (block int, entry uint64) {
	block = t.block(hash)
	return block, hash - lowest(block, len(t.blocks))
}

// appendHashes appends the hashes of the members of a block.
func (t *table) appendHashes(hashes []uint64, block int) []uint64 {
	n, low := len(hashes), lowest(block, len(t.blocks))
	hashes = t.append(hashes, block)
	for i := range hashes[n:] {
		hashes[n+i] += low
	}
	return hashes
}

func (t *table) fastBytes() int { return blockBytes * len(t.blocks) }

// slowBytes returns the bytes of the lists, without those of the arena.
func (t *table) slowBytes() int { return 4 * len(t.heads) }

func (a *arena) bytes() (n int) {
	for _, segment := range a.segments {
		n += chunkBytes * len(segment)
	}
	return n
}
