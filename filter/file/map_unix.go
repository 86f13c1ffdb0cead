//go:build unix

package file

import (
	"encoding/binary"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/hugepage"
)

// mappable reports whether words in memory have the byte order of files.
var mappable = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// mapFile maps the file, copy on write, and lets the sections of c point into it. The runtime
// unmaps it when c is unreachable, because only then it is certain that no goroutine reads the
// words.
func mapFile(c *Contents, file *os.File, h *header) error {
	if h.length != int64(int(h.length)) {
		return unix.ENOMEM // an address space of 32 bits
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, int(h.length), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	for i, e := range h.layout {
		if e.words > 0 {
			c.Sections[i].Words = unsafe.Slice((*uint64)(unsafe.Pointer(&memory[e.offset])),
				e.words)
			hugepage.Advise(c.Sections[i].Words)
		}
	}
	runtime.AddCleanup(c, func(memory []byte) { _ = unix.Munmap(memory) }, memory)
	return nil
}
