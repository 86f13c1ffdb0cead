//go:build !linux

package hugepage

// Advise does nothing: only Linux is asked.
func Advise([]uint64) {}

// Share returns false: only Linux tells.
func Share([]uint64) (share float64, known bool) { return 0, false }
