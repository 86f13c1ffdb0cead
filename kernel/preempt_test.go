package kernel

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// A batch of 64 M keys and a merge of 1 GiB hold up no garbage collection: it stops the goroutine
// that runs them in a small part of the time that they take, as it could not if they were one call
// into assembly.
func TestPreemption(t *testing.T) {
	keys, blocks := 64<<20, 1<<24
	if testing.Short() {
		keys, blocks = 8<<20, 1<<21
	}
	table, hashes := NewTable512(1<<15), make([]uint64, keys)
	for i := range hashes {
		hashes[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	u, v := NewTable512(blocks), NewTable512(blocks)
	u.Merge(v) // so that its pages are there

	for _, im := range Implementations() {
		for name, call := range map[string]func(){
			"query":  func() { im.QueryBatch512(table, hashes, nil) },
			"insert": func() { im.InsertBatch512(table, hashes, nil) },
			"merge":  func() { im.Merge512(u, v) },
		} {
			t.Run(im.String()+"/"+name, func(t *testing.T) {
				// The machine may hold a thread up by itself, so the best of some runs counts. An
				// uncut call fails them all: a collection that starts in it waits for its end.
				for try := 1; ; try++ {
					took, stop := stopping(call)
					if stop < took/10 {
						t.Logf("%v, longest wait for a stop at most %v", took, stop)
						return
					}
					if try == 5 {
						t.Fatalf("%v, longest wait for a stop up to %v", took, stop)
					}
				}
			})
		}
	}
}

// stopping runs call in a goroutine, collects garbage as long as it runs, and returns how long it
// ran and an upper bound of the longest time that a collection waited for goroutines to stop.
func stopping(call func()) (took, stop time.Duration) {
	const name = "/sched/pauses/stopping/gc:seconds"
	read := func() *metrics.Float64Histogram {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		return sample[0].Value.Float64Histogram()
	}
	before := read()
	counts := append([]uint64(nil), before.Counts...)
	done := make(chan time.Duration)
	go func() {
		start := time.Now()
		call()
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
			return took, stop
		default:
			runtime.GC()
		}
	}
}
