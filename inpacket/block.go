package inpacket

import (
	"math/bits"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel"
)

// Block is the filter of a header: 8 lanes of 32 bits ([kernel.Block256]) or 64 bits
// ([kernel.Block512]).
type Block interface {
	kernel.Block256 | kernel.Block512
}

// Only this file treats the two widths differently. The kernels are methods of both types.

// laneBits returns W, the bits of a lane.
func laneBits[B Block]() int { return int(unsafe.Sizeof(*new(B))) * 8 / fallback.Lanes }

// lane returns a lane of a block as 64 bits.
func lane[B Block](block *B, i int) uint64 {
	switch b := any(block).(type) {
	case *kernel.Block256:
		return uint64(b[i])
	case *kernel.Block512:
		return b[i]
	}
	panic("unreachable")
}

// setLane sets a lane of a block.
func setLane[B Block](block *B, i int, value uint64) {
	switch b := any(block).(type) {
	case *kernel.Block256:
		b[i] = uint32(value)
	case *kernel.Block512:
		b[i] = value
	}
}

func maskOf[B Block](h uint64) (mask B) {
	switch m := any(&mask).(type) {
	case *kernel.Block256:
		*m = kernel.Mask256(h)
	case *kernel.Block512:
		*m = kernel.Mask512(h)
	}
	return mask
}

func positionsOf[B Block](h uint64) uint64 {
	if laneBits[B]() == 32 {
		return kernel.Positions256(h)
	}
	return kernel.Positions512(h)
}

func query[B Block](block, mask *B) bool {
	switch b := any(block).(type) {
	case *kernel.Block256:
		return b.Query(any(mask).(*kernel.Block256))
	case *kernel.Block512:
		return b.Query(any(mask).(*kernel.Block512))
	}
	panic("unreachable")
}

func insert[B Block](block, mask *B) bool {
	switch b := any(block).(type) {
	case *kernel.Block256:
		return b.Insert(any(mask).(*kernel.Block256))
	case *kernel.Block512:
		return b.Insert(any(mask).(*kernel.Block512))
	}
	panic("unreachable")
}

func remove[B Block](block, mask *B) kernel.Status {
	switch b := any(block).(type) {
	case *kernel.Block256:
		return b.Delete(any(mask).(*kernel.Block256))
	case *kernel.Block512:
		return b.Delete(any(mask).(*kernel.Block512))
	}
	panic("unreachable")
}

// match returns how many of the masks match the block.
func match[B Block](block *B, masks []B) int {
	switch b := any(block).(type) {
	case *kernel.Block256:
		return b.MatchBatch(any(masks).([]kernel.Block256), nil)
	case *kernel.Block512:
		return b.MatchBatch(any(masks).([]kernel.Block512), nil)
	}
	panic("unreachable")
}

// ones returns the number of bits of a block that are set, in all its lanes.
func ones[B Block](block *B) (n int) {
	for i := range fallback.Lanes {
		n += bits.OnesCount64(lane(block, i))
	}
	return n
}
