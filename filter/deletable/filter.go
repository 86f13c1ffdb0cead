package deletable

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// BlockBytes is the size of a block, and so the step in which filters grow: 8 lanes of 64 bits.
const BlockBytes = int(unsafe.Sizeof(kernel.Block512{}))

// Status is the result of a delete.
type Status = filter.Status

// The results of a delete.
const (
	Absent = kernel.Absent // the key was not present: it was no member, and nothing changed
	// all of its bits are in collided regions: no member now, but still visible
	Retained = kernel.Retained
	Deleted  = kernel.Deleted // at least one of its bits was cleared
)

// Filter is a deletable Bloom filter of keys. Make one with [New], [Open] or [Load].
//
// It is not safe for concurrent use where one of the calls writes (insert, delete, merge), but that
// goroutines may query while one is in [Filter.Refresh]. Any number of goroutines may query, save
// or take statistics of a filter that nobody writes, also while it is closed: [Filter.Close] waits
// for none of them, and none of them faults.
type Filter struct {
	filter.KeyedDeleter
	table   filter.Handle[table]
	plan    plan
	history filter.History
	round   round

	scratch   *scratch // of the last refresh, or nil
	forgotten uint64   // inserts, by history

	// fingerprint is that of the key. It is apart from it because a file is looked at without its
	// key.
	fingerprint uint64
}

// table is the blocks of a filter, and the contents of the file that they lie in, if they do:
// blocks in a mapped file stay as long as these are reachable, so whoever uses blocks keeps the
// table alive.
type table struct {
	blocks   kernel.Table512
	contents *file.Contents
}

// errClosed is [filter.ErrClosed] as what panics take, which saves a conversion.
var errClosed any = filter.ErrClosed

// New returns an empty filter. Its error is a *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, rate, err := config.solve()
	if err != nil {
		return nil, err
	}
	if config.Key.IsZero() {
		config.Key = key.New()
	}
	p := plan{members: uint64(config.Members), turnovers: config.Turnovers, rate: rate,
		lifetime: config.Lifetime, reinserts: config.Reinserts}
	f := filterOf(&table{blocks: kernel.NewTable512(size.Blocks)}, config.Key, p.counted())
	f.fingerprint = config.Key.Fingerprint()
	return f, nil
}

// empty returns a filter like f with nothing in it.
func (f *Filter) empty() *Filter {
	g := filterOf(&table{blocks: kernel.NewTable512(f.Blocks())}, f.Key(), f.plan)
	g.fingerprint = f.fingerprint // also without the key
	return g
}

// filterOf returns a filter of a table.
func filterOf(t *table, k key.Key, p plan) *Filter {
	f := &Filter{plan: p}
	f.KeyedDeleter = filter.NewKeyedDeleter(k, f)
	f.table.Set(t)
	return f
}

// Clone returns a filter like f, in memory of its own.
func (f *Filter) Clone() *Filter {
	g := filterOf(&table{blocks: f.CloneTable()}, f.Key(), f.plan)
	g.history, g.round, g.fingerprint = f.history, f.round, f.fingerprint
	return g
}

// Reset empties the filter: nothing is left of its history, and it is as new.
func (f *Filter) Reset() {
	t := f.table.Table()
	t.blocks.Reset()
	runtime.KeepAlive(t)
	f.forget(filter.History{}, round{})
}

// forget replaces the history and the round.
func (f *Filter) forget(h filter.History, r round) {
	f.forgotten += f.history.Inserts
	f.history, f.round = h, r
}

// Equal reports whether f and other have the same key, plan, history and bits.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && f.plan == other.plan &&
		f.history == other.history && f.round == other.round && slices.Equal(t.blocks, u.blocks)
	runtime.KeepAlive(t)
	runtime.KeepAlive(u)
	return equal
}

// CloneTable returns a copy of the filter's table, for package kernel's operations on hashes.
func (f *Filter) CloneTable() kernel.Table512 {
	t := f.table.Table()
	blocks := kernel.NewTable512(len(t.blocks))
	copy(blocks, t.blocks)
	runtime.KeepAlive(t)
	return blocks
}

// String returns the size and the fingerprint of the key. It never prints the key, nor the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "deletable filter, closed"
	}
	return fmt.Sprintf("deletable filter of %d blocks, key with fingerprint %016x", len(t.blocks),
		f.fingerprint)
}

// Format prints String for every verb, so that a log has a line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

// Blocks returns the number of blocks, of [BlockBytes] each.
func (f *Filter) Blocks() int { return len(f.table.Table().blocks) }

// Members returns the number of members: inserts less deletes that found their key. It counts
// calls, so it is right where every member was inserted once and only members were deleted.
func (f *Filter) Members() int {
	f.table.Table()
	return f.history.Members()
}

// Inserts returns the number of inserts ever made, which the false-positive rate grows with.
// [Filter.Refresh] forgets inserts that were deleted since, and with them their deletes: what is
// left is what the oldest blocks had.
func (f *Filter) Inserts() int {
	f.table.Table()
	return int(f.history.Inserts)
}

// Deleted returns the number of deletes that cleared bits.
func (f *Filter) Deleted() int {
	f.table.Table()
	return int(f.history.Deleted)
}

// Retained returns the number of deletes that could clear no bit: former members that stay visible.
func (f *Filter) Retained() int {
	f.table.Table()
	return int(f.history.Retained)
}
