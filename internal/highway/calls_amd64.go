//go:build !purego

package highway

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/batch"
)

var avx2, avx512 = named("avx2"), named("avx512")

// inAssembly reports whether im runs in assembly.
func (im implementation) inAssembly() bool { return im == avx512 || im == avx2 }

//go:noinline
func (im implementation) fixedCall(c *schedule, width int, g *batch.Groups) {
	constants, keys := &c[0], g.Keys()
	out, n := g.Hashes()
	if im == avx512 {
		switch width {
		case 4:
			asm.Highway4AVX512(constants, keys, n, out)
		case 8:
			asm.Highway8AVX512(constants, keys, n, out)
		case 16:
			asm.Highway16AVX512(constants, keys, n, out)
		case 20:
			asm.Highway20AVX512(constants, keys, n, out)
		case 32:
			asm.Highway32AVX512(constants, keys, n, out)
		case 40:
			asm.Highway40AVX512(constants, keys, n, out)
		}
		return
	}
	switch width {
	case 4:
		asm.Highway4AVX2(constants, keys, n, out)
	case 8:
		asm.Highway8AVX2(constants, keys, n, out)
	case 16:
		asm.Highway16AVX2(constants, keys, n, out)
	case 20:
		asm.Highway20AVX2(constants, keys, n, out)
	case 32:
		asm.Highway32AVX2(constants, keys, n, out)
	case 40:
		asm.Highway40AVX2(constants, keys, n, out)
	}
}

//go:noinline
func (im implementation) mixedCall(k *Key, c *batch.Calls) {
	headers, stride, data := c.Headers()
	list, n := c.List()
	s, rows, whole, sums := &k.initial.v0[0], &packRows[0].lower[0], c.Whole(), c.Sums()
	if im == avx512 {
		asm.HighwayMixedAVX512(s, headers, stride, data, list, n, whole, rows, sums)
	} else {
		asm.HighwayMixedAVX2(s, headers, stride, data, list, n, whole, rows, sums)
	}
}

//go:noinline
func (im implementation) updateCall(s *state, data []byte) {
	if im == avx512 {
		asm.HighwayUpdateAVX512(&s.v0[0], &data[0], len(data)/packetBytes)
	} else {
		asm.HighwayUpdateAVX2(&s.v0[0], &data[0], len(data)/packetBytes)
	}
}

//go:noinline
func (im implementation) sumCall(s *state, data []byte, whole int) uint64 {
	lower, upper, row := restOf(data, whole)
	if im == avx512 {
		return asm.HighwaySumAVX512(&s.v0[0], &data[0], whole, lower, upper, row)
	}
	return asm.HighwaySumAVX2(&s.v0[0], &data[0], whole, lower, upper, row)
}

//go:noinline
func (im implementation) fewCall(k *Key, lane0, lane1, lane2 uint64, size int) uint64 {
	sizes := uint64(size)<<32 | uint64(size)
	if im == avx512 {
		return asm.HighwayFewAVX512(&k.initial.v0[0], lane0, lane1, lane2, sizes)
	}
	return asm.HighwayFewAVX2(&k.initial.v0[0], lane0, lane1, lane2, sizes)
}
