package sharded

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// ErrBusy says that another rebuild, refresh or merge of the filter is running.
var ErrBusy = errors.New("a rebuild, a refresh or a merge of the filter is running")

// Rebuild replaces all blocks by fresh ones with the members that live yields, while other
// goroutines query, insert and delete. No call misses a member: the package comment says under
// Rebuild what live must yield, and what becomes of the keys that are written meanwhile. live may
// reuse the memory of a key for the next one.
//
// Nothing changes until live has ended. If it yields an error or panics, if ctx ends, or if the
// filter is closed, the error wraps the cause. If live yields more keys than the plan allows
// inserts, the error is a *[deletable.TooManyError]. It wraps [ErrBusy] if another rebuild is
// running, and [filter.ErrEmptySource] if live yields no key and the filter has members, which
// [Filter.Clear] removes.
//
// Rebuild keeps the hash of each member until all are there: 8.5 bytes each, and more if there are
// more than before. Of each write meanwhile it keeps 16 to 32 bytes. Then it replaces 16 blocks at
// a time. Queries wait for nothing. Writers wait for the 16 blocks, which takes some microseconds.
func (f *Filter) Rebuild(ctx context.Context, live iter.Seq2[[]byte, error]) error {
	k := f.Key() // the source may close the filter
	return f.RebuildHash(ctx, filter.Hashes(live, k.Hash))
}

// RebuildUint64 is [Filter.Rebuild] for keys that are uint64s.
func (f *Filter) RebuildUint64(ctx context.Context, live iter.Seq2[uint64, error]) error {
	k := f.Key()
	return f.RebuildHash(ctx, filter.Hashes(live, k.HashUint64))
}

// RebuildHash is [Filter.Rebuild] for hashes of keys.
func (f *Filter) RebuildHash(ctx context.Context, live iter.Seq2[uint64, error]) error {
	return f.runAlone("rebuild", func(t *table) error {
		l := listing{ctx: ctx, table: t, most: t.plannedInserts,
			stripes: make([][]uint64, len(t.stripes))}
		const full = 64 // members of a block: the counters may come from a hostile file
		each := min(t.histories().Members()/len(t.stripes), full<<t.shift)
		for i := range l.stripes {
			l.stripes[i] = make([]uint64, 0, each+each/16)
		}
		before := t.histories()
		l.kept = &before
		return f.renew(&l, 0, len(t.stripes), live)
	})
}

// keeps reports whether not all members of an earlier history have been deleted since.
func (t *table) keeps(before base.History) bool {
	now := t.histories()
	before.Deleted, before.Retained = now.Deleted, now.Retained
	return before.Members() > 0
}

// Clear removes all members while others query, insert and delete: a key that is inserted meanwhile
// may stay. The error wraps [filter.ErrClosed] or [ErrBusy].
func (f *Filter) Clear() error {
	return f.runAlone("clear", func(t *table) error {
		for i := range t.stripes {
			t.record(i)
			t.renew(i, nil)
		}
		return nil
	})
}

// Refresh is [Filter.Rebuild] in steps, for owners who can list the members of an interval of
// hashes ([filter.Keyed.Hash]). It calls members for one interval after another, at most 64, from
// low to high, both included. The source that it returns must yield the members with such hashes,
// and no others: see [deletable.Filter.Refresh].
//
// Each step replaces the blocks of its interval when its source has ended. If a later one yields an
// error, or if ctx ends, the intervals before it stay refreshed. The next Refresh begins with the
// first interval. Intervals before the first that has members are asked for once more at the end:
// if none has, and the filter has members, nothing changes, and the error wraps
// [filter.ErrEmptySource]. Refresh keeps the hashes of one interval at a time, and records the
// writes to one at a time. The error is a *[deletable.IntervalError] if a key does not belong to
// the interval.
func (f *Filter) Refresh(
	ctx context.Context,
	members func(low, high uint64) iter.Seq2[[]byte, error],
) error {
	k := f.Key()
	return f.RefreshHash(ctx, func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Hashes(members(low, high), k.Hash)
	})
}

// RefreshUint64 is [Filter.Refresh] for keys that are uint64s.
func (f *Filter) RefreshUint64(
	ctx context.Context,
	members func(low, high uint64) iter.Seq2[uint64, error],
) error {
	k := f.Key()
	return f.RefreshHash(ctx, func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Hashes(members(low, high), k.HashUint64)
	})
}

// RefreshHash is [Filter.Refresh] for hashes of keys.
func (f *Filter) RefreshHash(
	ctx context.Context,
	members func(low, high uint64) iter.Seq2[uint64, error],
) error {
	return f.runAlone("refresh", func(t *table) error {
		l := listing{ctx: ctx, table: t, most: base.MaxCount, waits: true,
			stripes: make([][]uint64, len(t.stripes))}
		refresh := func(ranges int) error {
			for r := range ranges {
				first, end := t.stripesOf(r)
				low, _ := t.blocks.Interval(t.blocksOf(first))
				_, high := t.blocks.Interval(t.blocksOf(end - 1))
				err := f.renew(&l, first, end, checkInterval(members, low, high))
				if err != nil {
					return err
				}
			}
			return nil
		}
		before := t.histories()
		if err := refresh(t.ranges()); err != nil {
			return err
		}
		if l.members == 0 && t.keeps(before) {
			return filter.ErrEmptySource
		}
		l.waits = false
		return refresh(l.waiting)
	})
}

// renew renews the stripes from first to end - 1 by the members that source yields.
func (f *Filter) renew(l *listing, first, end int, source iter.Seq2[uint64, error]) error {
	t := l.table
	for i := first; i < end; i++ {
		t.record(i)
		defer t.forget(i)
	}
	if err := l.add(source); err != nil {
		return err
	}
	if base.Held(&f.Life) != t {
		return filter.ErrClosed
	}
	if l.members == 0 && l.waits {
		l.waiting++
		return nil
	}
	if l.members == 0 && l.kept != nil && t.keeps(*l.kept) {
		return filter.ErrEmptySource
	}
	for i := first; i < end; i++ {
		t.renew(i, l.stripes[i])
		l.stripes[i] = nil
	}
	return nil
}

// checkInterval is the source that members returns for an interval, with an error for other hashes.
func checkInterval(
	members func(low, high uint64) iter.Seq2[uint64, error],
	low, high uint64,
) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for hash, err := range members(low, high) {
			if err == nil && hash-low > high-low {
				err = &deletable.IntervalError{Hash: hash, Low: low, High: high}
			}
			if !yield(hash, err) {
				return
			}
		}
	}
}

// runAlone calls do, unless another rebuild, refresh or merge is running.
func (f *Filter) runAlone(op string, do func(t *table) error) error {
	t := base.Held(&f.Life)
	if t == nil {
		return fmt.Errorf("sharded: %s: %w", op, filter.ErrClosed)
	}
	if turns := t.turns.Load(); turns%2 != 0 || !t.turns.CompareAndSwap(turns, turns+1) {
		return fmt.Errorf("sharded: %s: %w", op, ErrBusy)
	}
	defer t.turns.Add(1)
	defer runtime.KeepAlive(t)
	if err := do(t); err != nil {
		return fmt.Errorf("sharded: %s: %w", op, err)
	}
	return nil
}

// listing has the hashes of the members that sources yielded, by stripe.
type listing struct {
	ctx     context.Context
	table   *table
	most    uint64 // members
	members uint64
	stripes [][]uint64

	// whether ranges wait for one that has members, and how many do, from the first on
	waits   bool
	waiting int

	// the history after which no member in all is an error, or nil
	kept *base.History
}

// add adds the members of a source.
func (l *listing) add(source iter.Seq2[uint64, error]) error {
	const check = 1 << 12 // members between two looks at the context
	for hash, err := range source {
		if err != nil {
			return fmt.Errorf("source of members: %w", err)
		}
		if l.members++; l.members > l.most {
			return &deletable.TooManyError{PlannedInserts: int(l.most),
				PlannedMembers: l.table.planned}
		}
		if l.members%check == 0 && l.ctx.Err() != nil {
			break
		}
		stripe := l.table.index(hash) >> l.table.shift
		l.stripes[stripe] = append(l.stripes[stripe], hash)
	}
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return nil
}
