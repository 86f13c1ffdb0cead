package dispatch

import "github.com/klauspost/cpuid/v2"

// HasAll reports whether this CPU, and its operating system, has features by the names of package
// cpuid.
func HasAll(features []string) bool {
	for _, name := range features {
		if !cpuid.CPU.Has(cpuid.ParseFeature(name)) {
			return false
		}
	}
	return true
}

// secondLevelBytes returns the size of the second-level cache of a core.
func secondLevelBytes() int { return max(0, cpuid.CPU.Cache.L2) }
