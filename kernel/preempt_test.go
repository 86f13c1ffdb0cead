package kernel

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// A batch of 64 M keys or values, and a merge and a match of 1 GiB, hold up no garbage collection:
// collections begin and end while they run, and stop the goroutine that runs them in a small part of the
// time that they take, as they could not if it were one call into assembly.
func TestPreemption(t *testing.T) {
	keys, blocks, least := 64<<20, 1<<24, 2
	if testing.Short() { // too short for a busy machine to run collections in each call
		keys, blocks, least = 8<<20, 1<<21, 0
	}
	table, hashes := NewTable512(1<<15), make([]uint64, keys)
	for i := range hashes {
		hashes[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	u, v := NewTable512(blocks), NewTable512(blocks)
	u.Merge(v) // so that its pages are there
	header512, header256 := [8]uint64(Mask512(1)), [8]uint32(Mask256(1))
	tableLanes, lanes, other := dispatch.Lanes(table), dispatch.Lanes(u), dispatch.Lanes(v)
	split := dispatch.Lanes(halves(table))
	lanes256, other256 := dispatch.Lanes(halves(u)), dispatch.Lanes(halves(v))

	for _, im := range dispatch.Implementations() {
		for name, call := range map[string]func(){
			"query":  func() { im.QueryBatch512(tableLanes, hashes, nil) },
			"insert": func() { im.InsertBatch512(tableLanes, hashes, nil) },
			"part":   func() { im.InsertPart512(tableLanes, 0, len(table), hashes) },
			"merge":  func() { im.Merge512(lanes, other) },
			"match":  func() { im.MatchBatch512(&header512, lanes, nil) },

			"merge 256": func() { im.Merge256(lanes256, other256) },
			"match 256": func() { im.MatchBatch256(&header256, lanes256, nil) },

			"query split": func() { im.QueryBatchSplit(split, hashes, nil) },
			"add split":   func() { im.AddBatchSplit(split, hashes) },
			"merge split": func() { im.MergeSplit(lanes256, other256) },
			"hash":        func() { im.HashBatch64(hashes, hashes) },
			"sample":      func() { im.Sample(hashes, make([]uint64, len(hashes)/64+1), 3, 1<<54) },
		} {
			t.Run(im.String()+"/"+name, func(t *testing.T) {
				// The machine may hold a thread up by itself, so the best of some runs counts. An
				// uncut call fails them all: a collection that starts in it waits for its end. Where
				// the machine runs no collection meanwhile, a run shows nothing.
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
	}
}

// halves returns the memory of a table as blocks of half the size.
func halves(t Table512) Table256 {
	return unsafe.Slice((*Block256)(unsafe.Pointer(unsafe.SliceData(t))), 2*len(t))
}

// stopping runs call in a goroutine, collects garbage as long as it runs, and returns how long it
// ran, an upper bound of the longest time that a collection waited for goroutines to stop, and how
// many collections began and ended meanwhile. An uncut call has at most the one that waits for it.
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
