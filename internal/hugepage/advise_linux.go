package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Advise asks for huge pages under the words, whoever owns them. Do so before their first use: pages that are
// there already stay as they are until the system gets round to them. What lies in a page of which other
// memory has a part is left out, so less than a page is never advised.
func Advise(words []uint64) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(words)))
	gap := -start % Size
	if bytes := uintptr(len(words)) * 8; bytes >= gap+Size {
		whole := (bytes - gap) / Size * Size
		memory := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(words)), gap)), whole)
		// A system that was built without huge pages refuses, and the words are as good as before.
		_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	}
}
