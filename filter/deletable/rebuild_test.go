package deletable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// rebuilds are the three forms of keys to rebuild from. All stand for the keys of numbers.
var rebuilds = map[string]func(
	f *Filter,
	ctx context.Context,
	live iter.Seq2[uint64, error],
) (*Filter, error){
	"bytes": func(f *Filter, ctx context.Context, live iter.Seq2[uint64, error]) (*Filter, error) {
		return f.Rebuild(ctx, func(yield func([]byte, error) bool) {
			reused := make([]byte, 8)
			for n, err := range live {
				copy(reused, bytesOf(n))
				if !yield(reused, err) {
					return
				}
			}
		})
	},
	"uint64": (*Filter).RebuildUint64,
	"hash": func(f *Filter, ctx context.Context, live iter.Seq2[uint64, error]) (*Filter, error) {
		return f.RebuildHash(ctx, func(yield func(uint64, error) bool) {
			for n, err := range live {
				if !yield(f.HashUint64(n), err) {
					return
				}
			}
		})
	},
}

// upTo yields the numbers from from to to - 1, and counts them.
func upTo(from, to uint64, yielded *int) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for n := from; n < to; n++ {
			*yielded++
			if !yield(n, nil) {
				return
			}
		}
	}
}

// After any history, the rebuild of a filter is the fresh filter of its members, bit for bit.
func TestRebuildIsAFreshFilter(t *testing.T) {
	const inserts = 5 * rebuildChunk
	for name, rebuild := range rebuilds {
		for _, live := range []int{1, rebuildChunk - 1, rebuildChunk, rebuildChunk + 1,
			3*rebuildChunk + 5} {
			config := Config{Members: 3 * rebuildChunk, BitsPerKey: 14, Turnovers: 1,
				Lifetime: churns(t)[1], Key: fixed}
			f, err := New(config)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := New(config)
			if err != nil {
				t.Fatal(err)
			}
			for n := range uint64(inserts) {
				f.InsertUint64(n)
				if n >= uint64(live) {
					f.DeleteUint64(n - uint64(live))
				}
			}
			for n := uint64(inserts); n > uint64(inserts-live); n-- {
				fresh.InsertUint64(n - 1)
			}
			before := slices.Clone(blocksOf(f))
			yielded := 0
			got, err := rebuild(f, t.Context(), upTo(uint64(inserts-live), inserts, &yielded))
			if err != nil {
				t.Errorf("%s, %d keys: %v", name, live, err)
				continue
			}
			same(t, got, fresh)
			if !got.Key().Equal(f.Key()) || got.Due() != nil || yielded != live {
				t.Errorf("%s, %d keys: key %v, due %v, %d yielded", name, live, got.Key(),
					got.Due(), yielded)
			}
			if !slices.Equal(blocksOf(f), before) || f.Inserts() != inserts {
				t.Errorf("%s, %d keys: the old filter changed", name, live)
			}
		}
	}
}

// A source of more keys than the plan allows inserts is an error, also if the source is endless.
func TestRebuildRefusesMoreThanThePlan(t *testing.T) {
	for name, rebuild := range rebuilds {
		for _, members := range []int{1, 100, rebuildChunk, 2000} {
			f, err := New(Config{Members: members, BitsPerKey: 30, Turnovers: 0.5, Key: fixed})
			if err != nil {
				t.Fatal(err)
			}
			yielded, planned := 0, tableOf(f).plan.inserts
			if g, err := rebuild(f, t.Context(), upTo(0, planned, &yielded)); err != nil ||
				g.Inserts() != int(planned) {
				t.Errorf("%s: %d keys, as many as there are planned inserts: %v",
					name, planned, err)
			}
			var e *TooManyError
			if g, err := rebuild(f, t.Context(), upTo(0, planned+1, &yielded)); g != nil ||
				!errors.As(err, &e) || *e != (TooManyError{int(planned), members}) {
				t.Errorf("%s: %d keys, one more than there are planned inserts: %v", name,
					planned+1, err)
			}
			yielded = 0
			if _, err := rebuild(f, t.Context(), upTo(0, 1<<40, &yielded)); !errors.As(err, &e) ||
				yielded > int(planned)+rebuildChunk {
				t.Errorf("%s: %d of endless keys taken for %d planned inserts: %v", name,
					yielded, planned, err)
			}
		}
	}
}

// If a source fails, or a context ends, there is no new filter, and the old one does not change.
func TestRebuildOfASourceThatFails(t *testing.T) {
	broken := errors.New("the list is gone")
	for name, rebuild := range rebuilds {
		for _, after := range []uint64{0, 1, rebuildChunk - 1, rebuildChunk, rebuildChunk + 1,
			3*rebuildChunk + 5} {
			f, err := New(Config{Members: 4 * rebuildChunk, BitsPerKey: 12, Key: fixed})
			if err != nil {
				t.Fatal(err)
			}
			f.InsertUint64(1)
			f.DeleteUint64(1)
			f.InsertUint64(2)
			want := f.Clone()
			check := func(how string, cause error, g *Filter, err error) {
				t.Helper()
				if g != nil || !errors.Is(err, cause) {
					t.Errorf("%s, after %d keys, %s: %v and %v, want no filter and %v", name, after,
						how, g, err, cause)
				}
				same(t, f, want)
			}
			yielded := 0
			source := func(end func(yield func(uint64, error) bool)) iter.Seq2[uint64, error] {
				return func(yield func(uint64, error) bool) {
					for n, err := range upTo(0, after, &yielded) {
						if !yield(n, err) {
							return
						}
					}
					end(yield)
				}
			}
			g, err := rebuild(f, t.Context(), source(func(yield func(uint64, error) bool) {
				if yield(7, broken) {
					t.Errorf("%s: asked for more after an error", name)
				}
			}))
			check("an error", broken, g, err)

			ctx, cancel := context.WithCancelCause(t.Context())
			g, err = rebuild(f, ctx, source(func(func(uint64, error) bool) { cancel(broken) }))
			check("a context that ends, and its source with it", broken, g, err)

			ctx, cancel = context.WithCancelCause(t.Context())
			yielded = 0
			g, err = rebuild(f, ctx, source(func(yield func(uint64, error) bool) {
				cancel(broken)
				for n := range uint64(1 << 40) {
					if yielded++; !yield(n, nil) {
						return
					}
				}
			}))
			check("a context that ends, and a source that does not", broken, g, err)
			if yielded > int(after)+rebuildChunk {
				t.Errorf("%s: %d keys are taken, the context ended after %d", name, yielded, after)
			}
		}
	}
}

// A rebuild may go on while its filter is closed.
func TestRebuildWhileClosed(t *testing.T) {
	for name, rebuild := range rebuilds {
		if name == "hash" {
			continue // its source hashes by the closed filter
		}
		f, want := newFilter(t, 100, 16), newFilter(t, 100, 16)
		g, err := rebuild(f, t.Context(), func(yield func(uint64, error) bool) {
			for n := range uint64(100) {
				if n == 50 {
					if err := f.Close(); err != nil {
						t.Error(err)
					}
				}
				want.InsertUint64(n)
				if !yield(n, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(t, g, want)
	}
}

// Queries go on during rebuilds, and so do the owner's inserts and deletes, which it repeats on the
// new filter. At every moment every member is found in the filter that is published then.
func TestReadersGoOnThroughRebuilds(t *testing.T) {
	const members, wanted = 2000, 8
	f, err := New(Config{Members: members, Rate: 0.01, Turnovers: 1, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	var (
		lock sync.RWMutex // for f, writes to it, and live
		live = map[uint64]bool{}
		// the writes since the rebuild began, each by whether it is an insert
		noted []uint64
	)
	write := func(f *Filter, live map[uint64]bool, n uint64) {
		if live[n] {
			if f.DeleteUint64(n) == Absent {
				t.Error("a member is absent when deleted")
			}
			delete(live, n)
			return
		}
		f.InsertUint64(n)
		live[n] = true
	}
	for n := range uint64(members) {
		write(f, live, n)
	}

	done, due := make(chan struct{}), make(chan struct{}, 1)
	var others sync.WaitGroup
	for range 3 {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				lock.RLock()
				checked := 0
				for n := range live {
					if !f.QueryUint64(n) {
						t.Error("a member is not found")
					}
					if checked++; checked == 50 {
						break
					}
				}
				lock.RUnlock()
				runtime.Gosched() // so that the writer runs also on one CPU
			}
		})
	}
	others.Go(func() { // the writer deletes the oldest and inserts a new one, in both orders
		for n := uint64(members); ; n++ {
			select {
			case <-done:
				return
			default:
			}
			lock.Lock()
			for _, key := range []uint64{n, n - members} {
				write(f, live, key)
				noted = append(noted, key)
			}
			if f.Due() != nil {
				select {
				case due <- struct{}{}:
				default: // the rebuild is already known to be due
				}
			}
			lock.Unlock()
			runtime.Gosched()
		}
	})
	for range wanted {
		<-due
		lock.Lock()
		old, moment := f, maps.Clone(live)
		noted = noted[:0]
		lock.Unlock()

		fresh, err := old.RebuildUint64(t.Context(), func(yield func(uint64, error) bool) {
			for n := range moment {
				runtime.Gosched() // so that the others run also on one CPU
				if !yield(n, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Error(err)
			break
		}
		lock.Lock()
		for _, n := range noted {
			write(fresh, moment, n)
		}
		if !maps.Equal(moment, live) {
			t.Error("the writes since the rebuild began do not make the members now")
		}
		f = fresh
		if fresh.Due() == nil {
			select {
			case <-due: // of the old one
			default:
			}
		}
		lock.Unlock()
	}
	close(done)
	others.Wait()
	if found := f.QueryUint64Batch(slices.Collect(maps.Keys(live)), nil); found != len(live) {
		t.Errorf("%d of %d members are found", found, len(live))
	}
}

// BenchmarkRebuild compares rebuilds with batches of hashes in memory. The ratio of the times is
// the cost of the iterator.
func BenchmarkRebuild(b *testing.B) {
	for _, members := range []int{10_000, 1_000_000, 16_000_000} {
		f := newFilter(b, members, 16)
		keys := make([]uint64, members)
		for i := range keys {
			keys[i] = f.HashUint64(uint64(i)) // they serve as keys too
		}
		for _, way := range []struct {
			name string
			run  func() error
		}{
			{"InsertHashBatch", func() error {
				_, err := f.Fresh().(*Filter).InsertHashBatch(keys, nil)
				return err
			}},
			{"RebuildHash",
				func() error {
					_, err := f.RebuildHash(b.Context(),
						filter.Infallible(slices.Values(keys)))
					return err
				}},
			{"InsertUint64Batch",
				func() error { f.Fresh().(*Filter).InsertUint64Batch(keys, nil); return nil }},
			{"RebuildUint64", func() error {
				_, err := f.RebuildUint64(b.Context(), filter.Infallible(slices.Values(keys)))
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", way.name, members), func(b *testing.B) {
				for b.Loop() {
					if err := way.run(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(members),
					"ns/key")
			})
		}
	}
}
