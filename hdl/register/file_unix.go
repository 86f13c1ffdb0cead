//go:build unix

package register

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxBytes is the most of a file that is mapped: 16 windows of 4 KiB.
const maxBytes = 16 * WindowBytes

// bigEndian reports whether words in memory have another byte order than PCI.
var bigEndian = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// File is a [Bus] whose registers are a mapped file: a resource of a PCI device in Linux, such as
// /sys/bus/pci/devices/0000:01:00.0/resource0, or for tests a plain file. Each request is one
// access of 32 bits, in the order of the calls. No error of the hardware comes back: a write that
// it refuses does nothing, and a read is 0, or all ones where the device is gone.
//
// It is not safe for concurrent use: two programs must not program one device at the same time.
type File struct {
	memory []byte
}

// Open maps the registers of a file. A file that is longer than all windows is mapped as far as
// these go. The caller must Close it.
func Open(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("register: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("register: %w", err)
	}
	if info.Size() < WindowBytes {
		return nil, fmt.Errorf("register: %s: found %d bytes, expected a window of %d or more",
			path, info.Size(), WindowBytes)
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, int(min(info.Size(), maxBytes)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("register: map %s: %w", path, err)
	}
	return &File{memory}, nil
}

// Close unmaps the registers. Later requests are errors.
func (f *File) Close() error {
	if f.memory == nil {
		return nil
	}
	memory := f.memory
	f.memory = nil
	if err := unix.Munmap(memory); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	return nil
}

// Read reads a register.
//
//go:noinline
func (f *File) Read(address uint32) (uint32, error) {
	word, err := f.word(address)
	if err != nil {
		return 0, err
	}
	return littleEndian(*word), nil
}

// Write writes a register. The store is none of sync/atomic, which exchanges on amd64, and so would
// read the register too; a call that is not inlined keeps it whole and in its place.
//
//go:noinline
func (f *File) Write(address, value uint32) error {
	word, err := f.word(address)
	if err != nil {
		return err
	}
	*word = littleEndian(value)
	return nil
}

// word returns the word at an address.
func (f *File) word(address uint32) (*uint32, error) {
	if address%4 != 0 || uint64(address)+4 > uint64(len(f.memory)) {
		return nil, &AddressError{address, len(f.memory)}
	}
	return (*uint32)(unsafe.Pointer(&f.memory[address])), nil
}

func littleEndian(value uint32) uint32 {
	if bigEndian {
		return bits.ReverseBytes32(value)
	}
	return value
}
