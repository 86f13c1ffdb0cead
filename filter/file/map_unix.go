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

// mappable reports whether words have the byte order of files in memory.
var mappable = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// mapFile maps the file, copy on write, and has the sections of c in it. The runtime unmaps when c
// is out of everybody's reach, because that is the one moment at which surely nobody reads its
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
