package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Make returns n words of the Go heap, all zero, and asks for huge pages under them.
func Make(n int) []uint64 {
	words := make([]uint64, n)
	renew(words)
	return words
}

// renew asks for huge pages under words that are zero. What the heap used before has its small
// pages, because make has just written the zeros there. Given back, they are zero at the next use
// too, on huge pages.
func renew(words []uint64) {
	if whole := pages(words); len(whole) > 0 && unix.Madvise(whole, unix.MADV_HUGEPAGE) == nil {
		_ = unix.Madvise(whole, unix.MADV_DONTNEED)
	}
}

// Advise asks for huge pages under a mapping of a file. A system that has none for files refuses,
// and the words are as good as before.
func Advise(words []uint64) {
	if whole := pages(words); len(whole) > 0 {
		_ = unix.Madvise(whole, unix.MADV_HUGEPAGE)
	}
}

// pages returns the whole huge pages that the words fill. What lies in a page of which other memory
// has a part is left out.
func pages(words []uint64) []byte {
	start := unsafe.Pointer(unsafe.SliceData(words))
	gap := -uintptr(start) % Size
	bytes := uintptr(len(words)) * 8
	if bytes < gap+Size {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(start, gap)), (bytes-gap)/Size*Size)
}
