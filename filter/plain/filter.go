package plain

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Filter is a Bloom filter of keys. Make one with [New], [Open] or [Load]. The embedded
// [filter.KeyedSet] has Insert, Query and their batches, for keys of bytes, strings and uint64s,
// and Save.
//
// A call that changes a filter, such as an insert, a merge or a reset, must not run beside any
// other call but Close. Any number of goroutines may query a filter that does not change, save it
// and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedSet
	table filter.Handle[table]

	planned     uint64 // members
	inserts     uint64 // ever made
	blocked     bool
	fingerprint uint64 // of the key; apart from it because a file is looked at without its key
}

// table is the bits of a filter and, if they lie in a file, its contents. A mapping lasts as long
// as these contents are reachable, so code that uses the words keeps the table alive.
type table struct {
	bloom.Table
	contents *file.Contents
}

func newTable(s bloom.Shape) *table { return &table{Table: bloom.NewTable(s)} }

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
	f := filterOf(newTable(size), config.Key, config.Blocked, uint64(config.Members))
	f.fingerprint = config.Key.Fingerprint()
	return f, nil
}

func filterOf(t *table, k key.Key, blocked bool, planned uint64) *Filter {
	f := &Filter{blocked: blocked, planned: planned}
	f.KeyedSet = filter.NewKeyedSet(k, f)
	f.table.Set(t)
	return f
}

// empty returns an empty filter of f's plan, size and key.
func (f *Filter) empty(t *table) *Filter {
	g := filterOf(newTable(t.Shape), filter.KeyOf(f), f.blocked, f.planned)
	g.fingerprint = f.fingerprint
	return g
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *Filter) Fresh() filter.Stored { return f.empty(f.table.Table()) }

// Clone returns a copy of the filter, in memory of its own.
func (f *Filter) Clone() *Filter {
	t := f.table.Table()
	g := f.empty(t)
	copy(g.table.Table().Words, t.Words)
	runtime.KeepAlive(t)
	g.inserts = f.inserts
	return g
}

// Reset empties the filter.
func (f *Filter) Reset() {
	t := f.table.Table()
	clear(t.Words)
	runtime.KeepAlive(t)
	f.inserts = 0
}

// Equal reports whether both filters have the same key, plan, size, number of inserts and bits.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && f.planned == other.planned &&
		f.blocked == other.blocked && f.inserts == other.inserts && t.Shape == u.Shape &&
		slices.Equal(t.Words, u.Words)
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

// Bits returns m, the number of bits of the table.
func (f *Filter) Bits() int { return int(f.table.Table().Bits()) }

// Hashes returns k, the number of bits of a key.
func (f *Filter) Hashes() int { return f.table.Table().Hashes }

// Blocked reports whether all bits of a key are in one block of [BlockBits].
func (f *Filter) Blocked() bool {
	f.table.Table()
	return f.blocked
}

// Inserts returns the number of inserts ever made, those of keys that were in already too.
func (f *Filter) Inserts() int {
	f.table.Table()
	return int(f.inserts)
}

// ExpectedRate returns the false-positive rate that is expected after a number of inserts of
// different keys. It is the mean over hash keys. ExpectedRate panics if inserts is negative.
func (f *Filter) ExpectedRate(inserts int) float64 { return f.table.Table().Rate(inserts) }

// Stats is what one scan of the table finds.
type Stats struct {
	Inserts int     // ever made
	Ones    int     // bits that are set
	Fill    float64 // the part of the bits that are set
	Rate    float64 // false positives of these bits: fill^k, in the mean over blocks
}

// Stats scans the table, in a time that grows with it. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := f.table.Load()
	if t == nil {
		return Stats{}
	}
	ones, rate := t.Count()
	runtime.KeepAlive(t)
	return Stats{int(f.inserts), ones, float64(ones) / float64(t.Bits()), rate}
}

// State returns what the number of inserts lets expect: see [filter.State]. Fill and Rate are too
// high after [Filter.ClearBits]; [Filter.Stats] counts the bits.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	inserts := int(f.inserts)
	return filter.State{
		Bytes: 8 * len(t.Words), Members: float64(inserts), Fill: t.Fill(inserts),
		Rate: t.Rate(inserts),
	}
}

// ScanFill returns the share of the bits in use and the most that an insert adds to it: see
// [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	ones, _ := t.Count()
	runtime.KeepAlive(t)
	bits := float64(t.Bits())
	return float64(ones) / bits, float64(t.Hashes) / bits, nil
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "Bloom filter, closed"
	}
	return fmt.Sprintf("%s filter of %v, key with fingerprint %016x", f.kind(), t.Shape,
		f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
