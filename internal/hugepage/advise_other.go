//go:build !linux

package hugepage

// Make returns n words of the Go heap, all zero: only Linux is asked for huge pages. It panics with
// a *[MemoryError] if they are more than is [Possible].
func Make(n int) []uint64 {
	Require(8 * int64(n))
	return make([]uint64, n)
}

// Advise does nothing.
func Advise([]uint64) {}

// Of returns false: only Linux tells.
func Of(...[]uint64) (p Pages, known bool) { return Pages{}, false }

// Mode returns "": only Linux tells.
func Mode() string { return "" }

// Given returns false: only Linux is asked.
func Given() bool { return false }
