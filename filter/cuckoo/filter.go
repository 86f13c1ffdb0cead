package cuckoo

import (
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Filter is a cuckoo filter of keys. Make one with [New], [Open] or [Load]. From the types that it
// embeds it has:
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
// State follows from the number of members, in a time that does not grow with the table.
//
// A call that changes a filter, such as an insert, a delete or a reset, must not run beside any
// other call but Close. Any number of goroutines may query a filter that does not change, save it
// and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedDeleter
	base.Body[Filter, table, *table]
}

// Promises are the promises of this kind of filter: see [base.Promise].
const Promises = base.NoFalseNegatives | base.Deletes | base.Multiset | base.KeepsRate

var kind = &base.Class[Filter, table]{
	Name: "cuckoo",
	Source: "Fan, Andersen, Kaminsky and Mitzenmacher: Cuckoo Filter: Practically Better " +
		"Than Bloom (CoNEXT 2014)",
	Promises: Promises, Section: "slots",
	Bind: func(f *Filter, k key.Key) { f.KeyedDeleter = filter.NewKeyedDeleter(k, f) },
}

// Kind describes this kind of filter to programs that handle every kind: see [base.Kind]. It has
// no Merge, because the buckets of two filters would have to be filled again.
var Kind = base.Describe(kind, func(s filter.Sizing) (*Filter, error) {
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
	return base.Make(kind, newTable(size.table(), config.Members), config.Key)
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

// Members returns the number of members, which is the number of slots in use.
func (f *Filter) Members() int { return int(base.Open(&f.Body).members) }
