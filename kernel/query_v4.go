//go:build goexperiment.simd && amd64.v4 && !purego && !race

package kernel

import (
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Every CPU that the program starts on has AVX-512, so there is no choice, whatever the variable
// says.

func query512(t Table512, h uint64) bool {
	return dispatch.InBlock512((*[8]uint64)(&t[fallback.Index(h, uint64(len(t)))]), h)
}

func query256(t Table256, h uint64) bool {
	return dispatch.InBlock256((*[8]uint32)(&t[fallback.Index(h, uint64(len(t)))]), h)
}
