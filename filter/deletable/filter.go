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

// BlockBytes is the size of a block in bytes, 64. The size of a filter is a multiple of it.
const BlockBytes = int(unsafe.Sizeof(kernel.Block512{}))

// Status is the result of a delete.
type Status = filter.Status

// The results of a delete.
const (
	// Absent says that the key was not present, so it was no member. Nothing changed.
	Absent = kernel.Absent
	// Retained says that all bits of the key lie in collided regions. It is no member any more, but
	// is still found.
	Retained = kernel.Retained
	// Deleted says that at least one bit of the key was cleared, so that it is not found.
	Deleted = kernel.Deleted
)

// Filter is a deletable Bloom filter of keys. Make one with [New], [Open] or [Load].
//
// Any number of goroutines may query, save or take statistics of a filter at the same time. A call
// that writes, such as an insert, a delete or a merge, needs the filter for itself. There are two
// exceptions: goroutines may query during [Filter.Refresh], and any call may run during
// [Filter.Close], which waits for none. For writes from many goroutines, see package sharded.
type Filter struct {
	filter.KeyedDeleter
	table   filter.Handle[table]
	plan    plan
	history filter.History
	round   round

	scratch   *scratch // memory of the last refresh, or nil
	forgotten uint64   // inserts that history no longer counts

	// fingerprint is the fingerprint of the key. It has a field of its own because a filter may be
	// read without its key.
	fingerprint uint64
}

// table has the blocks of a filter, and the contents of the file if the blocks lie in one. Blocks
// in a mapped file are valid as long as the contents are reachable, so a function that uses blocks
// keeps the table alive.
type table struct {
	blocks   kernel.Table512
	contents *file.Contents
}

// errClosed is [filter.ErrClosed] as the type that panic takes, which saves a conversion.
var errClosed any = filter.ErrClosed

// New returns an empty filter for config. The error is a *[filter.SizingError] that names the field
// of config, what it is and what it may be.
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

// empty returns an empty filter with the plan and key of f, in blocks of its own.
func (f *Filter) empty(nblocks int) *Filter {
	g := filterOf(&table{blocks: kernel.NewTable512(nblocks)}, filter.KeyOf(f), f.plan)
	g.fingerprint = f.fingerprint // f may have no key
	return g
}

// filterOf returns a filter with the table t.
func filterOf(t *table, k key.Key, p plan) *Filter {
	f := &Filter{plan: p}
	f.KeyedDeleter = filter.NewKeyedDeleter(k, f)
	f.table.Set(t)
	return f
}

// Clone returns a copy of f in memory of its own.
func (f *Filter) Clone() *Filter {
	g := filterOf(&table{blocks: f.CloneTable()}, filter.KeyOf(f), f.plan)
	g.history, g.round, g.fingerprint = f.history, f.round, f.fingerprint
	return g
}

// Reset removes all members and clears the history, so that f is as new.
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

// CloneTable returns a copy of the table, for the operations of package kernel on hashes.
func (f *Filter) CloneTable() kernel.Table512 {
	t := f.table.Table()
	blocks := kernel.NewTable512(len(t.blocks))
	copy(blocks, t.blocks)
	runtime.KeepAlive(t)
	return blocks
}

// String returns the size and the fingerprint of the key, in words.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "deletable filter, closed"
	}
	return fmt.Sprintf("deletable filter of %d blocks, key with fingerprint %016x", len(t.blocks),
		f.fingerprint)
}

// Format prints what String returns for every verb, so that a log has one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

// Blocks returns the number of blocks. A block has [BlockBytes] bytes.
func (f *Filter) Blocks() int { return len(f.table.Table().blocks) }

// Members returns the number of members: inserts minus deletes that found their key. It is right
// under the contract of deletion.
func (f *Filter) Members() int {
	f.table.Table()
	return f.history.Members()
}

// Inserts returns the number of inserts since the filter was made, with which the false-positive
// rate grows. [Filter.Refresh] subtracts inserts whose keys were deleted, together with their
// deletes, because refreshed blocks have no trace of them.
func (f *Filter) Inserts() int {
	f.table.Table()
	return int(f.history.Inserts)
}

// Deleted returns the number of deletes that cleared bits.
func (f *Filter) Deleted() int {
	f.table.Table()
	return int(f.history.Deleted)
}

// Retained returns the number of deletes that could clear no bit. These former members are still
// found.
func (f *Filter) Retained() int {
	f.table.Table()
	return int(f.history.Retained)
}
