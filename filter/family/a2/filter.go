package a2

import (
	"io"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Filter is an A² filter of keys. Make one with [New], [Open] or [Load]. From the types that it
// embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query]; the same for strings (InsertString,
//     QueryString), for uint64s (InsertUint64) and for many keys (InsertBatch, InsertStringBatch,
//     InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary,
//     [base.Body.UnmarshalBinary], ReadFrom, Contents
//   - copies: [base.Body.Clone], Fresh, Equal
//   - state: [base.Body.State], ScanFill, [base.Life.String], Format, [filter.Keyed.MarshalJSON],
//     LogValue
//   - life: [base.Body.Reset], [base.Life.Close], Closed
//
// State follows from the number of keys in the buffers, in a time that does not grow with them. A
// key that is in both buffers counts as two of its Members.
//
// A call that changes a filter, such as an insert or a reset, must not run beside any other call
// but Close. Any number of goroutines may query a filter that does not change, save it and ask for
// its state, also while another one closes it.
type Filter struct {
	filter.KeyedSet
	base.Body[Filter, table, *table]
}

// Promises are the promises of this kind of filter: see [base.Promise]. Its members are the keys
// of the window.
const Promises = base.NoFalseNegatives | base.Forgets | base.KeepsRate

var kind = &base.Class[Filter, table]{
	Name:     "a2",
	Source:   "Yoon: Aging Bloom Filter with Two Active Buffers for Dynamic Sets (IEEE TKDE, 2010)",
	Promises: Promises, Section: "bits",
	Bind: func(f *Filter, k key.Key) { f.KeyedSet = filter.NewKeyedSet(k, f) },
}

// Kind describes this kind of filter to programs that handle every kind: see [base.Kind]. The
// window moves without limit, so New takes any Turnovers and any Lifetime of a Sizing.
var Kind = base.Describe(kind, func(s filter.Sizing) (*Filter, error) {
	if err := s.Check(kind.Name); err != nil {
		return nil, err
	}
	return New(Config{Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Key: s.Key})
})

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, err
	}
	return base.Make(kind, newTable(size), config.Key)
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
	t := base.Live(&f.Body)
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
