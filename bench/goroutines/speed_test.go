package goroutines

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// ownKeys is the number of keys of a goroutine that come and go in turn.
const ownKeys = 8 * batch

// worker is a goroutine that calls a filter. What it inserts no other one does.
type worker struct {
	own, queries []uint64 // half of those that are asked for are members
	queried      int      // so far, as keys
	inserts      int
	deletes      int
	turn         int
}

func newWorker(number uint64, members []uint64) *worker {
	rng := rand.New(rand.NewPCG(2, number))
	w := &worker{own: make([]uint64, ownKeys), queries: make([]uint64, ownKeys)}
	workload.Fill(rng, w.own)
	workload.Fill(rng, w.queries)
	for i := range w.queries {
		if rng.IntN(2) == 0 { // in no order that a processor learns
			w.queries[i] = members[rng.IntN(len(members))]
		}
	}
	return w
}

// call makes a call of some keys. As many of a hundred as writes says write: an insert of keys of
// its own and then a delete of these, or inserts alone where nothing can be deleted. It returns how
// many queries were answered with yes.
func (w *worker) call(f shared, keys, writes int) (present int) {
	next := func(all []uint64, done *int) []uint64 {
		at := *done % len(all)
		*done += keys
		return all[at : at+keys]
	}
	if w.turn += writes; w.turn < 100 {
		return f.query(next(w.queries, &w.queried))
	}
	w.turn -= 100
	if f.remove != nil && w.deletes < w.inserts {
		f.remove(next(w.own, &w.deletes))
	} else {
		f.insert(next(w.own, &w.inserts))
	}
	return 0
}

// fill makes a filter that is half full, and returns its members.
func (s subject) fill(members int) (shared, []uint64) {
	f, in := s.make(members), make([]uint64, members/2)
	workload.Fill(rand.New(rand.NewPCG(1, 1)), in)
	for some := range slices.Chunk(in, s.keys) {
		f.insert(some)
	}
	return f, in
}

// BenchmarkShared has ns per key: the elapsed time by the keys of all goroutines, of which there
// are as many as -cpu says.
func BenchmarkShared(b *testing.B) {
	for _, kib := range []int{256, 16 << 10} {
		for _, s := range subjects() {
			f, members := s.fill(kib << 13 / bitsPerKey)
			for _, writes := range []int{0, 10, 50, 100} {
				name := fmt.Sprintf("%s/keys=%d/KiB=%d/writes=%d", s.name, s.keys, kib, writes)
				b.Run(name, func(b *testing.B) {
					var workers []*worker
					for g := range uint64(runtime.GOMAXPROCS(0)) {
						workers = append(workers, newWorker(g, members))
					}
					var begun atomic.Int64
					b.ResetTimer()
					b.RunParallel(func(calls *testing.PB) {
						w := workers[begun.Add(1)-1]
						for calls.Next() {
							w.call(f, s.keys, writes)
						}
						for f.remove != nil && w.deletes < w.inserts { // as it was
							w.call(f, s.keys, 100)
						}
					})
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*s.keys), "ns/key")
				})
			}
			runtime.GC()
		}
	}
}

// A goroutine makes as many calls that write as it is told, deletes what it has inserted, and no
// filter loses a member while goroutines share it.
func TestShared(t *testing.T) {
	for _, s := range subjects() {
		f, members := s.fill(1 << 14)
		var both sync.WaitGroup
		for g := range uint64(2) {
			both.Go(func() {
				w, calls := newWorker(g, members), 10*ownKeys/s.keys
				present := 0
				for range calls {
					present += w.call(f, s.keys, 20)
				}
				if got, want := w.inserts+w.deletes, calls/5*s.keys; got != want ||
					w.queried != calls*s.keys-want || f.remove != nil && w.deletes != want/2 {
					t.Errorf("%s: %d inserts, %d deletes and %d queries of %d calls", s.name,
						w.inserts, w.deletes, w.queried, calls)
				}
				if share := float64(present) / float64(w.queried); share < 0.46 || share > 0.56 {
					t.Errorf("%s: %.2f of the queries are answered with yes, want half", s.name,
						share)
				}
			})
		}
		both.Wait()
		for some := range slices.Chunk(members, s.keys) {
			if f.query(some) != len(some) {
				t.Fatalf("%s: a member is lost", s.name)
			}
		}
	}
}
