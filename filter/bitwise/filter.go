package bitwise

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Filter is a bitwise Bloom filter. Make one with [New], [Open] or [Load]. The embedded
// [filter.KeyedDeleter] and [filter.KeyedCounter] have Insert, Query, Delete, Add, Count and their
// batches, for keys of bytes, strings and uint64s, and Save.
//
// A call that changes a filter, such as an insert, an add, a delete, a merge or a reset, must not
// run beside any other call but Close. Any number of goroutines may query a filter that does not
// change, count, save it and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedDeleter
	filter.KeyedCounter
	table filter.Handle[table]

	planned     uint64 // members
	history     filter.History
	fingerprint uint64 // of the key; apart from it because a file is looked at without its key
}

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, err
	}
	return NewShape(size, config.Members, config.Key)
}

// NewShape returns an empty filter of any shape, for a number of members. With the zero Key it
// draws a random one. The error is a *[filter.SizingError].
func NewShape(size Shape, members int, k key.Key) (*Filter, error) {
	if err := size.Check(); err != nil {
		return nil, err
	}
	if members < 1 || members > planning.MaxMembers {
		return nil, wrong("Members", members, fmt.Sprintf("1 to %d", planning.MaxMembers))
	}
	if k.IsZero() {
		k = key.New()
	}
	f := filterOf(newTable(size), k, uint64(members))
	f.fingerprint = k.Fingerprint()
	return f, nil
}

func filterOf(t *table, k key.Key, planned uint64) *Filter {
	f := &Filter{planned: planned}
	f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(k, f), filter.NewKeyedCounter(k, f)
	f.table.Set(t)
	return f
}

// empty returns an empty filter of f's plan, size and key.
func (f *Filter) empty(t *table) *Filter {
	g := filterOf(newTable(t.shape()), filter.KeyOf(f), f.planned)
	g.fingerprint = f.fingerprint
	return g
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.empty(f.table.Table()) }

// Clone returns a copy of the filter, in memory of its own.
func (f *Filter) Clone() *Filter {
	t := f.table.Table()
	g := f.empty(t)
	copy(g.table.Table().words, t.words)
	runtime.KeepAlive(t)
	g.history = f.history
	return g
}

// Reset empties the filter.
func (f *Filter) Reset() {
	t := f.table.Table()
	clear(t.words)
	runtime.KeepAlive(t)
	f.history = filter.History{}
}

// Equal reports whether both filters have the same key, plan, size, history and cells.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && f.planned == other.planned &&
		f.history == other.history && t.shape().String() == u.shape().String() &&
		slices.Equal(t.words, u.words)
	runtime.KeepAlive(t)
	runtime.KeepAlive(u)
	return equal
}

// Close ends the filter. It does not wait: calls that already run finish on the table that they
// have. A later call returns [filter.ErrClosed], or panics with it where it returns no error. A
// second Close returns it too. Package filter lists the exceptions, under Life cycle.
func (f *Filter) Close() error { return f.table.Close() }

// Closed reports whether the filter is closed, or was never made.
func (f *Filter) Closed() bool { return f.table.Closed() }

// Shape returns the shape of the filter, whose methods compute what the theory expects.
func (f *Filter) Shape() Shape { return f.table.Table().shape() }

// Members returns the number of members, each counted as often as it is in: the inserts less the
// deletes that found their key. It counts calls, so it is right as long as the contract of deletion
// is kept.
func (f *Filter) Members() int {
	f.table.Table()
	return f.history.Members()
}

// State returns what is known of the filter: see [filter.State]. It scans the first level; of a
// large one it scans 2^14 words at equal distances.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	fill := t.scan()
	s := filter.State{
		Bytes: 8 * len(t.words), Members: float64(f.history.Members()),
		Fill: fill, Rate: elementary.Pow(fill, float64(t.levels[0].Hashes)), Scanned: true,
	}
	runtime.KeepAlive(t)
	return s
}

// ScanFill returns the share of the cells in use and the most that an insert adds to it: see
// [filter.Scanner]. Of a large
// filter it looks at 2^14 words at equal distances.
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	fill = t.scan()
	runtime.KeepAlive(t)
	// In each level a carry may be seen by a cell of the level before it.
	l := &t.levels[0]
	return fill, float64(len(t.levels)*l.Hashes) / float64(l.Cells()), nil
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "bitwise filter, closed"
	}
	return fmt.Sprintf("bitwise filter of %v, key with fingerprint %016x", t.shape(), f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
