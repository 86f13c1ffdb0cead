//go:build !linux

package preemption

import "time"

// threadClock returns a clock of all time, in which the thread may have waited for a processor.
func threadClock() func() time.Duration {
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}
