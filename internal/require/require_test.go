package require

import (
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// recorder is a testing.TB that notes how a test ended instead of ending it.
type recorder struct {
	testing.TB
	skipped, failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.skipped = true }
func (r *recorder) Skipf(string, ...any)  { r.skipped = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

func TestSkip(t *testing.T) {
	tests := []struct {
		variable, feature string
		fails             bool
	}{
		{"", "avx2", false},
		{"avx2", "avx2", true},
		{"avx512,cosim", "avx2", false},
		{"avx512,cosim", "cosim", true},
		{"avx512", "avx", false},
	}
	for _, test := range tests {
		t.Run(test.variable+"/"+test.feature, func(t *testing.T) {
			t.Setenv(Variable, test.variable)
			r := &recorder{TB: t}
			func() {
				defer func() { _ = recover() }()
				Skip(r, test.feature, "not here")
			}()
			if r.failed != test.fails || r.skipped == test.fails {
				t.Errorf("failed = %v, skipped = %v; want failed = %v", r.failed,
					r.skipped, test.fails)
			}
		})
	}
}

// A short test that needs to run once runs where tests are fast, and the long form everywhere.
func TestOnce(t *testing.T) {
	for variable, slow := range map[string]bool{"": fallback.Race, "yes": true} {
		t.Setenv("BLOOMLANE_EMULATED", variable)
		r := &recorder{TB: t}
		if Once(r); r.skipped != (slow && testing.Short()) {
			t.Errorf("BLOOMLANE_EMULATED=%s: skipped = %v", variable, r.skipped)
		}
	}
}
