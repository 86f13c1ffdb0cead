//go:build unix

package deletable

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/kernel"
)

// loadTable maps the table, or copies it where lanes have the other byte order in memory, or where
// the file system cannot map.
func loadTable(file *os.File, nblocks int) (kernel.Table512, uint32, func() error, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		table, check, unmap, err := mapTable(file, nblocks)
		if err == nil {
			return table, check, unmap, nil
		}
	}
	return readTable(file, nblocks)
}

// mapTable maps the file, copy on write. It maps the header too, because a mapping begins at a
// multiple of the page size, which may be more than the header's.
func mapTable(file *os.File, nblocks int) (kernel.Table512, uint32, func() error, error) {
	memory, err := unix.Mmap(int(file.Fd()), 0, int(fileBytes(nblocks)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return nil, 0, nil, err
	}
	lanes := memory[headerBytes:]
	table := unsafe.Slice((*kernel.Block512)(unsafe.Pointer(unsafe.SliceData(lanes))), nblocks)
	return table, crc32.Checksum(lanes, castagnoli), func() error { return unix.Munmap(memory) }, nil
}
