package deletable

import (
	"context"
	"fmt"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// rebuildChunk is how many hashes are collected from an iterator for one call of the kernel. It is
// larger than chunk, because in a large new table each call waits for memory at its start.
const rebuildChunk = 8 * chunk

// TooManyError says that the source of a rebuild yielded more keys than the plan allows inserts.
// Make a filter for more members.
type TooManyError struct{ PlannedInserts, PlannedMembers int }

// Error has the numbers of the plan.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("filter: rebuild: found more than %d live keys, expected at most as many "+
		"as the plan for %d members has inserts",
		e.PlannedInserts, e.PlannedMembers)
}

// Rebuild returns a new filter with the plan, size and hash key of f, and the members that live
// yields. live must yield every member once. It may reuse the memory of a key for the next one. f
// does not change, and the new filter has no history.
//
// If live yields an error, or if ctx ends, Rebuild returns no filter and an error that wraps the
// cause. If live yields more keys than the plan allows inserts, so that the new filter would be due
// for a rebuild at once, Rebuild stops and returns a *[TooManyError]. If it yields none, the error
// wraps [filter.ErrEmptySource]: [Filter.Fresh] makes an empty filter. If f is closed, the error
// wraps [filter.ErrClosed].
//
// Rebuild reads only the key, the plan and the size of f. Meanwhile f may be queried and written as
// usual, but no filter may be merged into it. The new filter does not see these writes. To replace
// f without losing a write, let live yield the members of one moment, record every insert and
// delete since then, and repeat them in order on the new filter before you publish it.
func (f *Filter) Rebuild(ctx context.Context, live iter.Seq2[[]byte, error]) (*Filter, error) {
	return f.rebuild(ctx,
		func(g *Filter) iter.Seq2[uint64, error] { return filter.Hashes(live, g.Hash) })
}

// RebuildUint64 is [Filter.Rebuild] for keys that are uint64s.
func (f *Filter) RebuildUint64(
	ctx context.Context,
	live iter.Seq2[uint64, error],
) (*Filter, error) {
	return f.rebuild(ctx,
		func(g *Filter) iter.Seq2[uint64, error] { return filter.Hashes(live, g.HashUint64) })
}

// RebuildHash is [Filter.Rebuild] for hashes of keys.
func (f *Filter) RebuildHash(ctx context.Context, live iter.Seq2[uint64, error]) (*Filter, error) {
	return f.rebuild(ctx, func(*Filter) iter.Seq2[uint64, error] { return live })
}

// rebuild is RebuildHash for a source that hashes by the new filter g, because the old one may be
// closed meanwhile.
func (f *Filter) rebuild(
	ctx context.Context,
	source func(g *Filter) iter.Seq2[uint64, error],
) (*Filter, error) {
	t := base.Live(&f.Body)
	if t == nil {
		return nil, fmt.Errorf("filter: rebuild: %w", filter.ErrClosed)
	}
	g := base.Sibling(f, newTable(len(t.blocks), t.plan))
	var buffer [rebuildChunk]uint64
	n := 0
	for hash, err := range source(g) {
		if err != nil {
			return nil, fmt.Errorf("filter: rebuild: source of members: %w", err)
		}
		buffer[n] = hash
		if n++; n < len(buffer) {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		n = 0
		if _, err := g.InsertHashBatch(buffer[:], nil); err != nil || g.Due() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("filter: rebuild: %w", context.Cause(ctx))
	}
	if _, err := g.InsertHashBatch(buffer[:n], nil); err != nil {
		return nil, err
	}
	if g.Inserts() == 0 {
		return nil, fmt.Errorf("filter: rebuild: %w", filter.ErrEmptySource)
	}
	if g.Due() != nil {
		return nil, &TooManyError{int(t.plan.inserts()), int(t.plan.members)}
	}
	return g, nil
}
