//go:build (amd64 || arm64) && !purego

package dispatch

import "testing"

// Of what this CPU can run all but purego runs in assembly. No result tells, only the time.
func TestInAssembly(t *testing.T) {
	for _, im := range available {
		if got := im.inAssembly(); got != (im != purego) {
			t.Errorf("%v: in assembly %v", im, got)
		}
	}
}
