// Package require decides, for every test of the project, whether a test that lacks something is
// skipped or fails. It is the only place that skips a test.
package require

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// Variable is the environment variable with the features that must not be missing, separated by
// commas: implementations (avx2, avx512, neon) and tools (aarch64-as, cosim, captures, …).
const Variable = "BLOOMLANE_REQUIRE"

// Skip skips the test, because this machine lacks the feature for the reason given, which should
// say how to get it. Where BLOOMLANE_REQUIRE names the feature, the test fails instead.
func Skip(tb testing.TB, feature, reason string) {
	tb.Helper()
	if Names(feature) {
		tb.Fatalf("%s requires %q: %s", Variable, feature, reason)
	}
	tb.Skipf("%s: %s", feature, reason)
}

// Once skips a short test that one goroutine runs and that finds the same on every CPU, where it
// takes ten times as long: under the race detector, and on a CPU that is emulated.
func Once(tb testing.TB) {
	tb.Helper()
	if testing.Short() && (fallback.Race || Emulated()) {
		tb.Skip("it runs where tests are fast")
	}
}

// Emulated reports whether the CPU is emulated, by .ci/emulate.
func Emulated() bool { return os.Getenv("BLOOMLANE_EMULATED") != "" }

// Names reports whether BLOOMLANE_REQUIRE names the feature.
func Names(feature string) bool {
	return slices.Contains(List(), feature)
}

// List returns what BLOOMLANE_REQUIRE names.
func List() []string {
	return strings.FieldsFunc(os.Getenv(Variable), func(r rune) bool { return r == ',' })
}
