//go:build unix

package deletable

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/kernel"
)

// mapTable is the loader that maps the file, copy on write. It copies where lanes have the other byte order in
// memory, or where the file system cannot map.
//
// It maps the header too, because a mapping begins at a multiple of the page size, which may be more
// than the header's. The runtime unmaps when the table is out of everybody's reach, because that is the one moment
// at which surely no call reads it.
func mapTable(file *os.File, nblocks int) (*table, uint32, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return readTable(file, nblocks)
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, int(fileBytes(nblocks)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return readTable(file, nblocks)
	}
	lanes := memory[headerBytes:]
	t := &table{blocks: unsafe.Slice((*kernel.Block512)(unsafe.Pointer(unsafe.SliceData(lanes))), nblocks), mapped: true}
	check := crc32.Checksum(lanes, castagnoli)
	runtime.AddCleanup(t, func(memory []byte) { _ = unix.Munmap(memory) }, memory)
	return t, check, nil
}
