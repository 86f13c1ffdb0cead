//go:build !purego

package pmac

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

func init() { asm.NoPMACQuery = active != vaes512 || dispatch.Active().String() != "avx512" }

// Query512 reports whether the hash of data is present in a table of nblocks blocks.
func (k *Key) Query512(table *[8]uint64, nblocks int, data []byte) bool {
	return asm.PMACQuery512(table, nblocks, (*byte)(unsafe.Pointer(k)), unsafe.SliceData(data),
		len(data))
}

// detect returns the forms that this CPU can run, the best first.
func detect() (all []Form) {
	for i, set := range asm.Ciphers {
		if dispatch.HasAll(set.Features) {
			all = append([]Form{aesForm + Form(i)}, all...)
		}
	}
	return all
}

// expand stores the round keys where there are AES instructions.
func expand(k *Key) {
	if available[0] != portable {
		asm.PMACExpandAESNI(&k.secret[0], &k.state.keys[0][0])
	}
}

//go:noinline
func (f Form) sumCall(state, data *byte, n int) uint64 {
	switch f {
	case vaes512:
		return asm.PMACSumVAES512(state, data, n)
	case vaes256:
		return asm.PMACSumVAES256(state, data, n)
	}
	return asm.PMACSumAESNI(state, data, n)
}

//go:noinline
func (Form) partCall(state, carry, data *byte, number, blocks int) {
	asm.PMACPartAESNI(state, carry, data, number, blocks)
}

//go:noinline
func (f Form) keysCall(state, data, headers *byte, stride, n int, hashes *uint64) int {
	switch f {
	case vaes512:
		return asm.PMACKeysVAES512(state, data, headers, stride, n, callBytes, hashes)
	case vaes256:
		return asm.PMACKeysVAES256(state, data, headers, stride, n, callBytes, hashes)
	}
	return asm.PMACKeysAESNI(state, data, headers, stride, n, callBytes, hashes)
}

//go:noinline
func (f Form) fixedCall(state *byte, width int, keys *byte, n int, hashes *uint64) {
	switch {
	case f == vaes512 && width == 16:
		asm.PMAC16VAES512(state, keys, n, hashes)
	case f == vaes512:
		asm.PMAC8VAES512(state, keys, n, hashes)
	case f == vaes256 && width == 16:
		asm.PMAC16VAES256(state, keys, n, hashes)
	case f == vaes256:
		asm.PMAC8VAES256(state, keys, n, hashes)
	case width == 16:
		asm.PMAC16AESNI(state, keys, n, hashes)
	default:
		asm.PMAC8AESNI(state, keys, n, hashes)
	}
}
