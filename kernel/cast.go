package kernel

import "unsafe"

// The named types of this package and the built-in types of fallback and asm have the same memory.
// These are the only casts between them.

func lanes512(t Table512) [][8]uint64 {
	return unsafe.Slice((*[8]uint64)(unsafe.SliceData(t)), len(t))
}

func lanes256(t Table256) [][8]uint32 {
	return unsafe.Slice((*[8]uint32)(unsafe.SliceData(t)), len(t))
}

func bytes(status []Status) []uint8 {
	return unsafe.Slice((*uint8)(unsafe.SliceData(status)), len(status))
}

// cacheLine is the alignment of a new table, in bytes.
const cacheLine = 64

// newTable returns n zero blocks of type B, the first of which begins a cache line.
func newTable[B Block256 | Block512](n int) []B {
	size := int(unsafe.Sizeof(*new(B)))
	memory := make([]uint64, (n*size+cacheLine)/8-1)
	start := unsafe.Pointer(unsafe.SliceData(memory))
	gap := -uintptr(start) % cacheLine
	return unsafe.Slice((*B)(unsafe.Add(start, gap)), n)
}
