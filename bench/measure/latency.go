package measure

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bloomlane/bloomlane/bench/result"
)

// mostCalls bounds the calls that a number of garbage collections can take.
const mostCalls = 2 << 20

// load is goroutines that allocate until they are stopped, so that the garbage collector works all
// the time: each keeps a window of small objects alive and replaces the oldest, as a server does
// that answers requests.
type load struct {
	stop atomic.Bool
	done sync.WaitGroup
}

func (l *load) start(goroutines int) {
	type object struct {
		next    *object
		payload [6]uint64
	}
	for range goroutines {
		l.done.Go(func() {
			window := make([]*object, 1<<18) // 16 MiB of objects
			for i := 0; !l.stop.Load(); i++ {
				// A list of 8, for the collector to follow.
				o := &object{payload: [6]uint64{uint64(i)}}
				if i%8 > 0 {
					o.next = window[(i-1)%len(window)]
				}
				window[i%len(window)] = o
				if i%1024 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
}

func (l *load) end() {
	l.stop.Store(true)
	l.done.Wait()
}

// latencyForms are the calls whose latency is measured: of one key, and of batches.
var latencyForms = []result.Latency{
	{Form: result.FormSingle, Batch: 1}, {Form: result.FormBatch, Batch: 1},
	{Form: result.FormBatch, Batch: 8},
	{Form: result.FormBatch, Batch: 64}, {Form: result.FormBatch, Batch: 512},
}

// latencies measures the time of each of at least the given number of calls, of single keys and of
// batches, on the arena's table of the first kind of pages: without a load, and with one, under
// which they go on for the given number of garbage collections. It subtracts the cost of reading
// the clock. The garbage collector is on while this runs.
func (a *arena) latencies(calls int, cycles int64) (all []result.Latency) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t := a.tables[pageKinds[0]]
	for _, loaded := range []bool{false, true} {
		var l load
		if loaded {
			l.start(max(1, runtime.GOMAXPROCS(0)/2))
			time.Sleep(50 * time.Millisecond) // until the windows are full
		}
		for _, form := range latencyForms {
			form.BlockBits, form.Bytes, form.Loaded = a.width, a.bytes, loaded
			do := t.methods()
			if form.Form == result.FormBatch {
				do = t.batchMethods(a.out)
			}
			all = append(all, a.latency(form, do, calls, cycles)...)
		}
		l.end()
	}
	return all
}

// latency measures the operations: queries; and deletes, each of which is undone when half of the
// keys that may be away are, or all calls were made. Before each part the cache loses a table that
// is larger.
func (a *arena) latency(
	form result.Latency,
	do operations,
	calls int,
	cycles int64,
) (all []result.Latency) {
	keys := sliceKeys * a.turn() // after which they come again
	ring := keys / form.Batch
	part := max(1, min(calls, ring/2))
	clock := clockCost()
	next := 0 // of the ring
	times := map[string][]float64{}
	// timed makes the calls of a part, beginning at a place of the ring.
	timed := func(operation string, hashes []uint64, from int) {
		a.evict()
		run, took := do[operation], times[operation]
		for call := from; call < from+part; call++ {
			h := hashes[call%ring*form.Batch:][:form.Batch:form.Batch]
			begin := time.Now()
			run(h)
			took = append(took, max(0, float64(time.Since(begin)-clock)))
		}
		times[operation] = took
	}
	before := collections()
	for len(times[query]) < calls ||
		form.Loaded && collections()-before < cycles && len(times[query]) < mostCalls {
		timed(query, a.mixed, next+ring/2)
		timed(remove, a.hit, next)
		timed(insert, a.hit, next)
		next = (next + part) % ring
	}
	form.Calls, form.Collected = int64(len(times[query])), collections()-before
	for _, operation := range []string{query, remove, insert} {
		took := times[operation]
		slices.Sort(took)
		quantile := func(part float64) float64 { return result.Quantile(took, part) }
		form.Operation = operation
		form.P50, form.P99, form.P999, form.Max = quantile(0.5), quantile(0.99), quantile(0.999),
			quantile(1)
		all = append(all, form)
	}
	return all
}

// collections returns the garbage collections that have ended.
func collections() int64 {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	return stats.NumGC
}

// clockStep returns the least difference of two times that the clock gives, in nanoseconds.
func clockStep() float64 {
	least := math.Inf(1)
	for last, i := time.Now(), 0; i < 100_000; i++ {
		now := time.Now()
		if step := float64(now.Sub(last)); step > 0 {
			least = min(least, step)
		}
		last = now
	}
	return least
}
