package elastic

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/kernel"
)

// Filter is an elastic filter of keys. Make one with [New] or [Open]. The embedded
// [filter.KeyedDeleter] has Insert, Query, Delete and their batches, for keys of bytes, strings and
// uint64s, and Save.
//
// One goroutine at a time may insert, delete, merge, save, or make any other call. Beside it any
// number of goroutines may query (QueryHash, QueryHashBatch and the forms of these for keys) and
// close the filter, and none of them waits. A query finds every key whose insert has returned
// before the query begins and that was not deleted since.
type Filter struct {
	filter.KeyedDeleter
	table filter.Handle[table] // that queries read

	plan    plan
	members int
	next    *table // that the lists move to, or nil
	moved   int    // units: see move.go

	fingerprint uint64 // of the key; apart from it because a file is looked at without its key

	work *work
}

// work is what the calls that write work in. It is behind a pointer, because a value that holds a
// filter may be printed.
type work struct {
	one             kernel.SplitBlockTable // a block
	hashes, entries []uint64
}

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	p, err := config.solve()
	if err != nil {
		return nil, err
	}
	if config.Key.IsZero() {
		config.Key = key.New()
	}
	return filterOf(newTable(p.blocks, new(arena)), config.Key, config.Key.Fingerprint(), p), nil
}

func filterOf(t *table, k key.Key, fingerprint uint64, p plan) *Filter {
	f := &Filter{plan: p, fingerprint: fingerprint, work: &work{
		kernel.NewSplitBlockTable(1), make([]uint64, 0, maxLoad), make([]uint64, 0, maxLoad),
	}}
	f.KeyedDeleter = filter.NewKeyedDeleter(k, f)
	f.table.Set(t)
	return f
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored {
	f.table.Table()
	return filterOf(newTable(f.plan.blocks, new(arena)), filter.KeyOf(f), f.fingerprint, f.plan)
}

// Reset empties the filter, and gives it the size that it was made with.
func (f *Filter) Reset() {
	t := f.table.Table()
	f.next, f.moved, f.members = nil, 0, 0
	f.table.Swap(t, newTable(f.plan.blocks, new(arena)))
}

// Close ends the filter. It does not wait: calls that already run finish on the table that they
// have. A later call returns [filter.ErrClosed], or panics with it where it returns no error. A
// second Close returns it too. Package filter lists the exceptions, under Life cycle.
func (f *Filter) Close() error { return f.table.Close() }

// Closed reports whether the filter is closed, or was never made.
func (f *Filter) Closed() bool { return f.table.Closed() }

// Members returns the number of members, each key counted as often as it is in.
func (f *Filter) Members() int {
	f.table.Table()
	return f.members
}

// Limit returns the number of members at which the filter grows again: see [filter.Grower].
func (f *Filter) Limit() int {
	nblocks := len(f.table.Table().blocks)
	if f.next != nil {
		nblocks = len(f.next.blocks)
	}
	return min(f.plan.limit(nblocks), f.plan.most)
}

// Most returns how far the filter can grow: an insert of more members is refused with a
// *[FullError].
func (f *Filter) Most() int {
	f.table.Table()
	return f.plan.most
}

// State returns what is known of the filter: see [filter.State]. It follows from the number of
// members, and is right after any deletes. Members counts each key as often as it is in.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	stats := f.stats(t)
	return filter.State{
		Bytes: stats.FastBytes + stats.SlowBytes, Members: float64(f.members),
		Most: float64(f.plan.most),
		Fill: expected.Rate(f.members, len(t.blocks),
			expected.Lanes{Count: 1, Bits: blockShape.Bits}),
		Rate: expected.Rate(f.members, len(t.blocks), blockShape),
	}
}

// ScanFill returns the fill of [Filter.State], which follows from the members, and the most that an
// insert adds to it: see [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	return f.State().Fill, float64(blockShape.Count) / float64(blockBits*len(t.blocks)), nil
}

// Stats is the memory of a filter.
type Stats struct {
	Blocks    int  // the blocks that queries read, of 256 bits each
	FastBytes int  // bytes of the blocks, and of those that they move to
	SlowBytes int  // bytes of the lists
	Moving    bool // there is a move to twice as many blocks or to half of them
}

// Stats returns the memory of the filter. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := f.table.Load()
	if t == nil {
		return Stats{}
	}
	return f.stats(t)
}

func (f *Filter) stats(t *table) Stats {
	s := Stats{Blocks: len(t.blocks), FastBytes: t.fastBytes(), SlowBytes: t.slowBytes() +
		t.arena.bytes()}
	if f.next != nil {
		s.Moving = true
		s.FastBytes += f.next.fastBytes()
		s.SlowBytes += f.next.slowBytes()
		if f.next.arena != t.arena {
			s.SlowBytes += f.next.arena.bytes()
		}
	}
	return s
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "elastic filter, closed"
	}
	return fmt.Sprintf("elastic filter of %d blocks, key with fingerprint %016x", len(t.blocks),
		f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
