package preemption

import (
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// A call with points at which it stops passes.
func TestACallThatStops(t *testing.T) {
	Check(t, func() {
		for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
		}
	})
}

// One call into assembly does not stop, and does not pass but by luck.
func TestACallThatDoesNotStop(t *testing.T) {
	var table [1 << 10][8]uint64
	hashes := make([]uint64, 8<<20)
	present := make([]uint64, len(hashes)/64)
	for _, set := range asm.Sets {
		if set.Name != dispatch.Active().String() {
			continue
		}
		passed := 0
		const attempts = 3
		for range attempts {
			if passes(measure(func() {
				set.W512.QueryBatch(&table[0], len(table), &hashes[0], len(hashes), 0, 0,
					&present[0])
			})) {
				passed++
			}
		}
		if passed == attempts {
			t.Errorf("%s: collections do not wait for a call into assembly", set.Name)
		}
	}
}
