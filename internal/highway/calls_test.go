//go:build (amd64 || arm64) && !purego

package highway

import (
	"testing"

	"github.com/bloomlane/bloomlane/internal/batch/batchtest"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Of what this CPU can run all but portable Go runs in assembly. No result tells, only the time.
func TestInAssembly(t *testing.T) {
	for _, im := range dispatch.Implementations() {
		if got := implementation(im).inAssembly(); got != (im.String() != "purego") {
			t.Errorf("%v: in assembly %v", im, got)
		}
	}
}

func TestCalls(t *testing.T) {
	batchtest.Calls(t, map[string][]string{
		"fixedCall":  {"Highway4", "Highway8", "Highway16", "Highway20", "Highway32", "Highway40"},
		"mixedCall":  {"HighwayMixed"},
		"updateCall": {"HighwayUpdate"},
		"sumCall":    {"HighwaySum"},
		"fewCall":    {"HighwayFew"},
	})
}
