package parts

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
)

// Layout is how a table is cut: into parts of as many blocks, of which the last may have fewer.
type Layout struct {
	Blocks     int // of the table, at least 1
	PartBlocks int // at least 1
}

// Parts returns the number of parts.
func (l Layout) Parts() int { return (l.Blocks-1)/l.PartBlocks + 1 }

// Of returns the part that has the block of a hash.
func (l Layout) Of(hash uint64) int {
	block, _ := bits.Mul64(hash, uint64(l.Blocks))
	return int(block / uint64(l.PartBlocks))
}

// Range returns the blocks of a part.
func (l Layout) Range(part int) Range {
	if part < 0 || part >= l.Parts() {
		panic(fmt.Sprintf("parts: part %d of %d", part, l.Parts()))
	}
	first := part * l.PartBlocks
	return Range{First: first, End: first + min(l.PartBlocks, l.Blocks-first), Blocks: l.Blocks}
}

// Range is some blocks of a table of Blocks: from First up to End, which is not one of them.
type Range struct{ First, End, Blocks int }

func (r Range) String() string {
	return fmt.Sprintf("blocks %d to %d of %d", r.First,
		r.End, r.Blocks)
}

// PackBytes is the size of a full pack: 4096 hashes of 8 bytes, the least significant first. An
// engine that moves packs has little to do for each hash.
const PackBytes = 32 << 10

// Packer groups hashes by part. It takes up to PackBytes of memory for each part.
type Packer struct {
	layout Layout
	packs  [][]byte
}

// NewPacker returns a Packer without hashes.
func NewPacker(l Layout) *Packer { return &Packer{l, make([][]byte, l.Parts())} }

// Add adds a hash. Where a pack is full with it, Add returns the pack and its part; else the pack
// is nil.
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

// Rest yields the packs that are not full, with their parts, and takes them away.
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
