// Package preemption tests that a goroutine that runs assembly stops for garbage collections.
package preemption

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// A call into assembly that is not cut delays a stop by a uniform part of the call, unless the
	// stop comes in Go code around the assembly, such as a check of hashes. So the upper octile of
	// 64 stops is less than a quarter of the call less than once in 10^4 attempts.
	stops = 64
	// Time of a thread goes on where the one that stops it has to wait for a processor behind the
	// stop, so the upper octile of the best of some attempts counts.
	attempts = 10
)

// Check fails the test unless stops of all goroutines, as collections make them, stop the goroutine
// that runs call within a quarter of the time that it takes.
func Check(t *testing.T, call func()) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		took, stop := measure(call)
		if passes(took, stop) {
			t.Logf("a call takes %v, a stop %v", took, stop)
			return
		}
		if attempt == attempts {
			t.Fatalf("a call takes %v, a stop %v", took, stop)
		}
	}
}

// passes reports whether stops waited for less than a quarter of a call.
func passes(took, stop time.Duration) bool { return stop < took/4 }

// measure repeats call in a goroutine and stops it meanwhile. It returns how long the fastest call
// took, and the upper octile of how long it went on when it had to stop. Both are times of the
// goroutine's thread, where the system has them: what a busy machine does not run is not late.
func measure(call func()) (took, stop time.Duration) {
	if runtime.GOMAXPROCS(0) == 1 { // who stops the call would run after it has stopped
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	var ended atomic.Bool
	started, done := make(chan func() time.Duration), make(chan time.Duration)
	go func() {
		runtime.LockOSThread()
		now := threadClock()
		started <- now
		least := time.Duration(math.MaxInt64)
		for {
			start := now()
			call()
			least = min(least, now()-start)
			if ended.Load() {
				done <- least
				return
			}
		}
	}()
	now := <-started
	waits := make([]time.Duration, stops)
	for i := range waits {
		time.Sleep(time.Millisecond) // or the goroutine is where the stop before has left it
		before := now()
		runtime.ReadMemStats(new(runtime.MemStats))
		waits[i] = now() - before
	}
	ended.Store(true)
	slices.Sort(waits)
	return <-done, waits[stops-stops/8]
}
