package deletable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/kernel"
)

// ErrWritten is the error of a refresh whose filter was written while the members were listed. The
// list may be wrong then.
var ErrWritten = errors.New("the filter was written while its members were listed")

// BlocksError says that the filter does not have the blocks to refresh, or that there are none.
type BlocksError struct{ First, End, Blocks int }

func (e *BlocksError) Error() string {
	return fmt.Sprintf(
		"filter: refresh: found blocks from %d to %d, expected some of the %d blocks", e.First,
		e.End, e.Blocks)
}

// IntervalError says that the source of a refresh yielded a key of other blocks: its hash is not in
// the interval.
type IntervalError struct{ Hash, Low, High uint64 }

func (e *IntervalError) Error() string {
	return fmt.Sprintf("filter: refresh: source of members: found hash %#x, expected one from "+
		"%#x to %#x", e.Hash, e.Low, e.High)
}

// Refresh builds blocks anew from their members: from first up to end, which is not one of them. It
// removes what deletes and former members left in these blocks. The members of consecutive blocks
// are those whose hashes ([filter.Keyed.Hash]) lie in an interval. Refresh calls members with the
// ends of the interval, low and high, which are both in it. The source that members returns has all
// members of the interval and no others, each as often as it was inserted and not deleted since. A
// source may reuse the memory of a key for the next one.
//
// Goroutines may query during a refresh, and find every member: package kernel has the proof. Apart
// from queries no call may run, not even one that only reads, from before the source lists its
// first member until Refresh returns. So an owner that writes in several goroutines holds its lock
// for this time.
//
// The blocks are replaced after the source has ended without an error. If it yields an error or
// panics, if ctx ends or if the filter is closed, the filter stays as it was, and the error wraps
// the cause. The error is an *[IntervalError] if a key is of other blocks, a *[BlocksError] if
// there are no such blocks, and [ErrWritten] if the source itself wrote.
//
// A round of refreshes goes from block 0 to the end of the table, and each begins where the last
// one ended. It is as good as a [Filter.Rebuild], and the filter forgets as much of its history:
// see [Filter.Inserts]. If there is a round in every Turnovers turnovers of the [Config], the
// filter is never due for a rebuild. [Refresher] has the steps of rounds. A refresh takes memory
// for its blocks and 32 KiB. The filter keeps up to 1 MiB of blocks for the next one.
func (f *Filter) Refresh(ctx context.Context, first, end int,
	members func(low, high uint64) iter.Seq2[[]byte, error]) error {
	if f.Closed() {
		return errRefreshClosed()
	}
	k := f.Key() // the source may close the filter
	return f.RefreshHash(ctx, first, end, func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Hashes(members(low, high), k.Hash)
	})
}

// RefreshUint64 is [Filter.Refresh] from keys that are uint64s.
func (f *Filter) RefreshUint64(ctx context.Context, first, end int,
	members func(low, high uint64) iter.Seq2[uint64, error]) error {
	if f.Closed() {
		return errRefreshClosed()
	}
	k := f.Key()
	return f.RefreshHash(ctx, first, end, func(low, high uint64) iter.Seq2[uint64, error] {
		return filter.Hashes(members(low, high), k.HashUint64)
	})
}

// RefreshHash is [Filter.Refresh] from the hashes of keys.
func (f *Filter) RefreshHash(ctx context.Context, first, end int,
	members func(low, high uint64) iter.Seq2[uint64, error]) error {
	t := f.table.Load()
	if t == nil {
		return errRefreshClosed()
	}
	if first < 0 || end <= first || end > len(t.blocks) {
		return &BlocksError{first, end, len(t.blocks)}
	}
	before, ever, s := f.history, f.ever(), f.takeScratch(end-first)
	low, high := t.blocks.Interval(first, end)
	n := 0
	for hash, err := range members(low, high) {
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
	case f.table.Load() != t || f.history != before || f.ever() != ever:
		return fmt.Errorf("filter: refresh: %w", ErrWritten)
	}
	s.blocks.InsertPart(first, len(t.blocks), s.hashes[:n])
	t.blocks.Replace(first, s.blocks)
	runtime.KeepAlive(t)
	f.forgotten += f.round.advance(&f.history, first, end, len(t.blocks))
	if len(s.blocks) <= keptBlocks {
		f.scratch = s
	}
	return nil
}

func errRefreshClosed() error { return fmt.Errorf("filter: refresh: %w", filter.ErrClosed) }

// scratch is what a refresh works in.
type scratch struct {
	hashes [rebuildChunk]uint64
	blocks kernel.Table512
}

// keptBlocks is the number of blocks of the largest scratch that a filter keeps.
const keptBlocks = 1 << 20 / BlockBytes

// takeScratch returns one of n empty blocks, which is nobody else's: not that of a refresh within a
// source either.
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

// round is a round of refreshes that has begun and not ended. The zero round is none. Files hold
// it.
type round struct {
	next uint64 // block to be refreshed: those before it are

	// Of the deletes before the round those that the history still counts: blocks that are left may
	// have traces of them.
	deleted, retained uint64
}

// advance takes the round over the blocks from first to end, which were refreshed, and returns how
// many inserts the history forgets: as many as deletes.
func (r *round) advance(h *filter.History, first, end, nblocks int) (forgotten uint64) {
	if first == 0 && (r.next == 0 || end == nblocks) {
		*r = round{0, h.Deleted, h.Retained}
	}
	if uint64(first) > r.next || uint64(end) <= r.next {
		return 0
	}
	// All blocks had their last refresh in a round like this one, as even as it is, or never: so of
	// what was before the round, the oldest of the blocks that are left have traces of the last
	// part.
	part := func(n uint64) uint64 {
		high, low := bits.Mul64(n, uint64(end)-r.next)
		n, _ = bits.Div64(high, low, uint64(nblocks)-r.next)
		return n
	}
	deleted, retained := part(r.deleted), part(r.retained)
	forgotten = min(deleted+retained, h.Inserts) // more where there were deletes without a member
	h.Inserts -= forgotten
	h.Deleted -= deleted
	h.Retained -= retained
	*r = round{uint64(end), r.deleted - deleted, r.retained - retained}
	if end == nblocks {
		*r = round{}
	}
	return forgotten
}

// The attributes of a round in a file, which has them where a round has begun.
const (
	attributeRefresh         = "refresh-block"
	attributeRefreshDeleted  = "refresh-deleted"
	attributeRefreshRetained = "refresh-retained"
	roundAttributes          = 3
)

func (r *round) encode(c *file.Contents) {
	if r.next != 0 {
		c.Set(attributeRefresh, r.next)
		c.Set(attributeRefreshDeleted, r.deleted)
		c.Set(attributeRefreshRetained, r.retained)
	}
}

// decodeRound returns the round of a file's contents, the blocks and the history of which are
// given. Its error is a *[file.Error].
func decodeRound(c *file.Contents, nblocks int, h filter.History) (r round, err error) {
	if !c.Has(attributeRefresh) {
		return round{}, nil
	}
	if r.next, err = c.Uint(attributeRefresh, 1, uint64(nblocks-1)); err != nil {
		return round{}, err
	}
	if r.deleted, err = c.Uint(attributeRefreshDeleted, 0, h.Deleted); err != nil {
		return round{}, err
	}
	r.retained, err = c.Uint(attributeRefreshRetained, 0, h.Retained)
	return r, err
}

// Refresher says when the next blocks of a filter are to be refreshed, for a number of re-inserts
// per insert. The filter itself holds where the round is, and its file does too.
type Refresher struct {
	f         *Filter
	reinserts float64
	blocks    int
	// the number of inserts that the next step is due at, of all that were ever made
	at uint64
}

// NewRefresher returns a Refresher of f for a number of re-inserts per insert: with 1 a round takes
// one turnover, and with 0.5 it takes two. 0 stands for the number that was planned: see [Config].
// A step has the given number of blocks, or those that are left at the end of a round. Steps of 64
// to 1024 blocks are fastest. With more than a 20th of the table per step, blocks wait long. 0
// stands for 64, or for a 20th of the table if that is less. The error is a *[filter.SizingError].
func NewRefresher(f *Filter, reinserts float64, blocks int) (*Refresher, error) {
	t := f.table.Load()
	if reinserts == 0 {
		reinserts = f.plan.reinserts
	}
	if !(reinserts > 0 && reinserts <= math.MaxFloat64) {
		return nil, &filter.SizingError{Kind: kindName, Field: "reinserts", Found: reinserts,
			Expected: "a number above 0, given or planned"}
	}
	if blocks == 0 {
		blocks = stepBlocks
		if t != nil {
			blocks = min(blocks, (len(t.blocks)+stepParts-1)/stepParts)
		}
	}
	if blocks < 1 {
		return nil, &filter.SizingError{Kind: kindName, Field: "blocks", Found: blocks,
			Expected: "at least 1, or 0"}
	}
	r := &Refresher{f: f, reinserts: reinserts, blocks: blocks, at: f.ever()}
	if t != nil {
		r.at += r.price(min(blocks, len(t.blocks)), len(t.blocks))
	}
	return r, nil
}

// A step has so many blocks where nobody says how many, or the part of a table that is one of so
// many.
const stepBlocks, stepParts = 64, 20

// ever returns the number of inserts that were ever made, as far as this process knows.
func (f *Filter) ever() uint64 { return f.history.Inserts + f.forgotten }

// price returns how many inserts pay for a step: as many as its blocks have members, by their
// number of re-inserts an insert.
func (r *Refresher) price(blocks, nblocks int) uint64 {
	inserts := float64(r.f.history.Members()) / r.reinserts * (float64(blocks) / float64(nblocks))
	return uint64(min(max(inserts, 1), 1<<62))
}

// Next reports whether a step is due. If so, it returns the blocks from first up to end, which the
// owner refreshes now. Call it after each insert, where it costs a comparison. After a batch of
// inserts several steps may be due: call it until none is. Nothing is due before the first delete.
// If a step fails, the next step has the same blocks.
func (r *Refresher) Next() (first, end int, due bool) {
	if r.f.ever() < r.at {
		return 0, 0, false
	}
	return r.step()
}

// step is apart from Next, which is inlined so.
func (r *Refresher) step() (first, end int, due bool) {
	t := r.f.table.Load()
	if t == nil {
		return 0, 0, false
	}
	nblocks := len(t.blocks)
	first = int(r.f.round.next)
	end = first + min(r.blocks, nblocks-first)
	most := r.price(nblocks, nblocks) // to be owed: more than a round does no good
	if h := &r.f.history; h.Deleted == 0 && h.Retained == 0 {
		most = 0 // the blocks are as good as new
	}
	ever := r.f.ever()
	r.at = max(r.at, ever-min(ever, most)) + r.price(end-first, nblocks)
	return first, end, most > 0
}
