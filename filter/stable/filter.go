package stable

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

// Filter is a stable Bloom filter. Make one with [New], [Open] or [Load]. The embedded
// [filter.KeyedSet] has Insert, Query and their batches, for keys of bytes, strings and uint64s,
// and Save.
//
// A call that changes a filter, such as an insert or a reset, must not run beside any other call
// but Close. Any number of goroutines may query a filter that does not change, save it and ask for
// its state, also while another one closes it.
type Filter struct {
	filter.KeyedSet
	table filter.Handle[table]

	planned     uint64 // members: the window
	inserts     uint64 // ever made, up to filter.MaxCount
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

// NewShape returns an empty filter of any shape, for a window of a number of members. With the zero
// Key it draws a random one. The error is a *[filter.SizingError].
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
	f.KeyedSet = filter.NewKeyedSet(k, f)
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

// Clone returns a copy of the filter, in memory of its own. The same inserts age the same cells in
// both.
func (f *Filter) Clone() *Filter {
	t := f.table.Table()
	g := f.empty(t)
	u := g.table.Table()
	copy(u.Packed, t.Packed)
	u.random, g.inserts = t.random, f.inserts
	runtime.KeepAlive(t)
	return g
}

// Reset empties the filter.
func (f *Filter) Reset() {
	t := f.table.Table()
	clear(t.Packed)
	runtime.KeepAlive(t)
	t.random, f.inserts = start, 0
}

// Equal reports whether both filters have the same key, plan, size, history and cells, and age the
// same cells next.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && f.planned == other.planned &&
		f.inserts == other.inserts && t.shape() == u.shape() && t.random == u.random &&
		slices.Equal(t.Packed, u.Packed)
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

// State returns what is known of the filter: see [filter.State]. It counts the cells, in a time
// that grows with the table, so Rate is that of the table as it is. Members is the number of
// inserts in the window, repeated ones included. All but those that are missed are found.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	used, _ := t.Count()
	fill := float64(used) / float64(t.Cells())
	s := filter.State{
		Bytes: 8 * len(t.Packed), Members: float64(min(f.inserts, f.planned)),
		Fill: fill, Rate: elementary.Pow(fill, float64(t.Hashes)), Scanned: true,
	}
	runtime.KeepAlive(t)
	return s
}

// ScanFill returns the share of the cells in use and the most that an insert adds to it: see
// [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	used, _ := t.Count()
	runtime.KeepAlive(t)
	cells := float64(t.Cells())
	return float64(used) / cells, float64(t.Hashes) / cells, nil
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "stable filter, closed"
	}
	return fmt.Sprintf("stable filter of %v, key with fingerprint %016x", t.shape(), f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
