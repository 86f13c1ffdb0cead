package counting

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Filter is a Bloom filter of counters. Make one with [New], [Open] or [Load]. The embedded
// [filter.KeyedDeleter] has Insert, Query, Delete and their batches, for keys of bytes, strings and
// uint64s, and Save.
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

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, err := config.solve()
	if err != nil {
		return nil, err
	}
	if config.Key.IsZero() {
		config.Key = key.New()
	}
	f := filterOf(&table{Array: cells.New(size)}, config.Key, uint64(config.Members))
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
	g := filterOf(&table{Array: cells.New(t.Shape)}, filter.KeyOf(f), f.planned)
	g.fingerprint = f.fingerprint
	return g
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.empty(f.table.Table()) }

// Clone returns a copy of the filter, in memory of its own.
func (f *Filter) Clone() *Filter {
	t := f.table.Table()
	g := f.empty(t)
	copy(g.table.Table().Packed, t.Packed)
	runtime.KeepAlive(t)
	g.history = f.history
	return g
}

// Reset empties the filter.
func (f *Filter) Reset() {
	t := f.table.Table()
	clear(t.Packed)
	runtime.KeepAlive(t)
	f.history = filter.History{}
}

// Equal reports whether both filters have the same key, plan, size, history and cells.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && f.planned == other.planned &&
		f.history == other.history && t.Shape == u.Shape && slices.Equal(t.Packed, u.Packed)
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

// Cells returns m, the number of cells of the table.
func (f *Filter) Cells() int { return int(f.table.Table().Cells()) }

// Width returns the number of bits of a cell.
func (f *Filter) Width() int { return f.table.Table().Width }

// Hashes returns k, the number of cells of a key.
func (f *Filter) Hashes() int { return f.table.Table().Hashes }

// Members returns the number of members: the inserts less the deletes that found their key. It
// counts calls, so it is right as long as the contract of deletion is kept.
func (f *Filter) Members() int {
	f.table.Table()
	return f.history.Members()
}

// ExpectedRate returns the false-positive rate that is expected with a number of members in. It is
// the mean over hash keys, and holds as long as hardly any cell has saturated. ExpectedRate panics
// if members is negative.
func (f *Filter) ExpectedRate(members int) float64 {
	if members < 0 {
		panic(fmt.Sprintf("counting: the expected rate of %d members", members))
	}
	return rate(f.table.Table().Shape, members)
}

// Stats is what one scan of the table finds.
type Stats struct {
	Inserts   int // ever made
	Deleted   int // deletes that made their key invisible
	Retained  int // deletes after which their key was still visible
	Used      int // cells above 0
	Saturated int // cells at their highest value, which stay there
}

// Stats scans the table, in a time that grows with it. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := f.table.Load()
	if t == nil {
		return Stats{}
	}
	used, saturated := t.Count()
	runtime.KeepAlive(t)
	return Stats{int(f.history.Inserts), int(f.history.Deleted), int(f.history.Retained),
		used, saturated}
}

// State returns what is known of the filter: see [filter.State]. Before the first delete that
// follows from the number of inserts. After it State counts the cells, some of which may have
// saturated, in a time that grows with the table.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	if f.history.Deleted == 0 && f.history.Retained == 0 {
		inserts := int(f.history.Inserts)
		return filter.State{
			Bytes: 8 * len(t.Packed), Members: float64(inserts), Rate: rate(t.Shape, inserts),
			Fill: expected.Fill(float64(inserts)*float64(t.Hashes), float64(t.Cells())),
		}
	}
	used, _ := t.Count()
	fill := float64(used) / float64(t.Cells())
	s := filter.State{
		Bytes: 8 * len(t.Packed), Members: float64(f.history.Members()),
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
		return "counting filter, closed"
	}
	return fmt.Sprintf("counting filter of %v, key with fingerprint %016x", t.Shape, f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
