//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// locks reports whether temporary files are locked, and open until they are renamed.
const locks = true

// claim takes the lock of a temporary file that this process has just created. It returns false if
// a sweep was faster: then the file is removed, or will be at once. A file system without locks has
// no sweeps.
func claim(file *os.File) bool {
	err := lock(file)
	return err == nil && leadsTo(file.Name(), file) || err != nil &&
		!errors.Is(err, unix.EWOULDBLOCK)
}

// removeUnlocked removes a temporary file unless a writer holds its lock. Only the holder of the
// lock removes the name, so the name still leads to this file after the check.
func removeUnlocked(name string) {
	// Not blocking, and no links: something else may have the name, such as a pipe.
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if lock(file) == nil && leadsTo(name, file) {
		_ = os.Remove(name)
	}
}

// lock takes the lock of a file without waiting. The lock ends with the file's last descriptor:
// also when the process is killed.
func lock(file *os.File) error {
	_, err := uninterrupted(func() (int, error) {
		return 0, unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	})
	return err
}

// uninterrupted repeats a call of the system until no signal cuts it short.
func uninterrupted(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// leadsTo reports whether a name leads to this open file, which is a regular one.
func leadsTo(name string, file *os.File) bool {
	named, err := os.Lstat(name)
	if err != nil || !named.Mode().IsRegular() {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(named, opened)
}
