package plain

import (
	"fmt"
	"io"
	"math"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Filter is a Bloom filter of keys. Make one with [New], [Open] or [Load]. From the types that it
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
// State follows from the number of inserts, in a time that does not grow with the table.
//
// A call that changes a filter, such as an insert, a merge or a reset, must not run beside any
// other call but Close. Any number of goroutines may query a filter that does not change, save it
// and ask for its state, also while another one closes it.
type Filter struct {
	filter.KeyedSet
	base.Body[Filter, table, *table]
}

// Promises are the promises of both kinds of filter of this package: see [base.Promise].
const Promises = base.NoFalseNegatives | base.MergesExactly | base.KeepsRate

var (
	plainKind = newKind("plain", "Bloom: Space/Time Trade-offs in Hash Coding with Allowable "+
		"Errors (CACM, 1970)", false)
	blockedKind = newKind("blocked", "Putze, Sanders and Singler: Cache-, Hash- and "+
		"Space-Efficient Bloom Filters (WEA, 2007)", true)
)

func newKind(name, source string, blocked bool) *base.Class[Filter, table] {
	return &base.Class[Filter, table]{
		Name: name, Source: source, Promises: Promises, Section: "bits",
		Table: table{blocked: blocked},
		Bind:  func(f *Filter, k key.Key) { f.KeyedSet = filter.NewKeyedSet(k, f) },
	}
}

// Kind describes the filters whose keys have their bits anywhere in the table to programs that
// handle every kind: see [base.Kind]. BlockedKind is the same for those whose keys have all their
// bits in one cache line.
var Kind, BlockedKind = describe(plainKind), describe(blockedKind)

func describe(kind *base.Class[Filter, table]) base.Kind {
	return base.Describe(kind, func(s filter.Sizing) (*Filter, error) {
		return New(Config{
			Members: s.Members, BitsPerKey: s.BitsPerKey, Rate: s.Rate, Turnovers: s.Turnovers,
			Blocked: kind.Table.blocked, Key: s.Key,
		})
	})
}

// New returns an empty filter of the size that config asks for. The error is a
// *[filter.SizingError].
func New(config Config) (*Filter, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, err
	}
	t := newTable(size.table(), config.planned(), config.Blocked)
	return base.Make(config.kind(), t, config.Key)
}

// Decode returns the filter in the contents of a file, and uses the words of these contents without
// a copy. k is the key that the filter had when it was saved. With [key.Unknown] the filter takes
// hashes only. The error is a *[file.Error]; for a wrong key it wraps [file.ErrWrongKey].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	if c.Kind == blockedKind.Name {
		return base.Decode(blockedKind, c, k)
	}
	return base.Decode(plainKind, c, k)
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

// Merge adds the members of other, which must have the same key, size and k, and does not change. f
// is then the filter of all inserts of both. It keeps the plan for more members. The error wraps
// [file.ErrWrongKey], [filter.ErrUnequalSize] or [filter.ErrSelf], or [filter.ErrClosed] if one of
// the two is closed or other is nil. On an error f does not change.
func (f *Filter) Merge(other filter.Stored) error {
	return base.Merge(&f.Body, other, nil, (*table).merge)
}

// Fold implements [filter.Folder]. The filter has as many hashes, and the planned members of f.
func (f *Filter) Fold(divisor int) (filter.Stored, error) {
	t := base.Live(&f.Body)
	if t == nil {
		return nil, fmt.Errorf("fold: %w", filter.ErrClosed)
	}
	parts, err := base.Part(t.Parts(t.blocked), divisor)
	if err != nil {
		return nil, err
	}
	folded := newTable(t.Part(parts, t.blocked), int(t.members), t.blocked)
	folded.inserts = t.inserts
	folded.Fold(&t.Table)
	runtime.KeepAlive(t)
	return base.Sibling(f, folded), nil
}

// FoldTo implements [filter.Folder].
func (f *Filter) FoldTo(rate float64) (filter.Stored, error) {
	t := base.Live(&f.Body)
	if t == nil {
		return nil, fmt.Errorf("fold: %w", filter.ErrClosed)
	}
	members := int(math.Round(t.Estimate().Members))
	rateOf := func(parts int) float64 { return t.Part(parts, t.blocked).Rate(members) }
	parts := t.Parts(t.blocked)
	part, is := expected.SmallestPart(parts, func(part int) bool { return rateOf(part) <= rate })
	if !is {
		return nil, base.FoldError((&Config{Blocked: t.blocked}).kind().Name, "Rate", rate, rateOf(parts))
	}
	folded, err := f.Fold(parts / part)
	if err == nil {
		base.Open(&folded.(*Filter).Body).members = max(1, t.inserts)
	}
	return folded, err
}

// Estimate implements [filter.Estimator].
func (f *Filter) Estimate() filter.Estimate {
	t := base.Open(&f.Body)
	e := t.Estimate()
	runtime.KeepAlive(t)
	return e
}

// EstimateCommon implements [filter.Estimator].
func (f *Filter) EstimateCommon(other filter.Stored) (filter.Estimate, error) {
	t, u, err := base.Pair("estimate", &f.Body, other)
	if err != nil {
		return filter.Estimate{}, err
	}
	e := t.Common(&u.Table)
	runtime.KeepAlive(t)
	runtime.KeepAlive(u)
	return e, nil
}

// Inserts returns the number of inserts ever made, those of keys that were in already too.
func (f *Filter) Inserts() int { return int(base.Open(&f.Body).inserts) }

// Stats is what one scan of the table finds.
type Stats struct {
	Inserts int     // ever made
	Ones    int     // bits that are set
	Fill    float64 // the part of the bits that are set
	Rate    float64 // false positives of these bits: fill^k, in the mean over blocks
}

// Stats scans the table, in a time that grows with it. For a closed filter it returns zero.
func (f *Filter) Stats() Stats {
	t := base.Live(&f.Body)
	if t == nil {
		return Stats{}
	}
	ones, rate := t.Count()
	runtime.KeepAlive(t)
	return Stats{int(t.inserts), ones, float64(ones) / float64(t.Bits()), rate}
}
