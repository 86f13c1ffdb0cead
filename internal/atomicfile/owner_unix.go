//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group of the one that it is to replace. It asks the
// system for that only where they differ, because some file systems have no owners.
func keepOwner(file *os.File, old fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	found, known := info.Sys().(*syscall.Stat_t)
	want, wanted := old.Sys().(*syscall.Stat_t)
	if !known || !wanted || found.Uid == want.Uid && found.Gid == want.Gid {
		return nil
	}
	user, group := int(want.Uid), int(want.Gid)
	if err := file.Chown(user, group); err != nil {
		return &OwnerError{user, group, err}
	}
	return nil
}
