package spectral

import (
	"io"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// MinimumSelection is a filter whose inserts raise all counters of a key, and whose deletes lower
// them. Make one with [NewSelection], [OpenSelection] or [LoadSelection]. From the types that it
// embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete],
//     [filter.KeyedCounter.Add], [filter.KeyedCounter.Count]; the same for strings (InsertString,
//     QueryString, DeleteString), for uint64s (InsertUint64) and for many keys (InsertBatch,
//     InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - hashes: InsertHash, QueryHash, AddHash, CountHash and their batches
//   - sizes: Shape, Members
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary,
//     [base.Body.UnmarshalBinary], ReadFrom, Contents
//   - copies: [base.Body.Clone], Fresh, Equal
//   - state: [base.Body.State], ScanFill, [base.Life.String], Format, [filter.Keyed.MarshalJSON],
//     LogValue
//   - life: [base.Body.Reset], [base.Life.Close], Closed
//
// For all filters of this package: State counts the counters above 0, in a time that grows with
// them. A call that changes a filter, such as an insert, an add, a
// delete, a merge or a reset, must not run beside any other call but Close. Any number of
// goroutines may query a filter that does not change, count, save it and ask for its state, also
// while another one closes it.
type MinimumSelection struct {
	filter.KeyedDeleter
	filter.KeyedCounter
	deleter[MinimumSelection]
}

// MinimalIncrease is a filter whose inserts raise only the least counters of a key. It makes fewer
// errors than [MinimumSelection], and nothing is deleted from it. Make one with [NewIncrease],
// [OpenIncrease] or [LoadIncrease]. From the types that it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedCounter.Add],
//     [filter.KeyedCounter.Count]; the same for strings (InsertString, QueryString), for uint64s
//     (InsertUint64) and for many keys (InsertBatch, InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary,
//     [base.Body.UnmarshalBinary], ReadFrom, Contents
//   - copies: [base.Body.Clone], Fresh, Equal
//   - state: [base.Body.State], ScanFill, [base.Life.String], Format, [filter.Keyed.MarshalJSON],
//     LogValue
//   - life: [base.Body.Reset], [base.Life.Close], Closed
type MinimalIncrease struct {
	filter.KeyedSet
	filter.KeyedCounter
	core[MinimalIncrease]
}

// RecurringMinimum is a filter with minimum selection and secondary counters for the keys whose
// least counter is a single one. Make one with [NewRecurring], [OpenRecurring] or [LoadRecurring].
// From the types that it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete],
//     [filter.KeyedCounter.Add], [filter.KeyedCounter.Count]; the same for strings (InsertString,
//     QueryString, DeleteString), for uint64s (InsertUint64) and for many keys (InsertBatch,
//     InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - hashes: InsertHash, QueryHash, AddHash, CountHash and their batches
//   - sizes: Shape, Members
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary,
//     [base.Body.UnmarshalBinary], ReadFrom, Contents
//   - copies: [base.Body.Clone], Fresh, Equal
//   - state: [base.Body.State], ScanFill, [base.Life.String], Format, [filter.Keyed.MarshalJSON],
//     LogValue
//   - life: [base.Body.Reset], [base.Life.Close], Closed
type RecurringMinimum struct {
	filter.KeyedDeleter
	filter.KeyedCounter
	deleter[RecurringMinimum]
}

// rule is how the counters of a key are raised, and how they are read.
type rule int

const (
	selection rule = iota
	increase
	recurring
)

// String returns the name of the kind.
func (r rule) String() string { return [...]string{"spectral-ms", "spectral-mi", "spectral-rm"}[r] }

// The promises of the kinds: see [base.Promise]. A recurring minimum does not promise its counts:
// docs/theory/spectral.md says why.
const (
	SelectionPromises = base.NoFalseNegatives | base.Deletes | base.Multiset | base.Counts |
		base.MergesExactly | base.KeepsRate
	IncreasePromises  = base.NoFalseNegatives | base.Multiset | base.Counts | base.KeepsRate
	RecurringPromises = base.NoFalseNegatives | base.Deletes | base.Multiset |
		base.KeepsRate
)

var (
	selectionKind = newKind(selection, SelectionPromises, func(f *MinimumSelection, k key.Key) {
		f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(k, f), filter.NewKeyedCounter(k, f)
	})
	increaseKind = newKind(increase, IncreasePromises, func(f *MinimalIncrease, k key.Key) {
		f.KeyedSet, f.KeyedCounter = filter.NewKeyedSet(k, f), filter.NewKeyedCounter(k, f)
	})
	recurringKind = newKind(recurring, RecurringPromises, func(f *RecurringMinimum, k key.Key) {
		f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(k, f), filter.NewKeyedCounter(k, f)
	})
)

func newKind[F any](
	r rule,
	promises base.Promise,
	bind func(*F, key.Key),
) *base.Class[F, table] {
	return &base.Class[F, table]{
		Name: r.String(), Source: "Cohen and Matias: Spectral Bloom Filters (SIGMOD 2003)",
		Promises: promises, Table: table{shape: shape{rule: r}}, Bind: bind,
	}
}

// The kinds of these filters, for programs that handle every kind: see [base.Kind].
var (
	Selection = describe(selectionKind)
	Increase  = describe(increaseKind)
	Recurring = describe(recurringKind)
)

func describe[F any](kind *base.Class[F, table]) base.Kind {
	return base.Describe(kind, func(s filter.Sizing) (*F, error) {
		return newOf(kind, Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Turnovers: s.Turnovers,
			Key: s.Key,
		})
	})
}

func newOf[F any](kind *base.Class[F, table], c Config) (*F, error) {
	size, err := c.solve(kind.Table.rule)
	if err != nil {
		return nil, err
	}
	return base.Make(kind, newTable(size), c.Key)
}

// NewSelection returns an empty filter of the size that c asks for. The error is a
// *[filter.SizingError].
func NewSelection(c Config) (*MinimumSelection, error) { return newOf(selectionKind, c) }

// NewIncrease returns an empty filter of the size that c asks for. The error is a
// *[filter.SizingError].
func NewIncrease(c Config) (*MinimalIncrease, error) { return newOf(increaseKind, c) }

// NewRecurring returns an empty filter of the size that c asks for. The error is a
// *[filter.SizingError].
func NewRecurring(c Config) (*RecurringMinimum, error) { return newOf(recurringKind, c) }

// DecodeSelection returns the filter in the contents of a file. Counters of a fixed width are the
// words of these contents without a copy. k is the key that the filter had when it was saved. With
// [key.Unknown] the filter takes hashes only. The error is a *[file.Error]; for a wrong key it
// wraps [file.ErrWrongKey].
func DecodeSelection(c *file.Contents, k key.Key) (*MinimumSelection, error) {
	return base.Decode(selectionKind, c, k)
}

// DecodeIncrease is [DecodeSelection] for a filter with minimal increase.
func DecodeIncrease(c *file.Contents, k key.Key) (*MinimalIncrease, error) {
	return base.Decode(increaseKind, c, k)
}

// DecodeRecurring is [DecodeSelection] for a filter with a recurring minimum.
func DecodeRecurring(c *file.Contents, k key.Key) (*RecurringMinimum, error) {
	return base.Decode(recurringKind, c, k)
}

// ReadSelection reads a filter from r into memory. The key and the error are those of
// [DecodeSelection].
func ReadSelection(r io.Reader, k key.Key) (*MinimumSelection, error) {
	return base.ReadAs(r, k, DecodeSelection)
}

// ReadIncrease is [ReadSelection] for a filter with minimal increase.
func ReadIncrease(r io.Reader, k key.Key) (*MinimalIncrease, error) {
	return base.ReadAs(r, k, DecodeIncrease)
}

// ReadRecurring is [ReadSelection] for a filter with a recurring minimum.
func ReadRecurring(r io.Reader, k key.Key) (*RecurringMinimum, error) {
	return base.ReadAs(r, k, DecodeRecurring)
}

// OpenSelection opens the filter in the file at path. It reads the whole file once, to check it;
// [file.Open] with [DecodeSelection] does not. k is the key that the filter had when it was saved.
// Counters of a fixed width are mapped where the system can map files; those of variable length are
// copied. Changes stay private to the filter until it is saved. The error is a *[file.Error]; for a
// wrong key and for the zero Key it wraps [file.ErrWrongKey].
func OpenSelection(path string, k key.Key) (*MinimumSelection, error) {
	return base.OpenAs(path, k, DecodeSelection)
}

// OpenIncrease is [OpenSelection] for a filter with minimal increase.
func OpenIncrease(path string, k key.Key) (*MinimalIncrease, error) {
	return base.OpenAs(path, k, DecodeIncrease)
}

// OpenRecurring is [OpenSelection] for a filter with a recurring minimum.
func OpenRecurring(path string, k key.Key) (*RecurringMinimum, error) {
	return base.OpenAs(path, k, DecodeRecurring)
}

// LoadSelection is [OpenSelection] into memory. Later changes of the file do not matter to the
// filter.
func LoadSelection(path string, k key.Key) (*MinimumSelection, error) {
	return base.LoadAs(path, k, DecodeSelection)
}

// LoadIncrease is [LoadSelection] for a filter with minimal increase.
func LoadIncrease(path string, k key.Key) (*MinimalIncrease, error) {
	return base.LoadAs(path, k, DecodeIncrease)
}

// LoadRecurring is [LoadSelection] for a filter with a recurring minimum.
func LoadRecurring(path string, k key.Key) (*RecurringMinimum, error) {
	return base.LoadAs(path, k, DecodeRecurring)
}

// Merge adds the members of other, which must have the same key and size, and does not change. The
// counters add up, so that f is then the filter of all inserts of both. It keeps the plan for more
// members. The error wraps [file.ErrWrongKey], [filter.ErrUnequalSize] or [filter.ErrSelf], or
// [filter.ErrClosed] if one of the two is closed or other is nil. On an error f does not change.
func (f *MinimumSelection) Merge(other filter.Stored) error {
	return base.Merge(&f.Body, other, nil, (*table).merge)
}

// Merge adds the members of other, which must have the same key and size, and does not change. The
// counters add up, so that no count is too low. A single filter of all inserts would have some
// lower counts. The errors are those of the Merge of [MinimumSelection].
func (f *MinimalIncrease) Merge(other filter.Stored) error {
	return base.Merge(&f.Body, other, nil, (*table).merge)
}
