package highway

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// Millions of keys, and keys of 1 MiB, hold up no garbage collection: collections begin and end while they
// are hashed, and stop the goroutine that does in a small part of the time, as they could not if all were one
// call into assembly. (TestPreemption of package kernel is the same for tables.)
func TestPreemption(t *testing.T) {
	keys, least := 8<<20, 1
	if testing.Short() { // too short for a busy machine to run collections in each call
		keys, least = 1<<20, 0
	}
	k := New(ascending())
	data, hashes := make([]byte, 20*keys), make([]uint64, keys)
	offsets := make([]uint32, keys+1)
	for i := range keys {
		offsets[i+1] = offsets[i] + uint32(i%40)
	}
	large := make([][]byte, 1024)
	for i := range large {
		large[i] = data[i : i+1<<20]
	}
	each(t, func(t *testing.T, im implementation) {
		for name, call := range map[string]func(){
			"fixed": func() { im.fixed(k, data, 20, hashes) },
			"mixed": func() { offsetsOn(im, k, data, offsets[:keys+1], hashes) },
			"large": func() { keysOn(im, k, large, hashes[:len(large)]) },
			"one":   func() { im.sum64(k, data) },
		} {
			t.Run(name, func(t *testing.T) {
				// The machine may hold a thread up by itself, so the best of some runs counts. An uncut call
				// fails them all: a collection that starts in it waits for its end.
				for try := 1; ; try++ {
					took, stop, collections := stopping(call)
					if stop < took/10 && collections >= least {
						t.Logf("%v, %d collections, longest wait for a stop at most %v", took, collections, stop)
						return
					}
					if try == 20 {
						t.Fatalf("%v, %d collections, longest wait for a stop up to %v", took, collections, stop)
					}
				}
			})
		}
	})
}

// stopping runs call in a goroutine, collects garbage as long as it runs, and returns how long it ran, an
// upper bound of the longest time that a collection waited for goroutines to stop, and how many collections
// began and ended meanwhile.
func stopping(call func()) (took, stop time.Duration, collections int) {
	const name = "/sched/pauses/stopping/gc:seconds"
	read := func() *metrics.Float64Histogram {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		return sample[0].Value.Float64Histogram()
	}
	before := read()
	counts := append([]uint64(nil), before.Counts...)
	done := make(chan time.Duration)
	var running atomic.Bool
	go func() {
		start := time.Now()
		running.Store(true)
		call()
		running.Store(false)
		done <- time.Since(start)
	}()
	for {
		select {
		case took = <-done:
			after := read()
			for i, n := range after.Counts {
				if n > counts[i] {
					stop = time.Duration(math.Min(after.Buckets[i+1], 1e6) * float64(time.Second))
				}
			}
			return took, stop, collections
		default:
			began := running.Load()
			runtime.GC()
			if began && running.Load() {
				collections++
			}
		}
	}
}
