package bitwise

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// Filter is a bitwise Bloom filter. Make one with [New], [Open] or [Load]. From the types that it
// embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete],
//     [filter.KeyedCounter.Add], [filter.KeyedCounter.Count]; the same for strings (InsertString,
//     QueryString, DeleteString), for uint64s (InsertUint64) and for many keys (InsertBatch,
//     InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary,
//     [base.Body.UnmarshalBinary], ReadFrom, Contents
//   - copies: [base.Body.Clone], Fresh, Equal
//   - state: [base.Body.State], ScanFill, [base.Life.String], Format, [filter.Keyed.MarshalJSON],
//     LogValue
//   - life: [base.Body.Reset], [base.Life.Close], Closed
//
// State counts cells of the first level, in a time that grows up to 128 KiB of them: of a larger
// level it looks at words at equal distances.
//
// A call that changes a filter, such as an insert, an add, a delete, a merge or a reset, must not
// run beside any other call but Close. Any number of goroutines may query a filter that does not
// change, count, save it and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedDeleter
	filter.KeyedCounter
	base.Body[Filter, table, *table]
}

// Promises are the promises of this kind of filter: see [base.Promise].
const Promises = base.NoFalseNegatives | base.Deletes | base.Multiset | base.Counts |
	base.MergesExactly | base.KeepsRate

var kind = &base.Class[Filter, table]{
	Name:     "bitwise",
	Source:   "Lall and Ogihara: The Bitwise Bloom Filter (University of Rochester, TR 927, 2007)",
	Promises: Promises,
	Bind: func(f *Filter, k key.Key) {
		f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(k, f), filter.NewKeyedCounter(k, f)
	},
}

// Kind describes this kind of filter to programs that handle every kind: see [base.Kind].
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
	return NewShape(size, config.Members, config.Key)
}

// NewShape returns an empty filter of any shape, for a number of members. With the zero Key it
// draws a random one. The error is a *[filter.SizingError].
func NewShape(size Shape, members int, k key.Key) (*Filter, error) {
	if err := size.Check(); err != nil {
		return nil, err
	}
	if members < 1 || members > planning.MaxMembers {
		return nil, wrong("Members", members, fmt.Sprintf("1 to %d", planning.MaxMembers))
	}
	return base.Make(kind, newTable(size, members), k)
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

// Merge adds the members of other, which must have the same key and shape, and does not change. The
// counts add up, also after deletes. If nothing was deleted from either, f is then the filter of
// all inserts of both, bit for bit. It keeps the plan for more members. The error wraps
// [file.ErrWrongKey], [filter.ErrUnequalSize], [filter.ErrSelf] or a *[FullError], or
// [filter.ErrClosed] if one of the two is closed or other is nil. On an error f does not change.
func (f *Filter) Merge(other filter.Stored) error {
	return base.Merge(&f.Body, other, (*table).admitAll, (*table).merge)
}

// Shape returns the shape of the filter, whose methods compute what the theory expects.
func (f *Filter) Shape() Shape { return base.Open(&f.Body).shape() }

// Members returns the number of members, each counted as often as it is in: the inserts less the
// deletes that found their key. It counts calls, so it is right as long as the contract of deletion
// is kept.
func (f *Filter) Members() int { return base.Open(&f.Body).history.Members() }
