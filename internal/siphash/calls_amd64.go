//go:build !purego

package siphash

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

var avx2, avx512 = dispatch.ByName("avx2"), dispatch.ByName("avx512")

// inAssembly reports whether im runs in assembly.
func inAssembly(im dispatch.Implementation) bool { return im == avx512 || im == avx2 }

//go:noinline
func fixedCall(im dispatch.Implementation, c *constants, width int, g *batch.Groups) {
	constants, keys := &c[0], g.Keys()
	hashes, n := g.Hashes()
	if im == avx512 {
		switch width {
		case 4:
			asm.Sip4AVX512(constants, keys, n, hashes)
		case 8:
			asm.Sip8AVX512(constants, keys, n, hashes)
		case 16:
			asm.Sip16AVX512(constants, keys, n, hashes)
		default:
			asm.SipWidthAVX512(constants, keys, width, n, wholeWords(width), hashes)
		}
		return
	}
	switch width {
	case 4:
		asm.Sip4AVX2(constants, keys, n, hashes)
	case 8:
		asm.Sip8AVX2(constants, keys, n, hashes)
	case 16:
		asm.Sip16AVX2(constants, keys, n, hashes)
	default:
		asm.SipWidthAVX2(constants, keys, width, n, wholeWords(width), hashes)
	}
}

//go:noinline
func mixedCall(im dispatch.Implementation, constants *constants, c *batch.Calls) {
	headers, stride, data := c.Headers()
	list, n := c.List()
	whole, sums := c.Whole(), c.Sums()
	if im == avx512 {
		asm.SipMixedAVX512(&constants[0], headers, stride, data, list, n, whole, sums)
	} else {
		asm.SipMixedAVX2(&constants[0], headers, stride, data, list, n, whole, sums)
	}
}
