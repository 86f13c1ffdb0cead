//go:build !unix || aix || solaris

package main

import "github.com/gofrs/flock"

// newLock returns the lock of a lock file, which it opens or creates.
func newLock(name string) *flock.Flock {
	return flock.New(name, flock.SetPermissions(lockPermissions))
}
