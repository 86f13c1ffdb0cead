//go:build !purego

package siphash

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

var neon = dispatch.ByName("neon")

// inAssembly reports whether im runs in assembly.
func inAssembly(im dispatch.Implementation) bool { return im == neon }

//go:noinline
func fixedCall(_ dispatch.Implementation, c *constants, width int, g *batch.Groups) {
	constants, keys := &c[0], g.Keys()
	hashes, n := g.Hashes()
	switch width {
	case 4:
		asm.Sip4NEON(constants, keys, n, hashes)
	case 8:
		asm.Sip8NEON(constants, keys, n, hashes)
	case 16:
		asm.Sip16NEON(constants, keys, n, hashes)
	default:
		asm.SipWidthNEON(constants, keys, width, n, wholeWords(width), hashes)
	}
}

//go:noinline
func mixedCall(_ dispatch.Implementation, constants *constants, c *batch.Calls) {
	headers, stride, data := c.Headers()
	list, n := c.List()
	asm.SipMixedNEON(&constants[0], headers, stride, data, list, n, c.Whole(), c.Sums())
}
