package preemption

import (
	"testing"
	"time"
)

// A call with points at which it stops passes. What holds a collection up, a goroutine in assembly,
// is known to package dispatch alone, whose entries are mutated to see [Check] fail.
func TestACallThatStops(t *testing.T) {
	Check(t, func() {
		for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
		}
	})
}
