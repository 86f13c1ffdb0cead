package dispatch

import (
	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// HasAll reports whether this CPU, and its operating system, has features by the names of package
// cpuid.
func HasAll(features []string) bool {
	for _, name := range features {
		feature := cpuid.ParseFeature(name)
		// cpuid takes POPCNT from AMD's ABM too, beside which a hypervisor may have masked it.
		if !cpuid.CPU.Has(feature) || feature == cpuid.POPCNT && !cpu.X86.HasPOPCNT {
			return false
		}
	}
	return true
}

// secondLevelBytes returns the size of the second-level cache of a core.
func secondLevelBytes() int { return max(0, cpuid.CPU.Cache.L2) }
