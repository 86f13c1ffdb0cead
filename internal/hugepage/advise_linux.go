package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// madvise gives the system an advice. Tests replace it.
var madvise = unix.Madvise

// Make returns n words of the Go heap, all zero, and asks for huge pages under them. It panics with
// a *[MemoryError] if they are more than is [Possible].
func Make(n int) []uint64 {
	Require(8 * int64(n))
	words := make([]uint64, n)
	renew(words)
	return words
}

// renew asks for huge pages under words that are zero. Memory that the heap used before has small
// pages, because make has just written zeros there. The system takes these pages back, and gives
// zeros on huge pages at the next use.
func renew(words []uint64) {
	if whole := pages(words); len(whole) > 0 && madvise(whole, unix.MADV_HUGEPAGE) == nil {
		_ = madvise(whole, unix.MADV_DONTNEED)
	}
}

// Advise asks for huge pages under a mapping of a file. A system without huge pages for files
// refuses, and nothing changes.
func Advise(words []uint64) {
	if whole := pages(words); len(whole) > 0 {
		_ = madvise(whole, unix.MADV_HUGEPAGE)
	}
}

// pages returns the whole huge pages that the words fill. A page that other memory shares is left
// out.
func pages(words []uint64) []byte {
	start := unsafe.Pointer(unsafe.SliceData(words))
	gap := -uintptr(start) % Size
	bytes := uintptr(len(words)) * 8
	if bytes < gap+Size {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(start, gap)), (bytes-gap)/Size*Size)
}
