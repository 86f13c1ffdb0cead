package main

import (
	"fmt"

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

// shift returns how far g goes to the right to bring the position in a data lane to bit 0.
func shift(laneBits, lane int) int {
	return 64 - log2(laneBits)*(lane+1-fallback.CollisionLanes)
}

// ones has a one in every data lane and nothing in lane 0, so that whatever is shifted out of it
// leaves lane 0 of a mask empty.
func (k *constants) ones(laneBits int) operand.Mem {
	return k.row("ones", laneBits, func(lane int) uint64 {
		if lane < fallback.CollisionLanes {
			return 0
		}
		return 1
	})
}

// positions has W-1 in every lane: what is left of a shifted g is a position.
func (k *constants) positions(laneBits int) operand.Mem {
	return k.row("positions", laneBits, func(int) uint64 { return uint64(laneBits - 1) })
}

// shifts has the count by which g, or what picks left of it, is shifted to the right in each lane.
func (k *constants) shifts(laneBits int) operand.Mem {
	return k.row("shifts", laneBits, func(lane int) uint64 {
		if lane < fallback.CollisionLanes {
			return uint64(laneBits) // everything
		}
		return uint64(shift(laneBits, lane) - 8*firstByte(laneBits, lane))
	})
}

// picks has, for lanes that are narrower than g, the byte numbers of the four bytes of g that each
// lane takes before its shift, for VPSHUFB, which puts a zero where the number's high bit is set.
func (k *constants) picks(laneBits int) operand.Mem {
	return k.row("picks", laneBits, func(lane int) uint64 {
		var bytes uint64
		for i := range laneBits / 8 {
			number := uint64(0x80)
			if from := firstByte(laneBits, lane) + i; lane >= fallback.CollisionLanes && from < 8 {
				number = uint64(from)
			}
			bytes |= number << (8 * i)
		}
		return bytes
	})
}

// firstByte returns the first of the bytes of g that a data lane takes: as high as they go, unless
// the position begins below, as the last of a block of 256 bits does.
func firstByte(laneBits, lane int) int {
	return min(shift(laneBits, lane)/8, 8-laneBits/8)
}

func (k *constants) row(name string, laneBits int, value func(lane int) uint64) operand.Mem {
	name = fmt.Sprintf("%s%d", name, fallback.Lanes*laneBits)
	if data, ok := k.made[name]; ok {
		return data
	}
	data := k.c.StaticGlobal(name)
	k.c.DataAttributes(build.RODATA | build.NOPTR)
	for lane := range fallback.Lanes {
		if laneBits == 64 {
			k.c.AddDatum(8*lane, operand.U64(value(lane)))
		} else {
			k.c.AddDatum(4*lane, operand.U32(value(lane)))
		}
	}
	k.made[name] = data
	return data
}
