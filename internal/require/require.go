// Package require decides, for every test of the project, whether a test that lacks something is
// skipped or fails. It is the only place that skips a test.
package require

import (
	"os"
	"slices"
	"strings"
	"testing"
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

// Names reports whether BLOOMLANE_REQUIRE names the feature.
func Names(feature string) bool {
	return slices.Contains(List(), feature)
}

// List returns what BLOOMLANE_REQUIRE names.
func List() []string {
	return strings.FieldsFunc(os.Getenv(Variable), func(r rune) bool { return r == ',' })
}
