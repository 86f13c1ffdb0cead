package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"

	"github.com/bloomlane/bloomlane/fallback"
)

// constants are the rows of read-only data that turn a spread hash into a mask. A file has each of
// them once, for all its functions.
type constants struct {
	c    *build.Context
	made map[string]operand.Mem
}

// shape is the shape of a block: the width of its lanes, and whether lane 0 is a collision lane (1)
// or holds data too (0), in a filter without deletes.
//
// The zero shape is for functions without blocks.
type shape struct {
	laneBits, collisionLanes int
	keying                   *keying // how a hash becomes a key of it
}

// keying is how a hash becomes a key: the methods of a machine that do it, one after another.
type keying struct {
	name   string // what the functions of package fallback have behind theirs
	load   func(m machine, a address) word
	block  func(m machine, h word) address
	spread func(m machine, h word) word
	mask   func(m machine, g word) mask
}

// The keying of the format (fallback.Index and Mask), and Parquet's (IndexSplit and MaskSplit).
var (
	fieldKeys = &keying{"", machine.LoadHash, machine.Block, machine.Spread, machine.Mask}
	splitKeys = &keying{"Split", machine.LoadHalves, machine.BlockSplit,
		func(_ machine, h word) word { return h }, machine.MaskSplit}
)

// formats are the blocks of the format, in both widths, and blocks these and Parquet's.
var (
	formats = []shape{{64, fallback.CollisionLanes, fieldKeys},
		{32, fallback.CollisionLanes, fieldKeys}}
	splitBlock = shape{32, 0, splitKeys}
	blocks     = append(slices.Clone(formats), splitBlock)
)

// values is the shape of a row of values that are no block.
var values = shape{64, 0, nil}

// bits is the size of a block, and lane the type of a lane.
func (s shape) bits() int    { return fallback.Lanes * s.laneBits }
func (s shape) lane() string { return fmt.Sprintf("uint%d", s.laneBits) }

// String returns what the names of functions have of the shape: its bits, the name of its
// keying, or nothing.
func (s shape) String() string {
	switch {
	case s.keying == nil:
		return ""
	case s.keying.name != "":
		return s.keying.name
	}
	return fmt.Sprint(s.bits())
}

// hashed returns how a hash becomes a key of the block.
func (s shape) hashed() *keying { return s.keying }

// collides reports whether a block has a collision lane.
func (s shape) collides() bool { return s.collisionLanes > 0 }

// requireCollisionLane panics for a primitive that means nothing without a collision lane.
func (s shape) requireCollisionLane() {
	if s.collisionLanes != 1 {
		panic(fmt.Sprintf("avogen: a block of %d collision lanes, want 1", s.collisionLanes))
	}
}

// shift returns how far g goes to the right to bring the position in a data lane to bit 0.
func (s shape) shift(lane int) int {
	return 64 - log2(s.laneBits)*(lane+1-s.collisionLanes)
}

// ones has a one in every data lane and nothing in a collision lane, so that shifts of it leave the
// collision lane of a mask empty.
func (k *constants) ones(s shape) operand.Mem {
	return k.row("ones", s, func(lane int) uint64 {
		if lane < s.collisionLanes {
			return 0
		}
		return 1
	})
}

// positions has W-1 in every lane: what is left of a shifted g is a position.
func (k *constants) positions(s shape) operand.Mem {
	return k.row("positions", s, func(int) uint64 { return uint64(s.laneBits - 1) })
}

// shifts has the count by which g, or what picks left of it, is shifted to the right in each lane.
func (k *constants) shifts(s shape) operand.Mem {
	return k.row("shifts", s, func(lane int) uint64 {
		if lane < s.collisionLanes {
			return uint64(s.laneBits) // everything
		}
		return uint64(s.shift(lane) - 8*s.firstByte(lane))
	})
}

// salts has the factor of each lane of a split block.
func (k *constants) salts(s shape) operand.Mem {
	return k.row("salts", s, func(lane int) uint64 { return uint64(fallback.Salts[lane]) })
}

// picks has, for lanes that are narrower than g, the numbers of the four bytes of g that each lane
// gets before its shift. VPSHUFB writes a zero for a number whose high bit is set.
func (k *constants) picks(s shape) operand.Mem {
	return k.row("picks", s, func(lane int) uint64 {
		var bytes uint64
		for i := range s.laneBits / 8 {
			number := uint64(0x80)
			if from := s.firstByte(lane) + i; lane >= s.collisionLanes && from < 8 {
				number = uint64(from)
			}
			bytes |= number << (8 * i)
		}
		return bytes
	})
}

// numbers has the numbers 0 to 15, of 32 bits each.
func (k *constants) numbers() operand.Mem {
	return k.row("numbers", values,
		func(lane int) uint64 { return uint64(2*lane) | uint64(2*lane+1)<<32 })
}

// firstByte returns the first of the bytes of g that a data lane takes: as high as they go, unless
// the position begins below, as the last of a block of 256 bits does.
func (s shape) firstByte(lane int) int {
	return min(s.shift(lane)/8, 8-s.laneBits/8)
}

func (k *constants) row(name string, s shape, value func(lane int) uint64) operand.Mem {
	name += s.String()
	if data, ok := k.made[name]; ok {
		return data
	}
	data := k.c.StaticGlobal(name)
	k.c.DataAttributes(build.RODATA | build.NOPTR)
	for lane := range fallback.Lanes {
		if s.laneBits == 64 {
			k.c.AddDatum(8*lane, operand.U64(value(lane)))
		} else {
			k.c.AddDatum(4*lane, operand.U32(value(lane)))
		}
	}
	k.made[name] = data
	return data
}

// words are read-only words.
func (k *constants) words(words []uint64) operand.Mem {
	name := fmt.Sprintf("words%x", words)
	if data, ok := k.made[name]; ok {
		return data
	}
	data := k.c.StaticGlobal(fmt.Sprintf("words%d", len(k.made)))
	k.c.DataAttributes(build.RODATA | build.NOPTR)
	for i, w := range words {
		k.c.AddDatum(wordBytes*i, operand.U64(w))
	}
	k.made[name] = data
	return data
}
