// Package preemption tests that a goroutine that runs assembly stops for garbage collections.
package preemption

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// A collection stops the goroutines twice. A call into assembly that is not cut delays the
	// first stop by a uniform part of the call, and the second too unless it comes in Go code
	// around the assembly, such as a check of hashes. So the upper octile of 32 stops is less than
	// a quarter of the call less than once in 10^4 attempts.
	collections = 16
	// A busy machine delays threads too, so the upper octile of the best of some attempts counts.
	attempts = 10
)

// Check fails the test unless collections stop the goroutine that runs call within a quarter of the
// time that it takes. It is called again until there were enough collections: a busy machine ends
// none within a short call.
func Check(t *testing.T, call func()) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		took, stop := measure(call)
		if passes(took, stop) {
			t.Logf("a call takes %v, the wait for a stop at most %v", took, stop)
			return
		}
		if attempt == attempts {
			t.Fatalf("a call takes %v, the wait for a stop up to %v", took, stop)
		}
	}
}

// passes reports whether collections waited for less than a quarter of a call.
func passes(took, stop time.Duration) bool { return stop < took/4 }

// measure repeats call in a goroutine and collects garbage meanwhile. It returns how long the
// fastest call took, and an upper bound of the upper octile of the times that collections waited
// for goroutines to stop.
func measure(call func()) (took, stop time.Duration) {
	const name = "/sched/pauses/stopping/gc:seconds"
	read := func() *metrics.Float64Histogram {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		return sample[0].Value.Float64Histogram()
	}
	before := append([]uint64(nil), read().Counts...)
	var ended atomic.Bool
	started, done := make(chan struct{}), make(chan time.Duration)
	go func() {
		close(started)
		least := time.Duration(math.MaxInt64)
		for {
			start := time.Now()
			call()
			least = min(least, time.Since(start))
			if ended.Load() {
				done <- least
				return
			}
		}
	}()
	<-started
	for range collections {
		runtime.GC()
	}
	ended.Store(true)
	took = <-done
	after := read()
	longer := 2 * collections / 8 // how many stops take longer than the octile
	for i := len(before) - 1; i >= 0; i-- {
		longer -= int(after.Counts[i] - before[i])
		if longer < 0 {
			return took, time.Duration(math.Min(after.Buckets[i+1], 1e6) * float64(time.Second))
		}
	}
	panic("a collection stopped no goroutines")
}
