//go:build !linux

package hugepage

// Make returns n words of the Go heap, all zero: only Linux is asked for huge pages.
func Make(n int) []uint64 { return make([]uint64, n) }

// Advise does nothing.
func Advise([]uint64) {}

// Share returns false: only Linux tells.
func Share([]uint64) (share float64, known bool) { return 0, false }

// Given returns false: only Linux is asked.
func Given() bool { return false }
