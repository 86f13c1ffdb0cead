package a2

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Filter is an A² filter of keys. Make one with [New], [Open] or [Load]. The embedded
// [filter.KeyedSet] has Insert, Query and their batches, for keys of bytes, strings and uint64s,
// and Save.
//
// A call that changes a filter, such as an insert or a reset, must not run beside any other call
// but Close. Any number of goroutines may query a filter that does not change, save it and ask for
// its state, also while another one closes it.
type Filter struct {
	filter.KeyedSet
	table       filter.Handle[table]
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
	f := filterOf(newTable(size, uint64(config.Members)), config.Key)
	f.fingerprint = config.Key.Fingerprint()
	return f, nil
}

func filterOf(t *table, k key.Key) *Filter {
	f := &Filter{}
	f.KeyedSet = filter.NewKeyedSet(k, f)
	f.table.Set(t)
	return f
}

// empty returns an empty filter of f's plan, size and key.
func (f *Filter) empty(t *table) *Filter {
	g := filterOf(newTable(t.Shape, t.planned), filter.KeyOf(f))
	g.fingerprint = f.fingerprint
	return g
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.empty(f.table.Table()) }

// Clone returns a copy of the filter, in memory of its own.
func (f *Filter) Clone() *Filter {
	t := f.table.Table()
	g := f.empty(t)
	u := g.table.Table()
	copy(u.words, t.words)
	runtime.KeepAlive(t)
	u.held, u.turns = t.held, t.turns
	return g
}

// Reset empties the filter.
func (f *Filter) Reset() {
	t := f.table.Table()
	clear(t.words)
	runtime.KeepAlive(t)
	t.held, t.turns = 0, 0
}

// Equal reports whether both filters have the same key, plan, size, history and bits.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && t.planned == u.planned && t.held == u.held &&
		t.turns == u.turns && t.Shape == u.Shape && slices.Equal(t.words, u.words)
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

// Window returns n_a: a key is present while at most Window other keys were inserted after its last
// insert.
func (f *Filter) Window() int { return int(f.table.Table().planned) }

// Bits returns the number of bits of both buffers together.
func (f *Filter) Bits() int { return int(2 * f.table.Table().Bits()) }

// Hashes returns k_a, the number of bits of a key in a buffer.
func (f *Filter) Hashes() int { return f.table.Table().Hashes }

// ExpectedRate returns the false-positive rate that is expected when both buffers are full, which
// is the worst case. It is the mean over hash keys.
func (f *Filter) ExpectedRate() float64 {
	t := f.table.Table()
	full := t.Rate(arrivals(t.Shape, int(t.planned)))
	return either(full, full)
}

// Stats is what one scan of the buffers finds.
type Stats struct {
	First, Second Buffer
	Turns         int     // how often the second was cleared and became the first
	Rate          float64 // the false-positive rate of the bits of both
}

// Buffer is what one scan of a buffer finds.
type Buffer struct {
	Keys int     // inserts that it counted
	Ones int     // bits that are set
	Rate float64 // the false-positive rate of these bits alone
}

// Stats scans the buffers, in a time that grows with them. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := f.table.Load()
	if t == nil {
		return Stats{}
	}
	s := Stats{First: Buffer{Keys: int(t.held)}, Second: Buffer{Keys: int(t.older())},
		Turns: int(t.turns)}
	s.First.Ones, s.First.Rate = t.count(t.first())
	s.Second.Ones, s.Second.Rate = t.count(t.first() ^ 1)
	s.Rate = either(s.First.Rate, s.Second.Rate)
	runtime.KeepAlive(t)
	return s
}

// State returns what the number of keys in the buffers lets expect: see [filter.State]. A key that
// is in both buffers counts as two Members.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	came, earlier := arrivals(t.Shape, int(t.held)), arrivals(t.Shape, int(t.older()))
	return filter.State{
		Bytes: 8 * len(t.words), Members: float64(t.held + t.older()),
		Fill: (t.Fill(came) + t.Fill(earlier)) / 2, Rate: either(t.Rate(came), t.Rate(earlier)),
	}
}

// ScanFill returns the share of the bits in use and the most that an insert adds to it: see
// [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	first, _ := t.count(0)
	second, _ := t.count(1)
	runtime.KeepAlive(t)
	bits := 2 * float64(t.Span)
	return float64(first+second) / bits, float64(t.Hashes) / bits, nil
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the buffers.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "a2 filter, closed"
	}
	return fmt.Sprintf("a2 filter of two buffers of %v, a window of %d keys, key with "+
		"fingerprint %016x",
		t.Shape, t.planned, f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the buffers.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
