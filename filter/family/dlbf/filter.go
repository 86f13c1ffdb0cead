package dlbf

import (
	"io"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Filter is the letter's filter, under the contract of package filter. Make one with [New], [Open]
// or [Load]. From the types that it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete]; the same
//     for strings (InsertString, QueryString, DeleteString), for uint64s (InsertUint64) and for
//     many keys (InsertBatch, InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary,
//     [base.Body.UnmarshalBinary], ReadFrom, Contents
//   - copies: [base.Body.Clone], Fresh, Equal
//   - state: [base.Body.State], ScanFill, [base.Life.String], Format, [filter.Keyed.MarshalJSON],
//     LogValue
//   - life: [base.Body.Reset], [base.Life.Close], Closed
//
// Before the first delete State follows from the number of inserts. After it State counts the bits,
// in a time that grows with the array.
//
// A call that changes a filter, such as an insert, a delete, a merge or a reset, must not run
// beside any other call but Close. Any number of goroutines may query a filter that does not
// change, save it and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedDeleter
	base.Body[Filter, table, *table]
}

// Promises are the promises of this kind of filter: see [base.Promise].
const Promises = base.NoFalseNegatives | base.Deletes | base.Multiset | base.MergesExactly |
	base.KeepsRate

var kind = &base.Class[Filter, table]{
	Name: "dlbf",
	Source: "Rothenberg, Macapuna, Verdi and Magalhães: The Deletable Bloom Filter: A New " +
		"Member of the Bloom Family (IEEE Communications Letters, 2010)",
	Promises: Promises, Section: "bits",
	Bind: func(f *Filter, k key.Key) { f.KeyedDeleter = filter.NewKeyedDeleter(k, f) },
}

// Kind describes this kind of filter to programs that handle every kind: see [base.Kind].
var Kind = base.Describe(kind, func(s filter.Sizing) (*Filter, error) {
	if err := s.Check(kind.Name); err != nil { // New has defaults where a Sizing has none
		return nil, err
	}
	return New(Config{
		Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Turnovers: s.Turnovers,
		Key: s.Key,
	})
})

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, err
	}
	t := &table{Array: *newArray(size), planned: uint64(config.Members), bits: uint64(size.Bits)}
	return base.Make(kind, t, config.Key)
}

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With [key.Unknown] the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	return base.Decode(kind, c, k)
}

// Read reads a filter from r into memory. The key and the error are those of [Decode].
func Read(r io.Reader, k key.Key) (*Filter, error) { return base.ReadAs(r, k, Decode) }

// Open opens the filter in the file at path. It reads the whole file once, to check it; [file.Open]
// with [Decode] does not. k is the key that the filter had when it was saved. The table is mapped
// where the system can map files. Changes stay private to the filter until it is saved. The error
// is a *[file.Error]; for a wrong key and for the zero Key it wraps [file.ErrWrongKey].
func Open(path string, k key.Key) (*Filter, error) { return base.OpenAs(path, k, Decode) }

// Load is [Open] into memory. Later changes of the file do not matter to the filter.
func Load(path string, k key.Key) (*Filter, error) { return base.LoadAs(path, k, Decode) }

// Merge adds the members of other, which must have the same key, m, r and k, and does not change. A
// cell that is set in both is a collision, so that f is then the filter of all inserts of both. It
// keeps the plan for more members. The error wraps [file.ErrWrongKey], [filter.ErrUnequalSize] or
// [filter.ErrSelf], or [filter.ErrClosed] if one of the two is closed or other is nil. On an error
// f does not change.
func (f *Filter) Merge(other filter.Stored) error {
	return base.Merge(&f.Body, other, nil, (*table).merge)
}

// Shape returns the shape of the filter, the letter's m, r and k.
func (f *Filter) Shape() Shape { return base.Open(&f.Body).shape }

// Members returns the number of members: the inserts less the deletes that found their key. It
// counts calls, so it is right as long as the contract of deletion is kept.
func (f *Filter) Members() int { return base.Open(&f.Body).history.Members() }

// Stats is what one scan of the table finds.
type Stats struct {
	Shape Shape
	Counts
	Inserts  int // ever made
	Deleted  int // deletes that cleared a cell
	Retained int // deletes of members that had no cell to clear

	// Deletability is the expected part of the members that are deletable. It assumes that the
	// clearable cells are random ones among the k cells of each member.
	Deletability float64
}

// Stats scans the table, in a time that grows with it. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := base.Live(&f.Body)
	if t == nil {
		return Stats{}
	}
	counts := t.Count()
	runtime.KeepAlive(t)
	n := t.history
	s := Stats{t.shape, counts, int(n.Inserts), int(n.Deleted), int(n.Retained), 0}
	if members := n.Members(); members > 0 {
		k := float64(t.hashes)
		clearable := min(1, float64(counts.Clearable)/(k*float64(members)))
		s.Deletability = 1 - elementary.Pow(1-clearable, k)
	}
	return s
}
