package atomicfile

import "golang.org/x/sys/unix"

// mounted reports whether a file is a mount point, whose name no rename replaces. An old Linux does
// not say.
func mounted(path string) bool {
	var stat unix.Statx_t
	_, err := uninterrupted(func() (int, error) {
		return 0, unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &stat)
	})
	return err == nil && stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
