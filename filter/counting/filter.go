package counting

import (
	"io"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Filter is a Bloom filter of counters. Make one with [New], [Open] or [Load]. From the types that
// it embeds it has:
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
// Before the first delete State follows from the number of inserts. After it State counts the
// cells, some of which may have saturated, in a time that grows with the table.
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
	Name: "counting",
	Source: "Fan, Cao, Almeida and Broder: Summary Cache: A Scalable Wide-Area Web Cache " +
		"Sharing Protocol (IEEE/ACM Transactions on Networking, 2000)",
	Promises: Promises, Section: "cells",
	Bind: func(f *Filter, k key.Key) { f.KeyedDeleter = filter.NewKeyedDeleter(k, f) },
}

// Kind describes this kind of filter to programs that handle every kind: see [base.Kind].
var Kind = base.Describe(kind, func(s filter.Sizing) (*Filter, error) {
	return New(Config{
		Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate,
		Turnovers: s.Turnovers, Key: s.Key,
	})
})

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, err
	}
	return base.Make(kind, newTable(size.table(), config.Members), config.Key)
}

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With [key.Unknown] the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) { return base.Decode(kind, c, k) }

// Read reads a filter from r into memory. The key and the error are those of [Decode].
func Read(r io.Reader, k key.Key) (*Filter, error) { return base.ReadAs(r, k, Decode) }

// Open opens the filter in the file at path. It reads the whole file once, to check it; [file.Open]
// with [Decode] does not. k is the key that the filter had when it was saved. The table is mapped
// where the system can map files. Changes stay private to the filter until it is saved. The error
// is a *[file.Error]; for a wrong key and for the zero Key it wraps [file.ErrWrongKey].
func Open(path string, k key.Key) (*Filter, error) { return base.OpenAs(path, k, Decode) }

// Load is [Open] into memory. Later changes of the file do not matter to the filter.
func Load(path string, k key.Key) (*Filter, error) { return base.LoadAs(path, k, Decode) }

// Merge adds the members of other, which must have the same key, size, width and k, and does not
// change. The cells add up and saturate, so that f is then the filter of all inserts of both. It
// keeps the plan for more members. The error wraps [file.ErrWrongKey], [filter.ErrUnequalSize] or
// [filter.ErrSelf], or [filter.ErrClosed] if one of the two is closed or other is nil. On an error
// f does not change.
func (f *Filter) Merge(other filter.Stored) error {
	return base.Merge(&f.Body, other, nil, (*table).merge)
}

// Members returns the number of members: the inserts less the deletes that found their key. It
// counts calls, so it is right as long as the contract of deletion is kept.
func (f *Filter) Members() int { return base.Open(&f.Body).history.Members() }

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
	t := base.Live(&f.Body)
	if t == nil {
		return Stats{}
	}
	used, saturated := t.Count()
	runtime.KeepAlive(t)
	return Stats{int(t.history.Inserts), int(t.history.Deleted), int(t.history.Retained),
		used, saturated}
}
