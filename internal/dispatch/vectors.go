//go:build goexperiment.simd && amd64 && !purego && !race

package dispatch

import (
	"simd/archsimd"
	"unsafe"

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

// Load64 loads a vector. Go 1.26 and Go 1.27 have it by different names.
func Load64(from *[8]uint64) archsimd.Uint64x8 {
	return *(*archsimd.Uint64x8)(unsafe.Pointer(from))
}

func load32(from *[8]uint32) archsimd.Uint32x8 {
	return *(*archsimd.Uint32x8)(unsafe.Pointer(from))
}

// InBlock512 is fallback.QueryMask of a block and the mask of the hash h, in Go's own AVX-512, an
// experiment of the Go project. Unlike assembly it is inlined, and small enough for that. The race
// detector would see plain loads in it, so it is not in a program that has that.
func InBlock512(block *[8]uint64, h uint64) bool {
	positions := archsimd.BroadcastUint64x8(h * fallback.Multiplier).
		ShiftRight(Load64(&shifts512))
	mask := Load64(&ones512).RotateLeft(positions)
	return Load64(block).And(mask).Equal(mask).ToBits() == 0xff
}

// InBlock256 is the same for blocks of 256 bits.
func InBlock256(block *[8]uint32, h uint64) bool {
	positions := archsimd.BroadcastUint64x8(h * fallback.Multiplier).
		ShiftRight(Load64(&shifts256)).
		And(archsimd.BroadcastUint64x8(31)).SaturateToUint32() // so that nothing is saturated
	mask := load32(&ones256).RotateLeft(positions)
	return load32(block).And(mask).Equal(mask).ToBits() == 0xff
}
