package hugepage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Given reports whether the system gives huge pages to memory that is advised so.
func Given() bool {
	mode := Mode()
	return mode != "" && mode != "never" && refuses()
}

// refuses reports whether an advice that does not exist is an error. Under QEMU's emulation of a
// CPU it is not: QEMU shows the files of its host, accepts any advice, and follows little of it.
func refuses() bool {
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Munmap(page) }()
	return errors.Is(unix.Madvise(page, -1), unix.EINVAL)
}
