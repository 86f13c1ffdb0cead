package dispatch

import (
	"slices"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// A CPU that lacks one of the features has not all of them.
func TestHasAll(t *testing.T) {
	has := cpuid.CPU.FeatureSet()
	// of makers and times that no CPU unites
	several := []string{"XOP", "MPX", "SSE4A", "AVX512ER", "AMXFP16"}
	i := slices.IndexFunc(several, func(name string) bool { return !slices.Contains(has, name) })
	if i < 0 {
		t.Fatalf("this CPU has all of %v", several)
	}
	if lacks := several[i]; !HasAll(nil) || !HasAll(has) || HasAll([]string{lacks}) ||
		HasAll(append(has, lacks)) {
		t.Errorf("all of %v: %v; %s: %v", has, HasAll(has), lacks, HasAll([]string{lacks}))
	}
}
