//go:build !purego

package pmac

import (
	"golang.org/x/sys/cpu"

	"github.com/bloomlane/bloomlane/asm"
)

// detect returns the forms that this CPU can run, the best first.
func detect() []Form {
	if cpu.ARM64.HasAES {
		return []Form{aesForm}
	}
	return nil
}

// expand stores the round keys where there are AES instructions.
func expand(k *Key) {
	if available[0] != portable {
		asm.PMACExpandAES(&k.secret[0], &k.state.keys[0][0])
	}
}

//go:noinline
func (Form) sumCall(state, data *byte, n int) uint64 { return asm.PMACSumAES(state, data, n) }

//go:noinline
func (Form) partCall(state, carry, data *byte, number, blocks int) {
	asm.PMACPartAES(state, carry, data, number, blocks)
}

//go:noinline
func (Form) keysCall(state, data, headers *byte, stride, n int, hashes *uint64) int {
	return asm.PMACKeysAES(state, data, headers, stride, n, callBytes, hashes)
}

//go:noinline
func (Form) fixedCall(state *byte, width int, keys *byte, n int, hashes *uint64) {
	if width == 16 {
		asm.PMAC16AES(state, keys, n, hashes)
	} else {
		asm.PMAC8AES(state, keys, n, hashes)
	}
}
