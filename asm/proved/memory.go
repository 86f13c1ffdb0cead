//go:build (amd64 || arm64) && !purego

package proved

import (
	"unsafe"

	_ "github.com/bloomlane/bloomlane/asm" // what table refers to
)

// table returns the addresses of the functions and then of the symbols, in their order.
//
//go:noescape
func table() *uint64

func addresses() []uint64 { return unsafe.Slice(table(), len(Functions)+len(symbols)) }

// view returns bytes of the program: its distance from the table is what leads to it.
func view(address uint64, size int) []byte {
	from := unsafe.Pointer(table())
	return unsafe.Slice((*byte)(unsafe.Add(from, int(address)-int(uintptr(from)))), size)
}
