//go:build !windows

package atomicfile

// removedAtEnd is not needed where an open file can be removed.
const removedAtEnd = 0
