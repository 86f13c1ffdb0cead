package sharded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

func sourceOf(hashes []uint64) iter.Seq2[uint64, error] {
	return filter.Infallible(slices.Values(hashes))
}

// intervalSource returns a source for a refresh.
func intervalSource(hashes []uint64) func(low, high uint64) iter.Seq2[uint64, error] {
	return func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Infallible(func(yield func(uint64) bool) {
			for _, h := range hashes {
				if low <= h && h <= high && !yield(h) {
					return
				}
			}
		})
	}
}

// requireFresh fails the test unless f has the bits and the history of a new filter of the members.
func requireFresh(t testing.TB, name string, f *Filter, members []uint64) {
	t.Helper()
	blocks := f.Shape().Blocks
	want, err := deletable.New(config(blocks))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = want.InsertHashBatch(members, nil)
	if got := snapshot(t, f); !got.Equal(want) {
		t.Errorf("%s: %d members of %d inserts, want %d; equal bits: %v", name, got.Members(),
			got.Inserts(), len(members), slices.Equal(got.CloneTable(), want.CloneTable()))
	}
	requireRest(t, name, f)
}

// requireRest fails the test if a renewal or a copy goes on.
func requireRest(t testing.TB, name string, f *Filter) {
	t.Helper()
	tab := base.Require(&f.Life)
	for i := range tab.stripes {
		if s := &tab.stripes[i]; s.watched() {
			t.Fatalf("%s: a renewal or a copy of stripe %d goes on", name, i)
		}
	}
	if f.Stats().Rebuilding {
		t.Errorf("%s: it is busy", name)
	}
}

// renewals are the ways to renew a filter with some members.
var renewals = map[string]func(f *Filter, members []uint64) error{
	"rebuild": func(f *Filter, members []uint64) error {
		return f.RebuildHash(context.Background(), sourceOf(members))
	},
	"refresh": func(f *Filter, members []uint64) error {
		return f.RefreshHash(context.Background(), intervalSource(members))
	},
}

// ends returns the first and the last hash of each block, and so of each part, stripe and interval.
func ends(f *Filter) (all []uint64) {
	blocks := base.Require(&f.Life).blocks
	for i := range blocks {
		low, high := blocks.Interval(i, i+1)
		all = append(all, low, high)
	}
	return all
}

// A renewed filter is, bit for bit, a new one of its members. It had other members, and deletes.
func TestRenew(t *testing.T) {
	for name, renew := range renewals {
		for _, blocks := range append(sizes, maxStripes*3*partBlocks+5) {
			f := newFilter(t, blocks)
			all := append(hashes(21, 30*blocks), ends(f)...)
			_, _ = f.InsertHashBatch(all[:20*blocks], nil)
			f.DeleteHashBatch(all[:5*blocks], nil)
			for round := range 2 {
				members := all[(5+round)*blocks:]
				if err := renew(f, members); err != nil {
					t.Fatal(err)
				}
				requireFresh(t, fmt.Sprintf("%s of %d blocks", name, blocks), f, members)
			}
		}
	}
}

// The forms of keys are those of the filter.
func TestRenewKeys(t *testing.T) {
	ctx := context.Background()
	f := newFilter(t, 100)
	numbers, words := []uint64{7, 8, 9}, [][]byte{[]byte("apple"), []byte("pear")}
	if err := f.RebuildUint64(ctx, filter.Infallible(slices.Values(numbers))); err != nil ||
		f.QueryUint64Batch(numbers, nil) != 3 || f.History().Members() != 3 {
		t.Errorf("%+v, %v", f.History(), err)
	}
	if err := f.Rebuild(ctx, filter.Infallible(slices.Values(words))); err != nil ||
		f.QueryBatch(words, nil) != 2 || f.History().Members() != 2 {
		t.Errorf("%+v, %v", f.History(), err)
	}
	in := func(low, high, h uint64) bool { return low <= h && h <= high }
	if err := f.RefreshUint64(ctx, func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Infallible(func(yield func(uint64) bool) {
			for _, n := range numbers {
				_ = in(low, high, f.HashUint64(n)) && yield(n)
			}
		})
	}); err != nil || f.QueryUint64Batch(numbers, nil) != 3 || f.History().Members() != 3 {
		t.Errorf("%+v, %v", f.History(), err)
	}
	if err := f.Refresh(ctx, func(low, high uint64) iter.Seq2[[]byte, error] {
		return filter.Infallible(func(yield func([]byte) bool) {
			for _, w := range words {
				_ = in(low, high, f.Hash(w)) && yield(w)
			}
		})
	}); err != nil || f.QueryBatch(words, nil) != 2 || f.History().Members() != 2 {
		t.Errorf("%+v, %v", f.History(), err)
	}
}

// An empty source empties no filter that has members, in one step or in many, unless they are
// deleted meanwhile. Clear does.
func TestAnEmptySource(t *testing.T) {
	ctx, blocks := context.Background(), 200
	all := hashes(26, 40) // so few that most intervals have none
	last := slices.Max(all)
	for name, renew := range map[string]func(f *Filter, listed iter.Seq2[uint64, error]) error{
		"rebuild": func(f *Filter, listed iter.Seq2[uint64, error]) error {
			return f.RebuildHash(ctx, listed)
		},
		"refresh": func(f *Filter, listed iter.Seq2[uint64, error]) error {
			return f.RefreshHash(ctx, func(low, high uint64) iter.Seq2[uint64, error] {
				return func(yield func(uint64, error) bool) {
					for hash, err := range listed {
						_ = low <= hash && hash <= high && yield(hash, err)
					}
				}
			})
		},
	} {
		f := newFilter(t, blocks)
		if err := renew(f, sourceOf(nil)); err != nil {
			t.Errorf("%s of an empty filter: %v", name, err)
		}
		_, _ = f.InsertHashBatch(all, nil)
		before := snapshot(t, f)
		if err := renew(f, sourceOf(nil)); !errors.Is(err, filter.ErrEmptySource) ||
			!snapshot(t, f).Equal(before) {
			t.Errorf("%s: %v, and equal: %v", name, err, snapshot(t, f).Equal(before))
		}
		requireRest(t, name, f)
		if err := renew(f, sourceOf([]uint64{last})); err != nil || f.History().Members() != 1 ||
			f.QueryHashBatch(all, nil) != 1 {
			t.Errorf("%s of the last member: %v, %+v", name, err, f.History())
		}
		_, _ = f.InsertHash(last) // again, so that its deletes leave bits
		if err := renew(f, func(func(uint64, error) bool) {
			f.DeleteHashBatch([]uint64{last, last}, nil) // in intervals after the first, no member
		}); err != nil || f.State().Fill != 0 {
			t.Errorf("%s after the last delete: %v, %+v", name, err, f.State())
		}
		_, _ = f.InsertHashBatch(all, nil)
		f.DeleteHash(all[0])
		if err := f.Clear(); err != nil || f.History() != (base.History{}) || f.State().Fill != 0 {
			t.Errorf("cleared: %v, %+v", err, f.State())
		}
		requireRest(t, "clear", f)
	}
}

// What is written while the source is read counts, whether the source has it or not: before the
// write, after it, or never.
func TestWritesDuringRenewal(t *testing.T) {
	const blocks = 70
	insert := func(f *Filter, h uint64) { _, _ = f.InsertHash(h) }
	remove := func(f *Filter, h uint64) { f.DeleteHash(h) }
	inserts := func(f *Filter, h uint64) { _, _ = f.InsertHashBatch([]uint64{h}, nil) }
	removes := func(f *Filter, h uint64) { f.DeleteHashBatch([]uint64{h}, nil) }
	type step = func(f *Filter, h uint64)
	for name, test := range map[string]struct {
		member bool // before
		steps  []step
		after  bool
	}{
		"nothing, member":           {true, nil, true},
		"insert":                    {false, []step{insert}, true},
		"insert in a batch":         {false, []step{inserts}, true},
		"delete":                    {true, []step{remove}, false},
		"delete in a batch":         {true, []step{removes}, false},
		"insert, delete":            {false, []step{insert, remove}, false},
		"delete, insert":            {true, []step{remove, insert}, true},
		"batches: delete, insert":   {true, []step{removes, inserts}, true},
		"delete, insert and delete": {true, []step{remove, inserts, removes}, false},
		"a delete of no member":     {false, []step{remove}, false},
		"nothing, no member":        {false, nil, false},
	} {
		for yielded := range 3 { // before the writes, after them, or never
			if yielded == 2 && test.member && len(test.steps) == 0 {
				continue // a source that is wrong
			}
			f := newFilter(t, blocks)
			h := uint64(0x8123456789abcdef)
			others := hashes(22, 20*blocks)
			_, _ = f.InsertHashBatch(others, nil)
			if test.member {
				_, _ = f.InsertHash(h)
			}
			if err := f.RebuildHash(context.Background(), filter.Infallible(
				func(yield func(uint64) bool) {
					for i, other := range others {
						if yielded == 0 && i == 0 || yielded == 1 && i == 500 {
							yield(h)
						}
						if i == 100 {
							_, _ = f.Contents() // takes all locks: the source runs outside them
							for _, do := range test.steps {
								do(f, h)
							}
						}
						yield(other)
					}
				})); err != nil {
				t.Fatal(err)
			}
			members := others
			// A member that the source brings is one, if no member with its hash was written.
			brought := !test.member && yielded != 2 && (len(test.steps) == 0 ||
				name == "a delete of no member")
			if test.after || brought {
				members = append(members, h)
			}
			requireFresh(t, fmt.Sprintf("%s, listed %d", name, yielded), f, members)
		}
	}
}

// Of what is written between two parts of a stripe, each part has what is its own, and the history
// has it once.
func TestWritesBetweenParts(t *testing.T) {
	const blocks = maxStripes * 4 * partBlocks
	f := newFilter(t, blocks)
	tab := base.Require(&f.Life)
	_, high := tab.blocks.Interval(tab.blocksOf(0))
	var all []uint64
	for _, h := range hashes(23, 64*blocks) {
		if h <= high {
			all = append(all, h)
		}
	}
	listed, later := all[:len(all)/2], all[len(all)/2:]
	_, _ = f.InsertHashBatch(listed, nil)
	tab.record(0)
	members, rest, more := slices.Clone(listed), slices.Sorted(slices.Values(listed)), true
	parts := 0
	for ; more; parts++ {
		batch := later[parts*len(later)/5:][:len(later)/5]
		_, _ = f.InsertHashBatch(batch, nil)
		_, _ = f.InsertHash(uint64(parts) << 56) // in the first stripe
		f.DeleteHash(batch[0])
		f.DeleteHash(members[0])
		f.DeleteHashBatch(members[1:2*alone], nil)
		members = append(members[2*alone:], batch[1:]...)
		members = append(members, uint64(parts)<<56)
		var p freshPart
		p, rest = tab.freshPart(0, rest)
		_, _ = f.InsertHash(uint64(parts)<<56 + 1)
		f.DeleteHash(members[0])
		members = append(members[1:], uint64(parts)<<56+1)
		more = tab.replacePart(0, p)
	}
	_, _ = f.InsertHashBatch(later[4*len(later)/5:], nil)
	members = append(members, later[4*len(later)/5:]...)
	if parts != 4 {
		t.Fatalf("%d parts, want 4", parts)
	}
	requireRest(t, "at the end", f)
	check(t, f, members)
	if got := f.History().Members(); got != len(members) {
		t.Errorf("%d members, want %d", got, len(members))
	}
	if err := renewals["rebuild"](f, members); err != nil {
		t.Fatal(err)
	}
	requireFresh(t, "rebuilt", f, members)
}

// If a renewal fails, the filter is as before, but for the intervals that are done.
func TestRenewalFails(t *testing.T) {
	const blocks = 100
	all := hashes(24, 32*blocks)
	broken := errors.New("broken")
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(broken)
	for name, test := range map[string]struct {
		call func(f *Filter) error
		want error
	}{
		"source": {func(f *Filter) error {
			return f.RebuildHash(context.Background(), func(yield func(uint64, error) bool) {
				_ = yield(all[5], nil) && yield(0, broken)
			})
		}, broken},
		"source of a refresh": {func(f *Filter) error {
			return f.RefreshHash(context.Background(),
				func(_, _ uint64) iter.Seq2[uint64, error] {
					return func(yield func(uint64, error) bool) { yield(0, broken) }
				})
		}, broken},
		"context": {func(f *Filter) error {
			return f.RebuildHash(ended, sourceOf(all))
		}, broken},
		"context, no members": {func(f *Filter) error {
			return f.RebuildHash(ended, sourceOf(nil))
		}, broken},
		"busy": {func(f *Filter) error {
			var inner error
			_ = f.RebuildHash(ended, func(func(uint64, error) bool) {
				inner = errors.Join(f.RebuildHash(context.Background(), sourceOf(nil)))
				if inner = f.Merge(newFilter(t, blocks)); !f.Stats().Rebuilding {
					t.Error("it does not say that it rebuilds")
				}
			})
			return inner
		}, ErrBusy},
		"panic": {func(f *Filter) (err error) {
			defer func() { err, _ = recover().(error) }()
			return f.RebuildHash(context.Background(),
				func(func(uint64, error) bool) { panic(broken) })
		}, broken},
	} {
		f := newFilter(t, blocks)
		_, _ = f.InsertHashBatch(all, nil)
		before := snapshot(t, f)
		if err := test.call(f); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		requireRest(t, name, f)
		if !snapshot(t, f).Equal(before) {
			t.Errorf("%s: the filter changed", name)
		}
	}

	f := newFilter(t, blocks)
	var many *deletable.TooManyError
	if err := f.RebuildHash(context.Background(), sourceOf(hashes(25, 32*blocks+1))); !errors.As(
		err, &many) || many.PlannedInserts != 32*blocks || many.PlannedMembers != 32*blocks {
		t.Errorf("too many: %v", err)
	}
	if err := f.RebuildHash(context.Background(), sourceOf(all)); err != nil {
		t.Errorf("as many as planned: %v", err)
	}
	var outside *deletable.IntervalError
	if err := f.RefreshHash(context.Background(), func(_, high uint64) iter.Seq2[uint64, error] {
		return sourceOf([]uint64{high + 1})
	}); !errors.As(err, &outside) || outside.Hash != outside.High+1 {
		t.Errorf("another interval: %v", err)
	}
	if err := f.RebuildHash(context.Background(), func(func(uint64, error) bool) {
		_ = f.Close()
	}); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("closed by its source: %v", err)
	}
	if err := f.RefreshHash(context.Background(), nil); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// Members come and go while the filter is renewed again and again, from lists that change while
// they are read. A member is found at any time, and a key that was deleted is gone at the end.
func TestStressRenewal(t *testing.T) {
	for name, renew := range map[string]func(f *Filter, list *sync.Map) error{
		"rebuild": func(f *Filter, list *sync.Map) error {
			return f.RebuildHash(context.Background(), filter.Infallible(
				func(yield func(uint64) bool) {
					list.Range(func(h, _ any) bool { return yield(h.(uint64)) })
				}))
		},
		"refresh": func(f *Filter, list *sync.Map) error {
			return f.RefreshHash(context.Background(),
				func(low, high uint64) iter.Seq2[uint64, error] {
					return filter.Infallible(func(yield func(uint64) bool) {
						list.Range(func(h, _ any) bool {
							return h.(uint64) < low || h.(uint64) > high || yield(h.(uint64))
						})
					})
				})
		},
	} {
		t.Run(name, func(t *testing.T) { stressRenewal(t, renew) })
	}
}

func stressRenewal(t *testing.T, renew func(f *Filter, list *sync.Map) error) {
	const blocks, goroutines = 130, 3
	f := newFilter(t, blocks)
	var list sync.Map
	var stop atomic.Bool
	var renewed int
	var owner sync.WaitGroup
	owner.Go(func() {
		for ; !stop.Load(); renewed++ {
			if err := renew(f, &list); err != nil {
				t.Error(err)
				return
			}
		}
	})
	// More members have come than the plan allows, if nothing is renewed.
	deadline := time.Now().Add(time.Minute)
	var kept [goroutines][]uint64
	together(goroutines, func(g int) {
		rng := rand.New(rand.NewPCG(26, uint64(g)))
		members := kept[g]
		for range short(3000) {
			fresh := []uint64{rng.Uint64(), rng.Uint64()}
			for _, h := range fresh {
				list.Store(h, nil) // the list first
			}
			if rng.IntN(2) == 0 {
				_, _ = f.InsertHashBatch(fresh, nil)
			} else {
				_, _ = f.InsertHash(fresh[0])
				_, _ = f.InsertHash(fresh[1])
			}
			members = append(members, fresh...)
			check(t, f, members)
			for len(members) > 6*blocks {
				i := rng.IntN(len(members))
				var status [1]filter.Status
				if rng.IntN(2) == 0 {
					status[0] = f.DeleteHash(members[i])
				} else {
					f.DeleteHashBatch(members[i:i+1], status[:])
				}
				if status[0] == filter.Absent {
					t.Error("a member was absent when it was deleted")
				}
				list.Delete(members[i]) // the list last
				members = slices.Delete(members, i, i+1)
			}
			if t.Failed() || time.Now().After(deadline) {
				break
			}
		}
		kept[g] = members
	})
	stop.Store(true)
	owner.Wait()
	if err := renew(f, &list); err != nil {
		t.Fatal(err)
	}
	requireFresh(t, "at the end", f, slices.Concat(kept[:]...))
	if n := len(slices.Collect(maps.Keys(maps.Collect(func(yield func(any, any) bool) {
		list.Range(yield)
	})))); n != f.History().Members() {
		t.Errorf("%d in the list, %d members", n, f.History().Members())
	}
	t.Logf("%d renewals", renewed)
}

// wrapped hides that a filter is one that merges.
type wrapped struct{ filter.Stored }

func (w wrapped) Unwrap() filter.Stored { return w.Stored }

// A merge has the bits and the counters of a merge of deletable filters, also in stripes of several
// parts, and of filters that are wrapped.
func TestMerge(t *testing.T) {
	for _, blocks := range append(sizes, maxStripes*3*partBlocks+5) {
		f, g := newFilter(t, blocks), newFilter(t, blocks)
		all := hashes(32, 20*blocks)
		_, _ = f.InsertHashBatch(all[:12*blocks], nil)
		_, _ = g.InsertHashBatch(all[8*blocks:], nil)
		f.DeleteHashBatch(all[:blocks], nil)
		g.DeleteHashBatch(all[19*blocks:], nil)
		want, other := snapshot(t, f), snapshot(t, g)
		if err := want.Merge(other); err != nil {
			t.Fatal(err)
		}
		second, err := Of(snapshot(t, f))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Merge(wrapped{g}), second.Merge(wrapped{other})); err != nil {
			t.Fatal(err)
		}
		if !snapshot(t, f).Equal(want) || !snapshot(t, second).Equal(want) {
			t.Errorf("%d blocks: a merge differs", blocks)
		}
		if !snapshot(t, g).Equal(other) {
			t.Errorf("%d blocks: a merge changed the other filter", blocks)
		}
		requireRest(t, "merged", f)
	}
}

// A merge adds the members of a filter that others use to a filter that others use.
func TestMergeBeside(t *testing.T) {
	const blocks, goroutines = 200, 2
	for _, shared := range []bool{true, false} {
		f, g := newFilter(t, blocks), newFilter(t, blocks)
		all := hashes(27, 16*blocks)
		theirs, own, later := all[:4*blocks], all[4*blocks:8*blocks], all[8*blocks:]
		_, _ = g.InsertHashBatch(theirs, nil)
		_, _ = f.InsertHashBatch(own, nil)
		var merged sync.WaitGroup
		merged.Go(func() {
			var other filter.Stored = g
			if !shared {
				other = snapshot(t, g)
			}
			if err := f.Merge(other); err != nil {
				t.Error(err)
			}
		})
		together(goroutines, func(i int) {
			part := later[i*len(later)/goroutines:][:len(later)/goroutines]
			for j, h := range part {
				_, _ = f.InsertHash(h)
				check(t, f, own[:100])
				if j%2 == 0 {
					f.DeleteHash(h)
				}
				if shared && i == 0 {
					g.QueryHash(h)
				}
			}
		})
		merged.Wait()
		check(t, f, theirs)
		check(t, f, own)
		for i, h := range later {
			if i%2 != 0 && !f.QueryHash(h) {
				t.Error("a member is not found")
			}
		}
		if got := f.History().Members(); got != 12*blocks {
			t.Errorf("%d members, want %d", got, 12*blocks)
		}
	}
}

// The errors of merges name the difference, and change nothing.
func TestMergeErrors(t *testing.T) {
	f := newFilter(t, 10)
	_, _ = f.InsertHash(1)
	before := snapshot(t, f)
	closed := newFilter(t, 10)
	_ = closed.Close()
	own, err := deletable.New(config(10))
	if err != nil {
		t.Fatal(err)
	}
	_ = own.Close()
	for name, test := range map[string]struct {
		other filter.Stored
		want  error
	}{
		"nil":                {nil, filter.ErrClosed},
		"a nil filter":       {(*Filter)(nil), filter.ErrClosed},
		"a nil deletable":    {(*deletable.Filter)(nil), filter.ErrClosed},
		"closed":             {closed, filter.ErrClosed},
		"a closed deletable": {own, filter.ErrClosed},
		"itself":             {f, filter.ErrSelf},
		"another size":       {newFilter(t, 11), filter.ErrUnequalSize},
		"another kind":       {other{f}, file.ErrKind},
	} {
		if err := f.Merge(test.other); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !snapshot(t, f).Equal(before) {
		t.Error("it changed")
	}
	if err := closed.Merge(f); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("to a closed filter: %v", err)
	}
}

// other is a filter of another kind.
type other struct{ filter.Stored }

// The files are those of deletable filters.
func TestFiles(t *testing.T) {
	f := newFilter(t, 100)
	all := hashes(28, 2000)
	_, _ = f.InsertHashBatch(all, nil)
	f.DeleteHashBatch(all[:100], nil)
	want := snapshot(t, f)
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	content, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*Filter, error){
		"Open": func() (*Filter, error) { return Open(path, fixed) },
		"Load": func() (*Filter, error) { return Load(path, fixed) },
		"Read": func() (*Filter, error) { return Read(bytes.NewReader(content), fixed) },
		"UnmarshalBinary": func() (*Filter, error) {
			g := newFilter(t, 3)
			return g, g.UnmarshalBinary(content)
		},
	} {
		g, err := open()
		if err != nil || !snapshot(t, g).Equal(want) || !g.Key().Equal(fixed) {
			t.Errorf("%s: %v, %v", name, g, err)
			continue
		}
		if present, err := g.InsertUint64(5); present || err != nil || !g.QueryUint64(5) {
			t.Errorf("%s: an insert: %v", name, err)
		}
	}
	if _, err := Open(path, key.Key{}); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("without the key: %v", err)
	}
}

// A filter that was taken in the middle of a round of refreshes can be rebuilt and saved.
func TestRoundIsOver(t *testing.T) {
	d, err := deletable.New(deletable.Config{Members: 3200, BitsPerKey: 16, Turnovers: 2,
		Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	all := hashes(29, 3200)
	_, _ = d.InsertHashBatch(all, nil)
	d.DeleteHashBatch(all[:1600], nil)
	if err := d.RefreshHash(context.Background(), 0, 50, intervalSource(all[1600:])); err != nil {
		t.Fatal(err)
	}
	f, err := Of(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := renewals["rebuild"](f, all[1600:]); err != nil {
		t.Fatal(err)
	}
	if got := snapshot(t, f); got.Members() != 1600 || got.Inserts() != 1600 {
		t.Errorf("%d members of %d inserts, want 1600", got.Members(), got.Inserts())
	}
}

// Due, Stats and Health are those of a deletable filter with the same writes.
func TestHealth(t *testing.T) {
	for name, c := range map[string]deletable.Config{
		"turnovers": {Members: 1000, Rate: 0.01, Turnovers: 1, Key: fixed},
		"reinserts": {Members: 1000, Rate: 0.01, Reinserts: 1, Key: fixed},
	} {
		f, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		want, err := deletable.New(c)
		if err != nil {
			t.Fatal(err)
		}
		all := hashes(30, 2500)
		for i, h := range all {
			_, _ = f.InsertHash(h)
			_, _ = want.InsertHash(h)
			if i >= 1000 {
				f.DeleteHash(all[i-1000])
				want.DeleteHash(all[i-1000])
			}
			due, expected := f.Due(), want.Due()
			if fmt.Sprint(due) != fmt.Sprint(expected) {
				t.Fatalf("%s: after %d inserts: %v, want %v", name, i+1, due, expected)
			}
		}
		if got := f.Stats(); got.Stats != want.Stats() || got.Rebuilding {
			t.Errorf("%s: %+v, want %+v", name, got, want.Stats())
		}
		if got := fmt.Sprintf("%+v", f.Health()); got != fmt.Sprintf("%+v", want.Health()) {
			t.Errorf("%s: %s, want %+v", name, got, want.Health())
		}
		if f.Shape().Blocks != want.Shape().Blocks || f.History().Members() != want.Members() {
			t.Errorf("%s: %d blocks and %+v", name, f.Shape().Blocks, f.History())
		}
		if err := renewals["rebuild"](f, all[1500:]); err != nil || f.Due() != nil {
			t.Errorf("%s: %v; after a rebuild: %v", name, err, f.Due())
		}
	}
}

// A file may say that there are more members than memory has room for.
func TestRebuildOfHostileFile(t *testing.T) {
	c, err := newFilter(t, 100).Contents()
	if err != nil {
		t.Fatal(err)
	}
	base.Put(c, (&base.History{Inserts: base.MaxCount}).Numbers())
	f, err := Decode(c, fixed)
	if err != nil {
		t.Fatal(err)
	}
	members := hashes(33, 100)
	if err := renewals["rebuild"](f, members); err != nil {
		t.Fatal(err)
	}
	requireFresh(t, "rebuilt", f, members)
}

// The shares of the stripes in a history add up to it.
func TestShares(t *testing.T) {
	for _, h := range []base.History{{}, {Inserts: 1000, Deleted: 7, Retained: 1},
		{Inserts: base.MaxCount, Deleted: base.MaxCount, Retained: base.MaxCount}} {
		for _, blocks := range sizes {
			tab := newTable(make(kernel.Table512, blocks), nil, h)
			if got := tab.histories(); got != h {
				t.Errorf("%d blocks: %+v, want %+v", blocks, got, h)
			}
		}
	}
}
