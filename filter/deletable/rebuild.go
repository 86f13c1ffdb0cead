package deletable

import (
	"context"
	"fmt"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
)

// rebuildChunk is the number of hashes that are taken from an iterator before the kernel gets them:
// more than chunk, because on a large new table the kernel waits for memory at the start of each.
const rebuildChunk = 8 * chunk

// TooManyError says that a rebuild was given more keys than the plan has inserts.
type TooManyError struct{ PlannedInserts, PlannedMembers int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("filter: rebuild: found more than %d live keys, expected at most as many "+
		"as the plan for %d members has inserts",
		e.PlannedInserts, e.PlannedMembers)
}

// Rebuild returns a new filter of the same plan, size and hash key as f, with the keys that live
// yields: all members, and each once. It inserts in batches, so that live may reuse the memory of a
// key for the next one. Nothing is left in the new filter of f's history.
//
// There is a new filter only of a whole source. Where live yields an error, or ctx ends, Rebuild
// returns none but an error that wraps that one. Where live yields more keys than the plan has
// inserts, the new filter would be due for a rebuild again: Rebuild stops there with a
// *[TooManyError], and the cure is a filter for more members. Of a closed filter the error is
// [filter.ErrClosed].
//
// Rebuild only reads the key, the plan and the size of f. While it runs, f takes queries, inserts
// and deletes under the same rules as ever; but it may not be merged into. The new filter knows
// nothing of these writes. When it takes f's place each key that is a member then must have been
// inserted into it exactly once. So let live yield the members of one moment, note every insert and
// delete since, and repeat them in their order on the new filter before it is published. An owner
// that writes nothing until then has nothing to repeat.
func (f *Filter) Rebuild(ctx context.Context, live iter.Seq2[[]byte, error]) (*Filter, error) {
	return f.rebuild(ctx,
		func(g *Filter) iter.Seq2[uint64, error] { return filter.Hashes(live, g.Hash) })
}

// RebuildUint64 is [Filter.Rebuild] from keys that are uint64s.
func (f *Filter) RebuildUint64(ctx context.Context, live iter.Seq2[uint64, error]) (*Filter,
	error) {
	return f.rebuild(ctx,
		func(g *Filter) iter.Seq2[uint64, error] { return filter.Hashes(live, g.HashUint64) })
}

// RebuildHash is [Filter.Rebuild] from the hashes of keys.
func (f *Filter) RebuildHash(ctx context.Context, live iter.Seq2[uint64, error]) (*Filter, error) {
	return f.rebuild(ctx, func(*Filter) iter.Seq2[uint64, error] { return live })
}

// rebuild is RebuildHash from a source that may hash by the new filter: the old one may be closed
// meanwhile.
func (f *Filter) rebuild(ctx context.Context, source func(g *Filter) iter.Seq2[uint64, error]) (
	*Filter, error) {
	if f.Closed() {
		return nil, fmt.Errorf("filter: rebuild: %w", filter.ErrClosed)
	}
	g := f.empty()
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
	if g.Due() != nil {
		return nil, &TooManyError{int(g.plan.inserts), int(g.plan.members)}
	}
	return g, nil
}
