package deletable

import (
	"fmt"
	"iter"

	"github.com/bloomlane/bloomlane/kernel"
)

// rebuildChunk is the number of hashes that are taken from an iterator before the kernel gets them: more
// than chunk, because on a large new table the kernel waits for memory at the start of each.
const rebuildChunk = 8 * chunk

// TooManyError says that a rebuild was given more keys than the plan has inserts.
type TooManyError struct{ PlannedInserts, PlannedMembers int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("filter: rebuild: found more than %d live keys, expected at most as many as the plan for %d members has inserts",
		e.PlannedInserts, e.PlannedMembers)
}

// Rebuild returns a new filter of the same plan, size and hash key as f, with the keys that live
// yields: all members, and each once. It inserts in batches, so that live may reuse the memory of a
// key for the next one. Nothing is left in the new filter of f's history.
//
// Where live yields more keys than the plan has inserts, the new filter would be due for a rebuild
// again. Rebuild stops there and returns no filter but a *[TooManyError]: make a filter for more members.
// It panics where f is closed.
//
// Rebuild only reads the key, the plan and the size of f. While it runs, f takes queries, inserts and
// deletes under the same rules as ever; but it may not be merged into or closed. The new filter knows
// nothing of these writes. When it takes f's place each key that is a member then must have been
// inserted into it exactly once. So let live yield the members of one moment, note every insert and delete
// since, and repeat them in their order on the new filter before it is published. An owner that
// writes nothing until then has nothing to repeat.
func (f *Filter) Rebuild(live iter.Seq[[]byte]) (*Filter, error) {
	return f.RebuildHash(hashed(live, f.key.Hash))
}

// RebuildUint64 is [Filter.Rebuild] from keys that are uint64s.
func (f *Filter) RebuildUint64(live iter.Seq[uint64]) (*Filter, error) {
	return f.RebuildHash(hashed(live, f.key.HashUint64))
}

// RebuildHash is [Filter.Rebuild] from the hashes of keys.
func (f *Filter) RebuildHash(live iter.Seq[uint64]) (*Filter, error) {
	g := f.empty()
	var buffer [rebuildChunk]uint64
	n := 0
	for hash := range live {
		buffer[n] = hash
		if n++; n < len(buffer) {
			continue
		}
		n = 0
		if g.InsertHashBatch(buffer[:], nil); g.Due() != nil {
			break
		}
	}
	g.InsertHashBatch(buffer[:n], nil)
	if g.Due() != nil {
		return nil, &TooManyError{int(g.plan.inserts), int(g.plan.members)}
	}
	return g, nil
}

// empty returns a filter of the same plan, size and hash key with nothing in it.
func (f *Filter) empty() *Filter {
	return &Filter{table: kernel.NewTable512(len(f.table)), key: f.key, fingerprint: f.fingerprint, plan: f.plan}
}

// hashed returns the hashes of keys.
func hashed[K any](keys iter.Seq[K], hash func(K) uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for key := range keys {
			if !yield(hash(key)) {
				return
			}
		}
	}
}
