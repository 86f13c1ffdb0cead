package deletable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/kernel"
)

// ErrWritten says that the filter was written while a refresh listed its members, so that the list
// may be wrong.
var ErrWritten = errors.New("the filter was written while its members were listed")

// BlocksError says that a filter of Blocks blocks does not have the blocks First to End - 1, or
// that First is not below End.
type BlocksError struct{ First, End, Blocks int }

// Error has the three numbers.
func (e *BlocksError) Error() string {
	return fmt.Sprintf(
		"filter: refresh: found first block %d and end %d, expected some of the %d blocks", e.First,
		e.End, e.Blocks)
}

// IntervalError says that the source of a refresh yielded a key that belongs to other blocks: Hash
// is not from Low to High.
type IntervalError struct{ Hash, Low, High uint64 }

// Error has the three hashes.
func (e *IntervalError) Error() string {
	return fmt.Sprintf("filter: refresh: source of members: found hash %#x, expected one from "+
		"%#x to %#x", e.Hash, e.Low, e.High)
}

// Refresh replaces the blocks first to end - 1 by fresh blocks with the members that members
// yields. That removes what deletes and former members left in these blocks. The members of
// consecutive blocks are those whose hashes ([filter.Keyed.Hash]) lie in an interval, low to high,
// both included. Refresh calls members once with low and high. The source that it returns must
// yield every member with such a hash, and no other key, each as often as it was inserted and not
// deleted since. It may reuse the memory of a key for the next one.
//
// Goroutines may query during a refresh, and find every member: docs/theory/kernel.md says why. No
// other call may run, not even one that only reads, from before the source lists its first member
// until Refresh returns. An owner that writes from several goroutines must hold its lock all that
// time.
//
// The blocks are replaced after the source has ended without an error. If it yields an error or
// panics, if ctx ends, or if the filter is closed, the filter does not change, and the error wraps
// the cause. The error is an *[IntervalError] if a key belongs to other blocks, a *[BlocksError] if
// there are no such blocks, and wraps [ErrWritten] if the source itself wrote to the filter, and
// [filter.ErrEmptySource] if it yields no key for blocks that have members: all blocks of a filter
// with members, or some with bits of members that are 16 or more on average.
//
// A round of refreshes goes from block 0 to the end of the table, each step from where the last one
// ended. A round has the effect of a [Filter.Rebuild] on the bits, and reduces the counters as
// much: see [Filter.Inserts]. With one round in every Turnovers turnovers of the [Config], a
// rebuild is never due. [Refresher] computes the steps. A refresh allocates its blocks and 32 KiB.
// The filter keeps up to 1 MiB of blocks for the next refresh.
func (f *Filter) Refresh(
	ctx context.Context,
	first, end int,
	members func(low, high uint64) iter.Seq2[[]byte, error],
) error {
	if f.Closed() {
		return errRefreshClosed()
	}
	k := f.Key() // the source may close the filter
	return f.RefreshHash(ctx, first, end, func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Hashes(members(low, high), k.Hash)
	})
}

// RefreshUint64 is [Filter.Refresh] for keys that are uint64s.
func (f *Filter) RefreshUint64(
	ctx context.Context,
	first, end int,
	members func(low, high uint64) iter.Seq2[uint64, error],
) error {
	if f.Closed() {
		return errRefreshClosed()
	}
	k := f.Key()
	return f.RefreshHash(ctx, first, end, func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Hashes(members(low, high), k.HashUint64)
	})
}

// RefreshHash is [Filter.Refresh] for hashes of keys.
func (f *Filter) RefreshHash(
	ctx context.Context,
	first, end int,
	members func(low, high uint64) iter.Seq2[uint64, error],
) error {
	t := base.Live(&f.Body)
	if t == nil {
		return errRefreshClosed()
	}
	if first < 0 || end <= first || end > len(t.blocks) {
		return &BlocksError{first, end, len(t.blocks)}
	}
	before, ever, s := t.history, f.ever(), f.takeScratch(end-first)
	low, high := t.blocks.Interval(first, end)
	n, listed := 0, 0
	for hash, err := range members(low, high) {
		listed++
		if err != nil {
			return fmt.Errorf("filter: refresh: source of members: %w", err)
		}
		if hash-low > high-low {
			return &IntervalError{hash, low, high}
		}
		s.hashes[n] = hash
		if n++; n < len(s.hashes) {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		s.blocks.InsertPart(first, len(t.blocks), s.hashes[:])
		n = 0
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("filter: refresh: %w", context.Cause(ctx))
	case f.Closed():
		return errRefreshClosed()
	case base.Live(&f.Body) != t || t.history != before || f.ever() != ever:
		return fmt.Errorf("filter: refresh: %w", ErrWritten)
	case listed == 0 && t.populated(first, end):
		return fmt.Errorf("filter: refresh: %w", filter.ErrEmptySource)
	}
	s.blocks.InsertPart(first, len(t.blocks), s.hashes[:n])
	t.blocks.Replace(first, s.blocks)
	f.forgotten += t.round.advance(&t.history, first, end, len(t.blocks))
	runtime.KeepAlive(t)
	if len(s.blocks) <= keptBlocks {
		f.scratch = s
	}
	return nil
}

// populated reports whether the blocks first to end - 1 have members, for certain: the counters say
// so of all blocks. Of fewer they say how many are there on average, and a bit in a region that is
// not collided is that of a member, because its delete would have cleared it. After an Intersect it
// need not be, and members that were inserted many times lie in few blocks: so both must hold.
func (t *table) populated(first, end int) bool {
	members, part := t.history.Members(), float64(end-first)/float64(len(t.blocks))
	if part == 1 {
		return members > 0
	}
	return part*float64(members) >= 16 && slices.ContainsFunc(t.blocks[first:end],
		func(block kernel.Block512) bool {
			return slices.ContainsFunc(block[1:],
				func(lane uint64) bool { return lane&^block[0] != 0 })
		})
}

func errRefreshClosed() error { return fmt.Errorf("filter: refresh: %w", filter.ErrClosed) }

// scratch is the memory of a refresh.
type scratch struct {
	hashes [rebuildChunk]uint64
	blocks kernel.Table512
}

// keptBlocks is the number of blocks of the largest scratch that a filter keeps.
const keptBlocks = 1 << 20 / BlockBytes

// takeScratch returns a scratch of n empty blocks. It takes it from the filter, so that a refresh
// within the source of another one gets a scratch of its own.
func (f *Filter) takeScratch(n int) *scratch {
	s := f.scratch
	f.scratch = nil
	if s == nil {
		s = new(scratch)
	}
	if cap(s.blocks) < n {
		s.blocks = kernel.NewTable512(n)
	} else {
		s.blocks = s.blocks[:n]
		s.blocks.Reset()
	}
	return s
}

// round is a round of refreshes that has begun and not ended. The zero round stands for none.
type round struct {
	next uint64 // the next block to refresh: the blocks before it are refreshed

	// deletes before the round that the history still counts, because the blocks that are left may
	// have traces of them
	deleted, retained uint64
}

// advance notes that the blocks first to end - 1 were refreshed. It subtracts deletes, and as many
// inserts, from the history, and returns the number of these inserts.
func (r *round) advance(h *base.History, first, end, nblocks int) (forgotten uint64) {
	if first == 0 && (r.next == 0 || end == nblocks) {
		*r = round{0, h.Deleted, h.Retained}
	}
	if uint64(first) > r.next || uint64(end) <= r.next {
		return 0
	}
	// The last refresh of a block was in an earlier round with even steps, or never. So of the
	// deletes before the round, the oldest of the blocks that are left have traces of the last
	// part.
	part := func(n uint64) uint64 {
		high, low := bits.Mul64(n, uint64(end)-r.next)
		n, _ = bits.Div64(high, low, uint64(nblocks)-r.next)
		return n
	}
	deleted, retained := part(r.deleted), part(r.retained)
	forgotten = min(deleted+retained, h.Inserts) // larger if there were deletes without a member
	h.Inserts -= forgotten
	h.Deleted -= deleted
	h.Retained -= retained
	*r = round{uint64(end), r.deleted - deleted, r.retained - retained}
	if end == nblocks {
		*r = round{}
	}
	return forgotten
}

// Refresher says when to refresh which blocks of a filter, so that there is a given number of
// re-inserts per insert. Make one with [NewRefresher]. The filter and its file hold the position in
// the round, so a program may stop and make a new Refresher later. It needs a new one if it closes
// the filter and reads another one into it. A Refresher is not safe for concurrent use. For the
// zero Refresher no step is due.
type Refresher struct {
	f         *Filter
	reinserts float64
	blocks    int
	// the number of all inserts at which the next step is due
	hash uint64
}

// NewRefresher returns a Refresher of f.
//
// reinserts is the number of members that are inserted again per insert: with 1 a round takes one
// turnover, with 0.5 two. 0 stands for the number in the [Config] of the filter.
//
// blocks is the number of blocks per step; the last step of a round may have fewer. Steps of 64 to
// 1024 blocks are the fastest per member. A step should not be more than 1/20 of the table, because
// then blocks wait long for their refresh. 0 stands for 64, or for 1/20 of the table if that is
// less.
//
// The error is a *[filter.SizingError], or wraps [filter.ErrClosed] if f is nil or closed.
func NewRefresher(f *Filter, reinserts float64, blocks int) (*Refresher, error) {
	if f == nil {
		return nil, fmt.Errorf("filter: refresher: %w: found nil, expected a filter",
			filter.ErrClosed)
	}
	t := base.Live(&f.Body)
	if t == nil {
		return nil, fmt.Errorf("filter: refresher: %w", filter.ErrClosed)
	}
	if reinserts == 0 {
		reinserts = t.plan.reinserts
	}
	if !(reinserts > 0 && reinserts <= math.MaxFloat64) {
		return nil, &filter.SizingError{Kind: kindName, Field: "reinserts", Found: reinserts,
			Expected: "a number above 0, given or planned"}
	}
	nblocks := len(t.blocks)
	if blocks == 0 {
		blocks = min(stepBlocks, (nblocks+stepParts-1)/stepParts)
	}
	if blocks < 1 {
		return nil, &filter.SizingError{Kind: kindName, Field: "blocks", Found: blocks,
			Expected: "at least 1, or 0"}
	}
	r := &Refresher{f: f, reinserts: reinserts, blocks: blocks}
	r.hash = f.ever() + r.price(t, min(blocks, nblocks))
	return r, nil
}

// A step has stepBlocks blocks by default, or 1/stepParts of the table if that is less.
const stepBlocks, stepParts = 64, 20

// ever returns the number of all inserts, as far as this process knows. A closed filter forgets
// those that its history counts.
func (f *Filter) ever() uint64 {
	if t := base.Live(&f.Body); t != nil {
		return t.history.Inserts + f.forgotten
	}
	return f.forgotten
}

// price returns after how many inserts a step is due: the members of its blocks, divided by the
// number of re-inserts per insert.
func (r *Refresher) price(t *table, blocks int) uint64 {
	inserts := float64(t.history.Members()) / r.reinserts *
		(float64(blocks) / float64(len(t.blocks)))
	return uint64(min(max(inserts, 1), 1<<62))
}

// Next reports whether a step is due. If it is, refresh the blocks first to end - 1 now. Call Next
// after each insert; if no step is due, it compares two counters. After a batch of inserts several
// steps may be due: call Next until none is. No step is due before the first delete. If the refresh
// of a step fails, the next step has the same blocks.
func (r *Refresher) Next() (first, end int, due bool) {
	if r.f == nil || r.f.ever() < r.hash {
		return 0, 0, false
	}
	t := base.Live(&r.f.Body)
	if t == nil {
		return 0, 0, false
	}
	nblocks := len(t.blocks)
	first = int(t.round.next)
	end = first + min(r.blocks, nblocks-first)
	most := r.price(t, nblocks) // at most one round is overdue: more would do no good
	if t.history.Deleted == 0 && t.history.Retained == 0 {
		most = 0 // the blocks are as good as new
	}
	ever := r.f.ever()
	r.hash = max(r.hash, ever-min(ever, most)) + r.price(t, end-first)
	return first, end, most > 0
}
