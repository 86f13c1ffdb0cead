package measure

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/kernel"
)

// load is goroutines that allocate until they are stopped, so that the garbage collector works all the
// time: each keeps a window of small objects with pointers alive and replaces the oldest, as a server
// does that answers requests.
type load struct {
	stop atomic.Bool
	done sync.WaitGroup
}

func startLoad(goroutines int) *load {
	type object [7]*int // with pointers, for the collector to follow
	var l load
	for range goroutines {
		l.done.Go(func() {
			window := make([]*object, 1<<18) // 16 MiB of objects, of which those with 56 bytes take 64
			for i := 0; !l.stop.Load(); i++ {
				window[i%len(window)] = &object{}
				if i%1024 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	return &l
}

func (l *load) end() {
	l.stop.Store(true)
	l.done.Wait()
}

// latencyForms are the calls whose latency is measured: of one key, and of batches.
func latencyForms() (forms []result.Latency) {
	forms = append(forms, result.Latency{Form: result.FormSingle, Name: result.Methods, Batch: 1})
	for _, size := range []int{1, 8, 64, 512} {
		forms = append(forms, result.Latency{Form: result.FormBatch, Name: kernel.Active().String(), Batch: size})
	}
	return forms
}

// latencies measures the time of each of so many calls, of single keys and of batches, with and without
// a load, on the arena's table of the first kind of pages. The cost of taking the time is taken off. The
// garbage collector is on while this runs.
func (a *arena) latencies(calls int) (all []result.Latency) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t := a.tables[pageKinds[0]]
	for _, loaded := range []bool{false, true} {
		var l *load
		if loaded {
			l = startLoad(max(1, runtime.GOMAXPROCS(0)/2))
			time.Sleep(50 * time.Millisecond) // until the windows are full
		}
		for _, form := range latencyForms() {
			form.Lane, form.Bytes, form.Loaded, form.Calls = a.lane, a.bytes, loaded, int64(calls)
			o := t.methods()
			if form.Form == result.FormBatch {
				o = t.batch(kernel.Active(), a.out)
			}
			all = append(all, a.latency(form, o, calls)...)
		}
		if l != nil {
			l.end()
		}
	}
	return all
}

// latency measures the operations: queries, and then deletes, each key being inserted again when half
// of those that may be away are.
func (a *arena) latency(form result.Latency, o operations, calls int) []result.Latency {
	ring := sliceKeys * a.turn() / form.Batch // the calls after which the keys come again
	keys := func(hashes []uint64, call int) []uint64 {
		return hashes[call%ring*form.Batch:][:form.Batch:form.Batch]
	}
	clock := clockCost()
	timed := func(run stream, hashes []uint64) int64 {
		begin := time.Now()
		run(hashes)
		return int64(time.Since(begin) - clock)
	}
	var times [3][]int64
	for i := range times {
		times[i] = make([]int64, calls)
	}
	for i := range calls {
		times[0][i] = timed(o.query, keys(a.mixed, i))
	}
	away := ring / 2
	for i := range calls + away {
		if i < calls {
			times[1][i] = timed(o.remove, keys(a.stream, i))
		}
		if back := i - away; back >= 0 && back < calls {
			times[2][back] = timed(o.insert, keys(a.stream, back))
		}
	}
	var all []result.Latency
	for i, operation := range []string{"query", "delete", "insert"} {
		slices.Sort(times[i])
		at := func(q float64) float64 { return float64(max(0, times[i][int(q*float64(calls-1))])) }
		form.Operation = operation
		form.P50, form.P99, form.P999, form.Max = at(0.5), at(0.99), at(0.999), at(1)
		all = append(all, form)
	}
	return all
}
