package a2

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Filter is an A² filter of keys. Make one with [New], [Open] or [Load].
//
// It is not safe for concurrent use where one of the calls writes (insert, reset). Any number of
// goroutines may query, save or ask for the state of a filter that nobody writes, also while it is
// closed.
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
func (f *Filter) empty() *Filter {
	t := f.table.Table()
	g := filterOf(newTable(t.Shape, t.planned), f.Key())
	g.fingerprint = f.fingerprint
	return g
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.empty() }

// Clone returns a copy of the filter, in memory of its own.
func (f *Filter) Clone() *Filter {
	t, g := f.table.Table(), f.empty()
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

// Equal reports whether f and other have the same key, plan, size, past and bits.
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

// Window returns n_a: a key is present at least until more than so many other keys were inserted
// after it.
func (f *Filter) Window() int { return int(f.table.Table().planned) }

// Bits returns the number of bits of both buffers together.
func (f *Filter) Bits() int { return int(2 * f.table.Table().Bits()) }

// Hashes returns k_a, the number of bits of a key in a buffer.
func (f *Filter) Hashes() int { return f.table.Table().Hashes }

// ExpectedRate returns the false-positive rate that is expected of f when both buffers are full, in
// the mean over hash keys: the highest that it gets.
func (f *Filter) ExpectedRate() float64 {
	t := f.table.Table()
	full := t.Rate(arrivals(t.Shape, int(t.planned)))
	return either(full, full)
}

// Stats are the statistics of a filter, taken by one scan of its buffers.
type Stats struct {
	First, Second Buffer
	Turns         int     // how often the second was cleared and became the first
	Rate          float64 // the false-positive rate of the bits of both
}

// Buffer is the statistics of a buffer.
type Buffer struct {
	Keys int     // that it did not show when they came
	Ones int     // bits that are set
	Rate float64 // the false-positive rate of these bits alone
}

// Stats scans the buffers and returns their statistics. Of a closed filter they are zero.
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

// State returns what is expected by the number of keys of the buffers: see [filter.State]. A key
// that was inserted again while the second has it is two of its Members.
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

// String returns the size and the fingerprint of the key. It never prints the key, nor the buffers.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "a2 filter, closed"
	}
	return fmt.Sprintf("a2 filter of two buffers of %v, a window of %d keys, key with "+
		"fingerprint %016x",
		t.Shape, t.planned, f.fingerprint)
}

// Format prints String for every verb, so that a log has a line and not the buffers.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
