package parts

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
)

// Layout says how a table is cut into parts of equal size. The last part may be smaller.
type Layout struct {
	Blocks     int // blocks of the table, at least 1
	PartBlocks int // blocks per part, at least 1
}

// Parts returns the number of parts.
func (l Layout) Parts() int { return (l.Blocks-1)/l.PartBlocks + 1 }

// Of returns the part that has the block of a hash, from 0 to Parts() - 1.
func (l Layout) Of(hash uint64) int {
	block, _ := bits.Mul64(hash, uint64(l.Blocks))
	return int(block / uint64(l.PartBlocks))
}

// Range returns the blocks of a part. It panics unless part is from 0 to Parts() - 1.
func (l Layout) Range(part int) Range {
	if part < 0 || part >= l.Parts() {
		panic(fmt.Sprintf("parts: Range: part %d of %d parts", part, l.Parts()))
	}
	first := part * l.PartBlocks
	return Range{First: first, End: first + min(l.PartBlocks, l.Blocks-first), Blocks: l.Blocks}
}

// Range is the blocks First to End - 1 of a table of Blocks blocks.
type Range struct{ First, End, Blocks int }

// String returns the range in words.
func (r Range) String() string {
	return fmt.Sprintf("blocks %d to %d of %d", r.First, r.End, r.Blocks)
}

// PackBytes is the size of a full pack: 4096 hashes of 8 bytes each, the least significant byte
// first. Packs are so large that an engine that moves them has little work per hash.
const PackBytes = 32 << 10

// Packer groups hashes by part. It needs up to PackBytes of memory per part.
type Packer struct {
	layout Layout
	packs  [][]byte
}

// NewPacker returns an empty Packer.
func NewPacker(l Layout) *Packer { return &Packer{l, make([][]byte, l.Parts())} }

// Add adds a hash, and returns its part. If that makes a pack full, Add returns the pack, which
// then belongs to the caller; otherwise pack is nil.
func (p *Packer) Add(hash uint64) (part int, pack []byte) {
	part = p.layout.Of(hash)
	pack = binary.LittleEndian.AppendUint64(p.packs[part], hash)
	if len(pack) < PackBytes {
		p.packs[part] = pack
		return part, nil
	}
	p.packs[part] = nil
	return part, pack
}

// Rest yields the packs that are not full, with their parts, and removes them from p.
func (p *Packer) Rest() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for part, pack := range p.packs {
			p.packs[part] = nil
			if len(pack) > 0 && !yield(part, pack) {
				return
			}
		}
	}
}
