package deletable

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// lister lists the members of an interval, as hashes or as keys that are numbers.
type lister = func(low, high uint64) iter.Seq2[uint64, error]

// refreshes are the three forms of keys to refresh from. All stand for the keys of numbers.
var refreshes = map[string]func(
	f *Filter,
	ctx context.Context,
	first, end int,
	numbers lister,
) error{
	"bytes": func(f *Filter, ctx context.Context, first, end int, numbers lister) error {
		return f.Refresh(ctx, first, end, func(low, high uint64) iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) {
				reused := make([]byte, 8)
				for n, err := range numbers(low, high) {
					copy(reused, bytesOf(n))
					if !yield(reused, err) {
						return
					}
				}
			}
		})
	},
	"uint64": (*Filter).RefreshUint64,
	"hash": func(f *Filter, ctx context.Context, first, end int, numbers lister) error {
		return f.RefreshHash(ctx, first, end, func(low, high uint64) iter.Seq2[uint64, error] {
			return filter.Hashes(numbers(low, high), fixed.HashUint64)
		})
	},
}

// numbers lists the numbers whose hashes lie in an interval.
func numbers(all []uint64) lister {
	return func(low, high uint64) iter.Seq2[uint64, error] {
		return func(yield func(uint64, error) bool) {
			for _, n := range all {
				if h := fixed.HashUint64(n); low <= h && h <= high && !yield(n, nil) {
					return
				}
			}
		}
	}
}

// hashes lists the hashes that lie in an interval.
func hashes(all []uint64) lister {
	return func(low, high uint64) iter.Seq2[uint64, error] {
		return func(yield func(uint64, error) bool) {
			for _, h := range all {
				if low <= h && h <= high && !yield(h, nil) {
					return
				}
			}
		}
	}
}

// aged returns a filter after many inserts and deletes, with the last members still in it.
func aged(t testing.TB, config Config, inserts, live int) (f *Filter, members []uint64) {
	t.Helper()
	f, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(inserts) {
		f.InsertUint64(n)
		if members = append(members, n); len(members) > live {
			f.DeleteUint64(members[0])
			members = members[1:]
		}
	}
	return f, members
}

// Refreshed blocks are those of a fresh filter of the members, bit for bit, and the others do not
// change. A round of refreshes makes the fresh filter, with its history. FuzzRefresh has any blocks
// and histories, of hashes.
func TestRefreshIsAFreshFilter(t *testing.T) {
	for name, refresh := range refreshes {
		for _, live := range []int{0, 1, rebuildChunk + 1, 3*rebuildChunk + 5} {
			f, members := aged(t, Config{Members: 3 * rebuildChunk, BitsPerKey: 10, Turnovers: 1,
				Key: fixed}, 5*rebuildChunk, live)
			fresh := f.Fresh().(*Filter)
			fresh.InsertUint64Batch(members, nil)
			nblocks, history := f.Shape().Blocks, tableOf(f).history
			for _, part := range []int{3, 1} { // the second third, and all with more than a chunk
				want := slices.Clone(blocksOf(f))
				first, end := nblocks/part%nblocks, min(2*nblocks/part, nblocks)
				copy(want[first:end], blocksOf(fresh)[first:])
				if err := refresh(f, t.Context(), first, end, numbers(members)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !slices.Equal(blocksOf(f), want) || part > 1 && (tableOf(f).history != history ||
					tableOf(f).round != (round{})) {
					t.Errorf("%s, %d members, blocks %d to %d: other blocks than expected, or the "+
						"history %+v of the round %+v", name, live, first, end, tableOf(f).history,
						tableOf(f).round)
				}
			}
			if same(t, f, fresh); tableOf(f).round != (round{}) {
				t.Errorf("%s: a round is left: %+v", name, tableOf(f).round)
			}
		}
	}
}

// A refresh that fails in any way changes nothing, and the next one works.
func TestARefreshThatFailsChangesNothing(t *testing.T) {
	broken := errors.New("the list is gone")
	for name, refresh := range refreshes {
		for _, after := range []int{0, 1, rebuildChunk - 1, rebuildChunk, rebuildChunk + 1,
			2*rebuildChunk + 5} {
			f, members := aged(t, Config{Members: 4 * rebuildChunk, BitsPerKey: 8, Key: fixed},
				5*rebuildChunk, 4*rebuildChunk)
			// a round has begun
			if err := refresh(f, t.Context(), 0, 10, numbers(members)); err != nil {
				t.Fatal(err)
			}
			before := f.Clone()
			first, end := 10, f.Shape().Blocks
			low, high := blocksOf(f).Interval(first, end)
			// listing lists the given number of members, and then ends as end says.
			listing := func(end func(yield func(uint64, error) bool)) lister {
				return func(low, high uint64) iter.Seq2[uint64, error] {
					return func(yield func(uint64, error) bool) {
						listed := 0
						for n, err := range numbers(members)(low, high) {
							if listed++; listed > after || !yield(n, err) {
								break
							}
						}
						end(yield)
					}
				}
			}
			outside := uint64(1 << 40)
			for h := fixed.HashUint64(outside); h-low <= high-low; h = fixed.HashUint64(outside) {
				outside++
			}
			ended, cancel := context.WithCancelCause(t.Context())
			later, cancelLater := context.WithCancelCause(t.Context())
			last, cancelLast := context.WithCancelCause(t.Context())
			cancel(broken)
			more := func(yield func(uint64, error) bool, n uint64, err error) {
				if yield(n, err) {
					t.Errorf("%s: asked for more after an error", name)
				}
			}
			var interval *IntervalError
			for how, test := range map[string]struct {
				ctx   context.Context
				end   func(yield func(uint64, error) bool)
				cause error // nil stands for an IntervalError
			}{
				"an error": {t.Context(),
					func(yield func(uint64, error) bool) { more(yield, 7, broken) }, broken},
				"a context that has ended": {ended, func(func(uint64, error) bool) {}, broken},
				"a context that ends": {later,
					func(func(uint64, error) bool) { cancelLater(broken) }, broken},
				"a context that ends before its source": {last,
					func(yield func(uint64, error) bool) {
						cancelLast(broken)
						for yielded := 0; yield(members[0], nil); yielded++ {
							if yielded > rebuildChunk {
								t.Errorf("%s: an endless source goes on", name)
								return
							}
						}
					}, broken},
				"an insert": {t.Context(),
					func(func(uint64, error) bool) { f.InsertUint64(1 << 41) }, ErrWritten},
				"a key of another block": {t.Context(),
					func(yield func(uint64, error) bool) { more(yield, outside, nil) }, nil},
			} {
				err := refresh(f, test.ctx, first, end, listing(test.end))
				if test.cause != nil && !errors.Is(err, test.cause) || test.cause == nil &&
					(!errors.As(err, &interval) ||
						*interval != IntervalError{fixed.HashUint64(outside), low, high}) {
					t.Errorf("%s, %s: error %v", name, how, err)
				}
				if test.cause == ErrWritten {
					f = before.Clone()
				}
				if !f.Equal(before) {
					t.Errorf("%s, %s after %d keys: the filter has changed", name, how, after)
				}
			}
			func() {
				defer func() {
					if recover() != broken || !f.Equal(before) {
						t.Errorf("%s: no panic of the source, or the filter has changed", name)
					}
				}()
				_ = refresh(f, t.Context(), first, end,
					listing(func(func(uint64, error) bool) { panic(broken) }))
			}()
			if err := refresh(f, t.Context(), first, end, numbers(members)); err != nil {
				t.Error(err)
			}
			fresh := f.Fresh().(*Filter)
			fresh.InsertUint64Batch(members, nil)
			same(t, f, fresh)
		}
	}
}

// An empty source empties no blocks that have members, in any form, and no filter is made of it. It
// is right for blocks that have none, or may have none by chance, as after an intersection.
func TestAnEmptySource(t *testing.T) {
	none := filter.Infallible(func(func(uint64) bool) {})
	for name, rebuild := range rebuilds {
		f := newFilter(t, 100, 16)
		f.InsertUint64(1)
		if g, err := rebuild(f, t.Context(), none); g != nil ||
			!errors.Is(err, filter.ErrEmptySource) {
			t.Errorf("%s: a rebuild of nothing: %v", name, err)
		}
	}
	for name, refresh := range refreshes {
		one, many := newFilter(t, 1280, 16), newFilter(t, 1280, 16) // 40 blocks
		one.InsertUint64(1)
		copies := newFilter(t, 1280, 16) // of the first hash of block 0
		for n := range uint64(1280) {
			many.InsertUint64(n)
			copies.InsertHash(0)
		}
		left, _ := tableOf(copies).blocks.Interval(5, 6)
		copies.InsertHashBatch([]uint64{left, left}, nil)
		copies.DeleteHashBatch([]uint64{left, left}, nil) // which leaves bits
		common, other := many.Clone(), newFilter(t, 1280, 16)
		for n := range uint64(1280) {
			other.InsertUint64(1280 + n)
		}
		if err := common.Intersect(other); err != nil || common.State().Fill == 0 {
			t.Fatal(err, common.State())
		}
		for what, test := range map[string]struct {
			f          *Filter
			first, end int
			want       error
		}{
			"all blocks, one member":           {one, 0, 40, filter.ErrEmptySource},
			"a block, many members":            {many, 7, 8, filter.ErrEmptySource},
			"the other blocks, a frequent key": {copies, 1, 40, nil},
			"blocks with bits of no member":    {common, 0, 39, nil},
		} {
			before := fileOf(t, test.f)
			err := refresh(test.f, t.Context(), test.first, test.end, numbers(nil))
			if !errors.Is(err, test.want) {
				t.Errorf("%s, %s: %v, want %v", name, what, err, test.want)
			}
			if test.want != nil && !bytes.Equal(fileOf(t, test.f), before) {
				t.Errorf("%s, %s: the filter changed", name, what)
			}
		}
		for n := range uint64(1280) {
			many.DeleteUint64(n)
		}
		if err := refresh(many, t.Context(), 0, 40, numbers(nil)); err != nil ||
			many.State().Fill != 0 {
			t.Errorf("%s: without members: %v", name, err)
		}
	}
}

// Refresh notices that a source writes to the filter, with all forms of keys, also if the counters
// are the same as before.
func TestRefreshFromASourceThatWrites(t *testing.T) {
	for name, refresh := range refreshes {
		for what, test := range map[string]struct {
			do   func(f *Filter) error
			want error
		}{
			"a delete": {func(f *Filter) error { f.DeleteUint64(7); return nil }, ErrWritten},
			"a reset and as many inserts": {func(f *Filter) error {
				n := f.Inserts()
				f.Reset()
				_, err := f.InsertHashBatch(make([]uint64, n), nil)
				return err
			}, ErrWritten},
			"a file": {func(f *Filter) error {
				b, err := f.MarshalBinary()
				return errors.Join(err, f.UnmarshalBinary(b))
			}, ErrWritten},
			"a merge": {func(f *Filter) error { return f.Merge(f.Clone()) },
				ErrWritten},
			"a merge of nothing": {
				func(f *Filter) error { return f.Merge(f.Fresh().(*Filter)) }, nil,
			},
			"a round of its own": {func(f *Filter) error {
				return f.RefreshHash(t.Context(), 0,
					f.Shape().Blocks, numbers([]uint64{7}))
			}, nil},
			"looks at the filter": {
				func(f *Filter) error { _, err := f.MarshalBinary(); f.Health(); return err }, nil},
			"an end": {func(f *Filter) error { return f.Close() }, filter.ErrClosed},
		} {
			f, err := New(Config{Members: 1000, BitsPerKey: 16, Key: fixed})
			if err != nil {
				t.Fatal(err)
			}
			f.InsertUint64(7)
			err = refresh(f, t.Context(), 0, 20, func(low, high uint64) iter.Seq2[uint64, error] {
				if err := test.do(f); err != nil {
					t.Errorf("%s, %s: %v", name, what, err)
				}
				return numbers([]uint64{7})(low, high)
			})
			if !errors.Is(err, test.want) {
				t.Errorf("%s, %s: %v, want %v", name, what, err, test.want)
			}
			fresh := newFilter(t, 1000, 16)
			if fresh.InsertUint64(7); err == nil && !slices.Equal(blocksOf(f), blocksOf(fresh)) {
				t.Errorf("%s, %s: other blocks than expected", name, what)
			}
		}
	}
}

// The lowest and the highest hash of the interval belong to the blocks. The hashes next to the
// interval do not.
func TestRefreshTakesTheEndsOfAnInterval(t *testing.T) {
	for _, members := range []int{1, 100, 1000, 1024, 12345} {
		f := newFilter(t, members, 16)
		n := f.Shape().Blocks
		for _, blocks := range [][2]int{{0, 1}, {0, n}, {n / 3, n/3 + 1}, {n / 2, n}, {n - 1, n}} {
			low, high := blocksOf(f).Interval(blocks[0], blocks[1])
			refresh := func(hash uint64) error {
				return f.RefreshHash(t.Context(), blocks[0], blocks[1],
					func(uint64, uint64) iter.Seq2[uint64, error] {
						return filter.Infallible(slices.Values([]uint64{hash}))
					})
			}
			for _, hash := range []uint64{low, high} {
				if err := refresh(hash); err != nil || !f.QueryHash(hash) {
					t.Errorf("blocks %v of %d: hash %#x: %v", blocks, n, hash, err)
				}
			}
			var e *IntervalError
			if low > 0 && !errors.As(refresh(low-1), &e) || high < math.MaxUint64 &&
				!errors.As(refresh(high+1), &e) {
				t.Errorf("blocks %v of %d: a hash beside %#x to %#x is taken", blocks, n, low, high)
			}
		}
	}
}

func TestRefreshOfNoBlocks(t *testing.T) {
	f := newFilter(t, 1000, 16)
	n := f.Shape().Blocks
	for _, blocks := range [][2]int{{0, 0}, {-1, 1}, {1, 0}, {0, n + 1}, {n, n + 1}, {n, n},
		{math.MinInt, math.MaxInt}} {
		var e *BlocksError
		err := f.RefreshHash(t.Context(), blocks[0], blocks[1],
			func(uint64, uint64) iter.Seq2[uint64, error] {
				t.Error("members are listed")
				return nil
			})
		if !errors.As(err, &e) || *e != (BlocksError{blocks[0], blocks[1], n}) {
			t.Errorf("blocks %v: %v", blocks, err)
		}
	}
}

// The filter keeps the scratch of a step, but not that of a large interval.
func TestRefreshKeepsLittleMemory(t *testing.T) {
	f := newFilter(t, 2_000_000, 16)
	none := hashes(nil)
	for _, test := range []struct {
		end    int
		blocks int // blocks that are kept
	}{{64, 64}, {1024, 1024}, {64, 64}, {keptBlocks, keptBlocks}, {keptBlocks + 1, 0}} {
		if err := f.RefreshHash(t.Context(), 0, test.end, none); err != nil {
			t.Fatal(err)
		}
		if kept := f.scratch != nil; kept != (test.blocks > 0) ||
			kept && len(f.scratch.blocks) != test.blocks {
			t.Errorf("%d blocks: scratch %v", test.end, kept)
		}
	}
	if err := f.RefreshHash(t.Context(), 0, 1024, none); err != nil {
		t.Fatal(err)
	}
	before := f.scratch
	if err := f.RefreshHash(t.Context(), 5, 64, none); err != nil || f.scratch != before ||
		cap(f.scratch.blocks) != 1024 {
		t.Errorf("a step has scratch of its own (%v)", err)
	}
}

// A round subtracts the deletes before it evenly, and all of them at its end. The members do not
// change. A rebuild is never due with one round in the planned turnovers.
func TestARoundForgetsTheDeletesBeforeIt(t *testing.T) {
	f := newFilter(t, 1280, 16) // 40 blocks
	tableOf(f).history = base.History{Inserts: 5000, Deleted: 3000, Retained: 1000}
	step := func(first, end int, want base.History) {
		t.Helper()
		members := f.Members()
		one := func(low, _ uint64) iter.Seq2[uint64, error] {
			return filter.Infallible(slices.Values([]uint64{low}))
		}
		if err := f.RefreshHash(t.Context(), first, end, one); err != nil {
			t.Fatal(err)
		}
		if tableOf(f).history != want || f.Members() != members {
			t.Errorf("blocks %d to %d: history %+v, want %+v", first, end, tableOf(f).history, want)
		}
	}
	step(8, 16, base.History{Inserts: 5000, Deleted: 3000, Retained: 1000}) // not the next blocks
	step(0, 10, base.History{Inserts: 4000, Deleted: 2250, Retained: 750})
	tableOf(f).history.Deleted += 400 // after the round began
	step(4, 9, base.History{Inserts: 4000, Deleted: 2650, Retained: 750})
	step(5, 20, base.History{Inserts: 3000, Deleted: 1900, Retained: 500})
	step(30, 40, base.History{Inserts: 3000, Deleted: 1900, Retained: 500})
	step(20, 40, base.History{Inserts: 1000, Deleted: 400, Retained: 0})
	step(0, 1, base.History{Inserts: 990, Deleted: 390, Retained: 0})
	// a refresh of all blocks in the middle of a round subtracts these too
	tableOf(f).history.Deleted += 100
	step(0, 40, base.History{Inserts: 500, Deleted: 0, Retained: 0})
	if tableOf(f).round != (round{}) {
		t.Errorf("a round is left: %+v", tableOf(f).round)
	}
	tableOf(f).history = base.History{Inserts: 3, Deleted: 5} // with deletes of non-members
	step(0, 40, base.History{})

	tableOf(f).history = base.History{Inserts: base.MaxCount, Deleted: base.MaxCount,
		Retained: base.MaxCount}
	for first := range 40 { // the products do not overflow
		if err := f.RefreshHash(t.Context(), first, first+1, hashes(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if tableOf(f).history != (base.History{}) {
		t.Errorf("history %+v at the end of a round", tableOf(f).history)
	}
}

// The steps of a Refresher insert as many members again as asked for, and a rebuild is never due if
// the plan has as many turnovers as a round. Package planning has the rates.
func TestRefresherKeepsUp(t *testing.T) {
	const members, turnovers = 5000, 6
	for _, reinserts := range []float64{0.5, 2} {
		f, err := New(Config{Members: members, BitsPerKey: 16, Turnovers: 1.05 / reinserts,
			Lifetime: planning.Random(), Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRefresher(f, reinserts, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, listed := newPopulation(members, planning.Random()), 0
		f.InsertHashBatch(p.Hashes(), nil)
		if _, _, due := r.Next(); due {
			t.Error("a step is due before the first delete")
		}
		for range turnovers * members {
			p.replace(t, f)
			for first, end, due := r.Next(); due; first, end, due = r.Next() {
				if err := f.RefreshHash(t.Context(), first, end, hashes(p.Hashes())); err != nil {
					t.Fatal(err)
				}
				listed += members * (end - first) / f.Shape().Blocks
			}
			if err := f.Due(); err != nil {
				t.Fatalf("%g re-inserts an insert: %v", reinserts, err)
			}
		}
		if want := reinserts * turnovers * members; math.Abs(float64(listed)-want) >
			0.02*want+members/20 || f.QueryHashBatch(p.Hashes(), nil) != members {
			t.Errorf("%d re-inserts, want %.0f, or a member is not found", listed, want)
		}
	}
}

// At most one round is overdue after a pause or a merge. Nothing is due after a Reset or a Close.
func TestRefresherAfterAPause(t *testing.T) {
	f := newFilter(t, 1280, 16) // 40 blocks
	r, err := NewRefresher(f, 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	steps := func() (n int) {
		for first, end, due := r.Next(); due; first, end, due = r.Next() {
			if err := f.RefreshHash(t.Context(), first, end, hashes([]uint64{0, 1})); err != nil {
				t.Fatal(err)
			}
			if n++; n > 1000 {
				t.Fatal("endless steps")
			}
		}
		return n
	}
	tableOf(f).history.Deleted = 1
	f.InsertHashBatch(make([]uint64, 100), nil)
	tableOf(f).history.Deleted = 1
	if n := steps(); n < 1 {
		t.Error("no step is due")
	}
	f.InsertHashBatch(make([]uint64, 1_000_000), nil)
	tableOf(f).history.Deleted = 999_000
	if n := steps(); n < 6 || n > 8 {
		t.Errorf("%d steps after a pause, want those of a round, 6", n)
	}
	if n := steps(); n != 0 {
		t.Errorf("%d steps more", n)
	}
	f.InsertHash(1)
	tableOf(f).history.Deleted = 1
	if n := steps(); n > 1 {
		t.Errorf("%d steps for an insert after a pause", n)
	}
	if r, err = NewRefresher(f, 1e300, 1); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		f.InsertHash(1)
		tableOf(f).history.Deleted++
		if n := steps(); n < 1 || n > 2 {
			t.Errorf("%d steps for an insert, where it pays for a table", n)
		}
	}
	content := fileOf(t, newFilter(t, 1280, 16))
	for name, begin := range map[string]func() error{
		"a reset":        func() error { f.Reset(); return nil },
		"another filter": func() error { return f.UnmarshalBinary(content) },
	} {
		tableOf(f).history = base.History{Inserts: 1_000_000, Deleted: 999_000}
		if r, err = NewRefresher(f, 1, 7); err != nil {
			t.Fatal(err)
		}
		if err := begin(); err != nil {
			t.Fatal(err)
		}
		made := 0
		for n := range 2000 {
			f.InsertHash(uint64(n) << 50)
			tableOf(f).history.Deleted = 1
			made += steps()
		}
		if made == 0 {
			t.Errorf("no step after %s", name)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, due := r.Next(); due {
		t.Error("a step of a closed filter is due")
	}
	if _, _, due := new(Refresher).Next(); due {
		t.Error("a step of no filter is due")
	}
	for _, ended := range []*Filter{nil, f} {
		if _, err := NewRefresher(ended, 1, 1); !errors.Is(err, filter.ErrClosed) {
			t.Errorf("%v: %v", ended, err)
		}
	}
	f = newFilter(t, 1280, 16)
	for _, wrong := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		var e *filter.SizingError
		if _, err := NewRefresher(f, wrong, 1); !errors.As(err, &e) {
			t.Errorf("%g re-inserts: %v", wrong, err)
		}
	}
	var e *filter.SizingError
	if _, err := NewRefresher(f, 1, -1); !errors.As(err, &e) {
		t.Errorf("-1 blocks: %v", err)
	}
}

// The steps of a filter with planned re-inserts follow its plan, and have a size that suits its
// table.
func TestRefresherByThePlan(t *testing.T) {
	for _, test := range []struct{ blocks, step int }{{1, 1}, {20, 1}, {21, 2}, {1260, 63},
		{1261, 64}, {5000, 64}} {
		f, err := New(Config{Members: 10 * test.blocks, BitsPerKey: 512.0 / 10,
			Reinserts: 0.5, Key: fixed})
		if err != nil || f.Shape().Blocks != test.blocks {
			t.Fatalf("%d blocks (%v), want %d", f.Shape().Blocks, err, test.blocks)
		}
		for n := range uint64(1000) {
			f.InsertUint64(n)
		}
		got, err1 := NewRefresher(f, 0, 0)
		want, err2 := NewRefresher(f, 0.5, test.step)
		if err1 != nil || err2 != nil || *got != *want {
			t.Errorf("%d blocks: %+v (%v), want %+v (%v)", test.blocks, got, err1, want, err2)
		}
	}
}

// If a step fails, the next step has the same blocks.
func TestRefresherRepeatsAStepThatFails(t *testing.T) {
	f, members := aged(t, Config{Members: 2000, BitsPerKey: 16, Key: fixed}, 3000, 2000)
	r, err := NewRefresher(f, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.RefreshUint64(t.Context(), 0, 10, numbers(members)); err != nil {
		t.Fatal(err)
	}
	f.InsertUint64Batch(make([]uint64, 1000), nil)
	for range 3 {
		if first, end, due := r.Next(); first != 10 || end != 15 || !due {
			t.Errorf("blocks %d to %d, due %v", first, end, due)
		}
	}
}

// Goroutines find every member, by single queries and by batches, while blocks are refreshed. With
// BLOOMLANE_REFRESHES=full there are a million refreshes. The test also runs under the race
// detector. Inserts and deletes lock the others out.
func TestReadersBesideRefreshes(t *testing.T) {
	wanted := 20_000
	switch {
	case os.Getenv("BLOOMLANE_REFRESHES") == "full":
		wanted = 1_000_000
	case testing.Short():
		wanted = 2000
	}
	const members = 1000
	f := newFilter(t, members, 12)
	p := newPopulation(members, churns(t)[1])
	for hash := range p.Live() {
		f.InsertHash(hash)
	}
	var (
		writes         sync.RWMutex
		asks, answered atomic.Int64
		done           atomic.Bool
		readers        sync.WaitGroup
	)
	each := func(query func(hash uint64) bool) func([]uint64, []uint64) int {
		return func(hashes, _ []uint64) (found int) {
			for _, h := range hashes {
				if query(h) {
					found++
				}
			}
			return found
		}
	}
	for _, query := range []func(hashes, present []uint64) (found int){
		f.QueryHashBatch, each(f.QueryHash),
		each(blocksOf(f).Query), // as a program with package kernel uses it
	} {
		readers.Go(func() {
			for rng := rand.New(rand.NewPCG(7, 8)); !done.Load(); {
				writes.RLock()
				asks.Add(100)
				answered.Add(int64(query(p.Hashes()[rng.IntN(members-100):][:100], nil)))
				writes.RUnlock()
			}
		})
	}
	rng := rand.New(rand.NewPCG(9, 10))
	made := 0
	// Where the CPUs are busy, the refreshes can be over before any reader has run.
	for made < wanted || asks.Load() < 30_000 {
		writes.Lock()
		for range 10 {
			p.replace(t, f)
		}
		writes.Unlock()
		for range 10 { // beside readers and no other writer
			first := rng.IntN(f.Shape().Blocks)
			end := first + 1 + rng.IntN(min(3, f.Shape().Blocks-first))
			if err := f.RefreshHash(t.Context(), first, end, hashes(p.Hashes())); err != nil {
				t.Fatal(err)
			}
			made++
		}
	}
	done.Store(true)
	readers.Wait()
	t.Logf("%d refreshes beside %d asks of members, of which %d found none", made, asks.Load(),
		asks.Load()-answered.Load())
	if asks.Load() != answered.Load() {
		t.Error("a member was missed")
	}
}

// FuzzRefresh runs a history of inserts, deletes and refreshes, three bytes per operation. Every
// member is found, refreshed blocks are those of a fresh filter of the members, and a file holds
// the state.
func FuzzRefresh(f *testing.F) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 0))
		program := make([]byte, 3*300)
		for i := range program {
			program[i] = byte(rng.Uint64())
		}
		f.Add(uint8(seed*5), program)
	}
	f.Fuzz(func(t *testing.T, size uint8, program []byte) {
		if len(program) > 3*2048 {
			return
		}
		nblocks := 1 + int(size)%32
		f := newFilter(t, 64*nblocks, 8)
		var members []uint64
		for step := 0; len(program) >= 3; step++ {
			op, a, b := program[0], program[1], program[2]
			program = program[3:]
			switch op % 4 {
			case 0, 1:
				// from few keys, so that some members are in it twice
				h := (uint64(a)<<56 | uint64(b)<<48) * 0x9E3779B97F4A7C15
				f.InsertHash(h)
				members = append(members, h)
			case 2:
				if len(members) > 0 {
					i := (int(a)<<8 | int(b)) % len(members)
					if f.DeleteHash(members[i]) == Absent {
						t.Fatalf("step %d: a member is absent when deleted", step)
					}
					members = slices.Delete(members, i, i+1)
				}
			case 3:
				first, end := int(a)%(nblocks+1), int(b)%(nblocks+2)
				want := slices.Clone(blocksOf(f))
				err := f.RefreshHash(t.Context(), first, end, hashes(members))
				if valid := first < end && end <= nblocks; valid != (err == nil) {
					t.Fatalf("step %d: blocks %d to %d of %d: %v", step, first, end, nblocks, err)
				} else if valid {
					fresh := make([][8]uint64, nblocks)
					fallback.InsertBatch(fresh, members, nil)
					for i := first; i < end; i++ {
						want[i] = fresh[i]
					}
				}
				if !slices.Equal(blocksOf(f), want) {
					t.Fatalf("step %d: other blocks than expected", step)
				}
			}
			if f.Members() != len(members) {
				t.Fatalf("step %d: %d members, want %d", step, f.Members(), len(members))
			}
		}
		if n := f.QueryHashBatch(members, nil); n != len(members) {
			t.Fatalf("%d of %d members are found", n, len(members))
		}
		g, err := Read(bytes.NewReader(fileOf(t, f)), fixed)
		if err != nil || !g.Equal(f) {
			t.Fatalf("the filter of the file differs (%v)", err)
		}
	})
}
