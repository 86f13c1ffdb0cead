package retouched

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// Filter is a retouched Bloom filter, which is only queried and saved. Make one with [New], [Open]
// or [Load]. From the types that it embeds it has:
//
//   - keys: [filter.Keyed.Query]; the same for strings (QueryString), for uint64s (QueryUint64) and
//     for many keys (QueryBatch, QueryStringBatch)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary
//   - state: [filter.Keyed.MarshalJSON], LogValue
//
// Any number of goroutines may use it, also while another one closes it.
type Filter struct {
	filter.Keyed
	table base.Handle[table]
}

// table is a filter whose bits were cleared.
type table struct {
	Base
	cleared uint64 // bits
	lost    uint64 // members, by the report
}

// numbers returns the numbers of a table beside those of its base.
func (t *table) numbers() []base.Number {
	return []base.Number{
		{Name: "cleared", Value: &t.cleared, High: filter.MaxBits},
		{Name: "lost", Value: &t.lost, High: base.MaxCount},
	}
}

func filterOf(t *table) *Filter {
	f := &Filter{}
	f.Keyed = filter.NewKeyed(t.Key(), f)
	f.table.Set(t)
	return f
}

// QueryHash reports whether the key of a hash is present: true for a member that was not lost and
// for a false positive that was not bought off.
func (f *Filter) QueryHash(hash uint64) bool { return f.table.Table().QueryHash(hash) }

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	return f.table.Table().QueryHashBatch(hashes, present)
}

// Close ends the filter. It does not wait: calls that already run finish on the table that they
// have. A later call returns [filter.ErrClosed], or panics with it where it returns no error. A
// second Close returns it too. Package filter lists the exceptions, under Life cycle.
func (f *Filter) Close() error { return f.table.Close() }

// Closed reports whether the filter is closed, or was never made.
func (f *Filter) Closed() bool { return f.table.Closed() }

// Clone returns a copy of the filter, in memory of its own.
func (f *Filter) Clone() *Filter {
	t := *f.table.Table()
	t.Base = clone(t.Base)
	return filterOf(&t)
}

// Equal reports whether both filters are made of equal filters, and have the same numbers of
// cleared bits and lost members.
func (f *Filter) Equal(other *Filter) bool {
	t := *f.table.Table()
	u := *other.table.Table()
	same := equal(t.Base, u.Base)
	t.Base, u.Base = nil, nil
	return same && t == u
}

// Cleared returns the number of bits that were cleared.
func (f *Filter) Cleared() int { return int(f.table.Table().cleared) }

// Lost returns the number of members that were lost: see [Loss]. An estimate is rounded.
func (f *Filter) Lost() int { return int(f.table.Table().lost) }

// State returns what is known of the filter: see [filter.State]. It counts the bits, in a time that
// grows with the table. Members are those that were not lost.
func (f *Filter) State() filter.State {
	t := f.table.Load()
	if t == nil {
		return filter.State{}
	}
	s := t.State()
	s.Members = max(0, s.Members-float64(t.lost))
	if !s.Scanned {
		s.Fill, s.Rate = scan(t.Base)
		s.Scanned = true
	}
	return s
}

// String returns what the filter is made of. It never prints the key or the table.
func (f *Filter) String() string {
	t := f.table.Load()
	if t == nil {
		return "retouched filter, closed"
	}
	return fmt.Sprintf("retouched filter, %d bits cleared of a %v", t.cleared, t.Base)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }
