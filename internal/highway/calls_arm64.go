//go:build !purego

package highway

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/batch"
)

var neon = named("neon")

// inAssembly reports whether im runs in assembly.
func (im implementation) inAssembly() bool { return im == neon }

//go:noinline
func (implementation) fixedCall(c *schedule, width int, g *batch.Groups) {
	constants, keys := &c[0], g.Keys()
	out, n := g.Hashes()
	switch width {
	case 4:
		asm.Highway4NEON(constants, keys, n, out)
	case 8:
		asm.Highway8NEON(constants, keys, n, out)
	case 16:
		asm.Highway16NEON(constants, keys, n, out)
	case 20:
		asm.Highway20NEON(constants, keys, n, out)
	case 32:
		asm.Highway32NEON(constants, keys, n, out)
	case 40:
		asm.Highway40NEON(constants, keys, n, out)
	}
}

//go:noinline
func (implementation) mixedCall(k *Key, c *batch.Calls) {
	headers, stride, data := c.Headers()
	list, n := c.List()
	asm.HighwayMixedNEON(&k.initial.v0[0], headers, stride, data, list, n, c.Whole(),
		&packRows[0].lower[0], c.Sums())
}

//go:noinline
func (implementation) updateCall(s *state, data []byte) {
	asm.HighwayUpdateNEON(&s.v0[0], &data[0], len(data)/packetBytes)
}

//go:noinline
func (implementation) sumCall(s *state, data []byte, whole int) uint64 {
	lower, upper, row := restOf(data, whole)
	return asm.HighwaySumNEON(&s.v0[0], &data[0], whole, lower, upper, row)
}

//go:noinline
func (implementation) fewCall(k *Key, lane0, lane1, lane2 uint64, size int) uint64 {
	return asm.HighwayFewNEON(&k.initial.v0[0], lane0, lane1, lane2, uint64(size)<<32|uint64(size))
}
