//go:build (amd64 || arm64) && !purego

package siphash

import (
	"testing"

	"github.com/bloomlane/bloomlane/internal/batch/batchtest"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Of what this CPU can run all but portable Go runs in assembly. No result tells, only the time.
func TestInAssembly(t *testing.T) {
	for _, im := range dispatch.Implementations() {
		if got := inAssembly(im); got != (im.String() != "purego") {
			t.Errorf("%v: in assembly %v", im, got)
		}
	}
}

func TestCalls(t *testing.T) {
	batchtest.Calls(t, map[string][]string{
		"fixedCall": {"Sip4", "Sip8", "Sip16", "SipWidth"},
		"mixedCall": {"SipMixed"},
	})
}
