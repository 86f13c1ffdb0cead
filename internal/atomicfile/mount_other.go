//go:build !linux

package atomicfile

// mounted returns false: only Linux mounts files.
func mounted(string) bool { return false }
