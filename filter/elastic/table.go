package elastic

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

// The blocks are split blocks: eight lanes of 32 bits, in each of which a key has one. Of the
// blocks that kernel has they take the fewest bits for a rate, and without a collision lane they
// are not deletable: here they need not be.
const (
	blockBytes = 32
	blockBits  = 8 * blockBytes
)

var blockShape = expected.Lanes{Count: 8, Bits: 32}

// table is blocks, which queries read, and for each a list of its members, from which it is built
// again. A block's hashes are an interval, because its number grows with the hash. An entry of a
// list is what is left of a hash: its distance from the lowest of the block, which has fewer bits
// the more blocks there are.
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

// lowest returns the lowest hash of a block, of a table of a number of them. For the block behind
// the last one it is 2^64, which is 0.
func lowest(block, nblocks int) uint64 {
	return (uint64(block)<<32 + uint64(nblocks) - 1) / uint64(nblocks) << 32
}

// block returns the block of a hash: kernel's.
func (t *table) block(hash uint64) int { return int(hash >> 32 * uint64(len(t.blocks)) >> 32) }

// place returns the block of a hash, and its entry there. The entry is as good as the hash for the
// bits of the block: they follow from the lower 32 bits, which both have.
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

func (a *arena) bytes() int { return segmentBytes * len(a.segments) }
