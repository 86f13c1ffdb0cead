//go:build goexperiment.simd && amd64 && !purego && !race

package dispatch

import (
	"simd/archsimd"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/fallback"
)

// What a mask is made of, by lane: how far g is shifted to the position, and the bit that moves
// there. In lane 0 nothing is left of g, and there is no bit.
var (
	shifts512, ones512 = laneConstants[uint64]()
	shifts256, ones256 = laneConstants[uint32]()
)

func laneConstants[T fallback.Lane]() (shifts [fallback.Lanes]uint64, ones [fallback.Lanes]T) {
	for lane := range shifts {
		shifts[lane] = 64 - uint64(fallback.PositionBits[T]())*uint64(lane)
		if lane >= fallback.CollisionLanes {
			ones[lane] = 1
		}
	}
	return shifts, ones
}

// Vectors reports whether avx512 is active, so that what follows can run.
func Vectors() bool { return !asm.Narrow }

// InBlock512 is fallback.QueryMask of a block and the mask of the hash h, in Go's own AVX-512, an
// experiment of the Go project. Unlike assembly it is inlined, and small enough for that. The race
// detector would see plain loads in it, so it is not in a program that has that.
func InBlock512(block *[8]uint64, h uint64) bool {
	positions := archsimd.BroadcastUint64x8(h * fallback.Multiplier).
		ShiftRight(archsimd.LoadUint64x8(&shifts512))
	mask := archsimd.LoadUint64x8(&ones512).RotateLeft(positions)
	return archsimd.LoadUint64x8(block).And(mask).Equal(mask).ToBits() == 0xff
}

// InBlock256 is the same for blocks of 256 bits.
func InBlock256(block *[8]uint32, h uint64) bool {
	positions := archsimd.BroadcastUint64x8(h * fallback.Multiplier).
		ShiftRight(archsimd.LoadUint64x8(&shifts256)).TruncateToUint32()
	mask := archsimd.LoadUint32x8(&ones256).RotateLeft(positions)
	return archsimd.LoadUint32x8(block).And(mask).Equal(mask).ToBits() == 0xff
}
