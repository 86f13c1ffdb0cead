package cuckoo

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Filter is a cuckoo filter of keys. Make one with [New], [Open] or [Load]. The embedded
// [filter.KeyedDeleter] has Insert, Query, Delete and their batches, for keys of bytes, strings and
// uint64s, and Save.
//
// A call that changes a filter, such as an insert, a delete or a reset, must not run beside any
// other call but Close. Any number of goroutines may query a filter that does not change, save it
// and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedDeleter
	table filter.Handle[table]

	planned     uint64 // members at a time
	members     uint64 // the slots in use
	kicks       uint64 // the number of kicks so far, from which the choices of the next ones follow
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
	f := filterOf(newTable(size), config.Key, uint64(config.Members))
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
	g := filterOf(newTable(t.shape), filter.KeyOf(f), f.planned)
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
	g.members, g.kicks = f.members, f.kicks
	return g
}

// Reset empties the filter.
func (f *Filter) Reset() {
	t := f.table.Table()
	clear(t.words)
	runtime.KeepAlive(t)
	f.members, f.kicks = 0, 0
}

// Equal reports whether both filters have the same key, plan, size, number of moves and
// fingerprints in their slots.
func (f *Filter) Equal(other *Filter) bool {
	t, u := f.table.Table(), other.table.Table()
	equal := f.fingerprint == other.fingerprint && f.planned == other.planned &&
		f.members == other.members && f.kicks == other.kicks && t.shape == u.shape &&
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

// Slots returns the number of slots. There are never more members than that, and a filter is full
// somewhat earlier: the package documentation has the loads.
func (f *Filter) Slots() int { return int(f.table.Table().slots()) }

// FingerprintBits returns the number of bits of a fingerprint.
func (f *Filter) FingerprintBits() int { return f.table.Table().shape.fingerprint }

// Members returns the number of members, which is the number of slots in use.
func (f *Filter) Members() int {
	f.table.Table()
	return int(f.members)
}

// ExpectedRate returns the false-positive rate that is expected with a number of members in. It is
// the mean over hash keys. ExpectedRate panics if members is negative.
func (f *Filter) ExpectedRate(members int) float64 {
	if members < 0 {
		panic(fmt.Sprintf("cuckoo: the expected rate of %d members", members))
	}
	return f.table.Table().rate(float64(members))
}

// State returns what is known of the filter: see [filter.State]. It follows from the number of
// members, and is right after any deletes of members.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	members := float64(f.members)
	return filter.State{
		Bytes: 8 * len(t.words), Members: members, Fill: members / float64(t.slots()),
		Rate: t.rate(members),
	}
}

// ScanFill returns the share of the slots in use and the most that an insert adds to it: see
// [filter.Scanner]. It needs no scan, because every member is in one slot.
func (f *Filter) ScanFill() (fill, most float64, err error) {
	t := f.table.Load()
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	slots := float64(t.slots())
	return float64(f.members) / slots, 1 / slots, nil
}

// String returns the size of the filter and the fingerprint of its key. It never prints the key or
// the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "cuckoo filter, closed"
	}
	return fmt.Sprintf("cuckoo filter of %v, key with fingerprint %016x", t.shape, f.fingerprint)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
