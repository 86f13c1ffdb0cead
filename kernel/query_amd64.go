//go:build !purego && !(goexperiment.simd && amd64.v4 && !race)

package kernel

import "github.com/bloomlane/bloomlane/asm"

// A query is small enough to be inlined, because assembly chooses among the implementations:
// docs/measurements/kernel.md has what that gains.

func query512(t Table512, h uint64) bool {
	return asm.QueryHash512((*[8]uint64)(&t[0]), len(t), h)
}

func query256(t Table256, h uint64) bool {
	return asm.QueryHash256((*[8]uint32)(&t[0]), len(t), h)
}
