package dlbf

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Filter is the letter's filter, under the contract of package filter. Make one with [New], [Open]
// or [Load]. The embedded [filter.KeyedDeleter] has Insert, Query, Delete and their batches, for
// keys of bytes, strings and uint64s, and Save.
//
// A call that changes a filter, such as an insert, a delete, a merge or a reset, must not run
// beside any other call but Close. Any number of goroutines may query a filter that does not
// change, save it and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedDeleter
	table filter.Handle[table]

	planned     uint64 // members
	history     filter.History
	fingerprint uint64 // of the key; apart from it because a file is looked at without its key
}

// table is the array of a filter and, if it lies in a file, its contents. A mapping lasts as long
// as these contents are reachable, so code that uses the words keeps the table alive.
type table struct {
	Array
	contents *file.Contents
}

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, err
	}
	if config.Key.IsZero() {
		config.Key = key.New()
	}
	f := filterOf(&table{Array: *newArray(size)}, config.Key, uint64(config.Members))
	f.fingerprint = config.Key.Fingerprint()
	return f, nil
}

func filterOf(t *table, k key.Key, planned uint64) *Filter {
	f := &Filter{planned: planned}
	f.KeyedDeleter = filter.NewKeyedDeleter(k, f)
	f.table.Set(t)
	return f
}

// empty returns an empty filter of f's plan, size and key.
func (f *Filter) empty(t *table) *Filter {
	g := filterOf(&table{Array: *newArray(t.shape)}, filter.KeyOf(f), f.planned)
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
	t.Reset()
	runtime.KeepAlive(t)
	f.history = filter.History{}
}

// Equal reports whether both filters have the same key, plan, size, history and bits.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && f.planned == other.planned &&
		f.history == other.history && t.shape == u.shape && slices.Equal(t.words, u.words)
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

// Shape returns the shape of the filter, the letter's m, r and k.
func (f *Filter) Shape() Shape { return f.table.Table().shape }

// Members returns the number of members: the inserts less the deletes that found their key. It
// counts calls, so it is right as long as the contract of deletion is kept.
func (f *Filter) Members() int {
	f.table.Table()
	return f.history.Members()
}

// Stats is what one scan of the table finds.
type Stats struct {
	Shape Shape
	Counts
	Inserts  int // ever made
	Deleted  int // deletes that cleared a cell
	Retained int // deletes of members that had no cell to clear

	// Deletable is the expected part of the members that are deletable. It assumes that the
	// clearable cells are random ones among the k cells of each member.
	Deletable float64
}

// Stats scans the table, in a time that grows with it. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := f.table.Load()
	if t == nil {
		return Stats{}
	}
	counts := t.Count()
	runtime.KeepAlive(t)
	s := Stats{t.shape, counts, int(f.history.Inserts), int(f.history.Deleted),
		int(f.history.Retained), 0}
	if members := f.history.Members(); members > 0 {
		k := float64(t.hashes)
		clearable := min(1, float64(counts.Clearable)/(k*float64(members)))
		s.Deletable = 1 - elementary.Pow(1-clearable, k)
	}
	return s
}

// State returns what is known of the filter: see [filter.State]. Before the first delete that
// follows from the number of inserts. After it State counts the cells, in a time that grows with
// the table.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	s := filter.State{Bytes: 8 * len(t.words), Members: float64(f.history.Members())}
	if f.history.Deleted == 0 && f.history.Retained == 0 {
		inserts := float64(f.history.Inserts)
		s.Fill = expected.Fill(inserts*float64(t.hashes), float64(t.cells))
		s.Rate = t.shape.Rate(int(inserts))
		return s
	}
	s.Fill, s.Scanned = float64(t.used())/float64(t.cells), true
	s.Rate = elementary.Pow(s.Fill, float64(t.hashes))
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
	used := t.used()
	runtime.KeepAlive(t)
	cells := float64(t.cells)
	return float64(used) / cells, float64(t.hashes) / cells, nil
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "dlbf filter, closed"
	}
	return fmt.Sprintf("dlbf filter of %v, key with fingerprint %016x", t.shape, f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
