//go:build unix && !aix && !solaris

package main

import (
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// newLock returns the lock of a lock file, which it opens or creates. Where the name was made a
// symbolic link since it was looked at, it fails, and a pipe does not wait.
func newLock(name string) *flock.Flock {
	return flock.New(name, flock.SetPermissions(lockPermissions),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK))
}
