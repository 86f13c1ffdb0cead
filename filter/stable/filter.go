package stable

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// Filter is a stable Bloom filter. Make one with [New], [Open] or [Load].
//
// It is not safe for concurrent use where one of the calls writes (insert). Any number of
// goroutines may query, save or ask for the state of a filter that nobody writes, also while it is
// closed.
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

// NewShape returns an empty filter of any shape, for a window of so many members; the zero Key
// means a new random one. Its error is a *[filter.SizingError].
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
func (f *Filter) empty() *Filter {
	g := filterOf(newTable(f.table.Table().shape()), f.Key(), f.planned)
	g.fingerprint = f.fingerprint
	return g
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.empty() }

// Clone returns a filter like f, in memory of its own. It goes on as f does: the same inserts age
// the same cells.
func (f *Filter) Clone() *Filter {
	t, g := f.table.Table(), f.empty()
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

// Equal reports whether f and other have the same key, plan, size, history and cells, and go on as
// one.
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

// State returns what the filter can tell of itself: see [filter.State]. It scans the cells. Members
// are the inserts that the window has, repeated ones among them; that many are found, but for those
// that are missed.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	used, _ := t.Count()
	fill := float64(used) / float64(t.Cells())
	s := filter.State{
		Bytes: 8 * len(t.Packed), Members: float64(min(f.inserts, f.planned)),
		Fill: fill, Rate: math.Pow(fill, float64(t.Hashes)), Scanned: true,
	}
	runtime.KeepAlive(t)
	return s
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
