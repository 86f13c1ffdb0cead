// Command goroutines times filters that several goroutines use at once: filter/sharded, a deletable
// filter behind a lock, one for each goroutine, and the SyncFilter of blobloom. It prints tables of
// the time per key and of the latency of calls, as in docs/measurements/goroutines.md. It takes
// minutes, and 4 GiB of memory:
//
//	go run -buildvcs=true ./bench/goroutines
//
// Its tests record histories of filter/sharded and check them with a checker of linearizability.
package main

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

func main() {
	m := measure.Machine()
	fmt.Printf("%s, %d cores, %s, commit %s\n", m.CPU, m.Cores, m.Go, m.Revision)
	if err := report(os.Stdout, settings{
		sizes: []int{512 << 10, 8 << 20, 32 << 20}, rounds: 40, slices: 4,
		latencies: 1 << 30, watch: 3 * time.Second,
	}); err != nil {
		log.Fatal("goroutines: ", err)
	}
}

type settings struct {
	sizes     []int // bytes of a table
	rounds    int
	slices    int           // of each filter and form in a round: the first fills the caches
	latencies int           // bytes of the filter whose calls are watched
	watch     time.Duration // of each latency
}

func report(w io.Writer, s settings) error {
	for _, size := range s.sizes {
		show(w, times(size, s.rounds, s.slices))
	}
	table, err := latencies(s.latencies, s.watch)
	if err == nil {
		show(w, table)
	}
	return err
}

func show(w io.Writer, t *pivot.Table) {
	_, _ = fmt.Fprintf(w, "\n**%s**: %s\n\n", t.Title, t.About)
	t.Markdown(w)
}

// form is the form of a call.
type form struct {
	keys  int
	bytes bool // keys of 16 bytes, and not ready hashes
}

// slice is the number of keys of each goroutine that are timed together.
const slice = 8192

func forms() (all []form) {
	for _, bytes := range []bool{false, true} {
		for _, keys := range []int{1, 256, 4096} {
			all = append(all, form{keys, bytes})
		}
	}
	return all
}

func (f form) String() string {
	if f.bytes {
		return "16 bytes"
	}
	return "hashes"
}

// mix is what the calls of a slice are.
type mix struct {
	name     string
	repeated bool // the keys that are inserted are members
	queries  int  // of ten calls
}

var mixes = []mix{{"fresh inserts", false, 0}, {"repeated inserts", true, 0},
	{"90 % queries", false, 9}, {"queries", false, 10}}

// worker is a goroutine.
type worker struct {
	number int
	rng    *rand.Rand
	hashes []uint64
	keys   [][]byte
	begin  time.Time
	end    time.Time
}

func newWorker(number int) *worker {
	w := &worker{number: number, rng: rand.New(rand.NewPCG(2, uint64(number))),
		hashes: make([]uint64, slice), keys: make([][]byte, slice)}
	buffer := make([]byte, 16*slice)
	for i := range w.keys {
		w.keys[i] = buffer[16*i:][:16]
	}
	return w
}

// prepare draws the keys of a slice. Half of those that are asked for are members.
func (w *worker) prepare(pool []uint64, m mix, f form) {
	workload.Fill(w.rng, w.hashes)
	first := w.rng.IntN(len(pool))
	for i := range w.hashes {
		query := i/f.keys%10 < m.queries
		if query && w.hashes[i]&1 == 0 || !query && m.repeated {
			w.hashes[i] = pool[(first+i)%len(pool)]
		}
		keyOf(w.keys[i], w.hashes[i])
	}
}

// work makes the calls of a slice as soon as all workers are ready.
func (w *worker) work(s subject, m mix, f form, ready *atomic.Int32, workers int32) {
	ready.Add(1)
	for spins := 0; ready.Load() < workers; spins++ {
		if spins > 1<<15 {
			runtime.Gosched()
		}
	}
	w.begin = time.Now()
	for i := 0; i < slice; i += f.keys {
		s.call(w, f, i, i/f.keys%10 < m.queries)
	}
	w.end = time.Now()
}

// nanoseconds returns the elapsed time of a slice per key of all workers, or false unless each
// worked for three quarters of it.
func nanoseconds(workers []*worker) (ns float64, ok bool) {
	begin, end := workers[0].begin, workers[0].end
	for _, w := range workers {
		if w.begin.Before(begin) {
			begin = w.begin
		}
		if w.end.After(end) {
			end = w.end
		}
	}
	elapsed := end.Sub(begin)
	for _, w := range workers {
		if w.end.Sub(w.begin) < elapsed*3/4 {
			return 0, false
		}
	}
	return float64(elapsed.Nanoseconds()) / float64(slice*len(workers)), true
}

// times returns the least times of the slices of some rounds.
func times(size, rounds, slices int) *pivot.Table {
	type cell struct {
		subject, goroutines int
		mix                 mix
		form                form
	}
	least := map[cell]float64{}
	members := 8 * size / bitsPerKey
	pool := make([]uint64, members/8)
	workload.Fill(rand.New(rand.NewPCG(1, 1)), pool)
	all := subjects(members, pool)
	workers := []*worker{newWorker(0), newWorker(1)}
	each := func(do func(c cell, s subject)) {
		for _, f := range forms() {
			for i, s := range all {
				if f.keys > 1 && !s.batches() {
					continue
				}
				for goroutines := 1; goroutines <= 2; goroutines++ {
					for _, m := range mixes {
						do(cell{i, goroutines, m, f}, s)
					}
				}
			}
		}
	}
	for range rounds {
		each(func(c cell, s subject) {
			for range slices {
				var both sync.WaitGroup
				var ready atomic.Int32
				for _, w := range workers[:c.goroutines] {
					w.prepare(pool, c.mix, c.form)
					both.Go(func() { w.work(s, c.mix, c.form, &ready, int32(c.goroutines)) })
				}
				both.Wait()
				ns, ok := nanoseconds(workers[:c.goroutines])
				if before, timed := least[c]; ok && (!timed || ns < before) {
					least[c] = ns
				}
			}
			s.refill(slices * slice * c.goroutines * (10 - c.mix.queries) / 10)
		})
	}
	table := &pivot.Table{Labels: 3, Columns: []string{"filter", "keys of a call", "form"}}
	table.Titled(quantity.Bytes(int64(size)), "ns of elapsed time per key, by goroutines and calls")
	each(func(c cell, s subject) {
		figure := pivot.Dash
		if ns, ok := least[c]; ok {
			figure = fmt.Sprintf("%.3g", ns)
		}
		table.Set(fmt.Sprintf("%d: %s", c.goroutines, c.mix.name), figure, s.String(),
			fmt.Sprint(c.form.keys), c.form.String())
	})
	return table
}

// latencies returns quantiles of the time of an insert and of a query, of 8 goroutines on all
// processors, alone and beside calls that go through the table.
func latencies(size int, watch time.Duration) (*pivot.Table, error) {
	table := (&pivot.Table{Labels: 1, Columns: []string{"meanwhile"}}).Titled(
		"Latency, "+quantity.Bytes(int64(size)), "µs of a call of one key, 8 goroutines")
	members := 8 * size / bitsPerKey
	f, other := must(newShared(members)), must(newShared(members))
	listed := make([]uint64, members/64)
	workload.Fill(rand.New(rand.NewPCG(3, 3)), listed)
	_, _ = f.InsertHashBatch(listed, nil)
	_, _ = other.InsertHashBatch(listed, nil)
	for _, meanwhile := range []struct {
		name string
		call func() error
	}{
		{"nothing", func() error { time.Sleep(watch); return nil }},
		{"Save", func() error { _, err := f.Contents(); return err }},
		{"Merge", func() error { return f.Merge(other) }},
		{"Rebuild", rebuilds(f, listed)},
	} {
		const goroutines = 8
		var took [2][goroutines][]time.Duration
		var stop atomic.Bool
		var callers sync.WaitGroup
		for g := range goroutines {
			rng := rand.New(rand.NewPCG(4, uint64(g)))
			callers.Go(func() {
				for i := 0; i < 2 || !stop.Load(); i++ {
					hash, before := rng.Uint64(), time.Now()
					if i%2 == 0 {
						_, _ = f.InsertHash(hash)
					} else {
						f.QueryHash(hash)
					}
					took[i%2][g] = append(took[i%2][g], time.Since(before))
				}
			})
		}
		var err error
		start := time.Now()
		for err == nil && time.Since(start) < watch {
			err = meanwhile.call()
		}
		elapsed := time.Since(start)
		stop.Store(true)
		callers.Wait()
		if err != nil {
			return nil, err
		}
		for i, operation := range []string{"insert", "query"} {
			all := slices.Concat(took[i][:]...)
			slices.Sort(all)
			quantile := func(part float64) string {
				return fmt.Sprintf("%.3g", all[int(part*float64(len(all)-1))].Seconds()*1e6)
			}
			table.Set(operation+", millions/s",
				fmt.Sprintf("%.3g", float64(len(all))/elapsed.Seconds()/1e6), meanwhile.name)
			table.Set(operation+", 99.9 %", quantile(0.999), meanwhile.name)
			table.Set(operation+", max", quantile(1), meanwhile.name)
		}
	}
	return table, nil
}
