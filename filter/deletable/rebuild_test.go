package deletable

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
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
				if !yield(fixed.HashUint64(n), err) {
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
			closing := f.Clone() // a rebuild goes on while its filter is closed
			got, err := rebuild(closing, t.Context(), func(yield func(uint64, error) bool) {
				if err := closing.Close(); err != nil {
					t.Error(err)
				}
				upTo(uint64(inserts-live), inserts, new(int))(yield)
			})
			if err != nil {
				t.Errorf("%s, %d keys, closed: %v", name, live, err)
				continue
			}
			same(t, got, fresh)
			got, err = rebuild(f, t.Context(), upTo(uint64(inserts-live), inserts, &yielded))
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
			yielded, planned := 0, tableOf(f).plan.inserts()
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
			f := newFilter(t, 4*rebuildChunk, 12)
			f.InsertUint64(1)
			f.DeleteUint64(1)
			f.InsertUint64(2)
			want := f.Clone()
			for how, end := range map[string]func(
				cancel context.CancelCauseFunc,
				yield func(uint64, error) bool,
			){
				"an error": func(_ context.CancelCauseFunc, yield func(uint64, error) bool) {
					if yield(7, broken) {
						t.Errorf("%s: asked for more after an error", name)
					}
				},
				"a context that ends, and its source with it": func(cancel context.CancelCauseFunc,
					_ func(uint64, error) bool) {
					cancel(broken)
				},
				"a context that ends, and a source that does not": func(
					cancel context.CancelCauseFunc, yield func(uint64, error) bool) {
					cancel(broken)
					for yielded := 0; yield(9, nil); yielded++ {
						if yielded > rebuildChunk {
							t.Errorf("%s: an endless source goes on", name)
							return
						}
					}
				},
			} {
				ctx, cancel := context.WithCancelCause(t.Context())
				yielded := 0
				g, err := rebuild(f, ctx, func(yield func(uint64, error) bool) {
					for n, err := range upTo(0, after, &yielded) {
						if !yield(n, err) {
							return
						}
					}
					end(cancel, yield)
				})
				if g != nil || !errors.Is(err, broken) {
					t.Errorf("%s, after %d keys, %s: %v and %v, want no filter and %v", name, after,
						how, g, err, broken)
				}
				same(t, f, want)
			}
		}
	}
}
