package deletable

import (
	"io"
	"runtime"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// BlockBytes is the size of a block in bytes, 64. The size of a filter is a multiple of it.
const BlockBytes = int(unsafe.Sizeof(kernel.Block512{}))

// Status is the result of a delete.
type Status = filter.Status

// The results of a delete.
const (
	// Absent says that the key was not present, so it was no member. Nothing changed.
	Absent = kernel.Absent
	// Retained says that all bits of the key lie in collided regions. It is no member any more, but
	// is still found.
	Retained = kernel.Retained
	// Deleted says that at least one bit of the key was cleared, so that it is not found.
	Deleted = kernel.Deleted
)

// Filter is a deletable Bloom filter of keys. Make one with [New], [Over], [Open] or [Load]. From
// the types that it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete]; the same
//     for strings (InsertString, QueryString, DeleteString), for uint64s (InsertUint64) and for
//     many keys (InsertBatch, InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary, [base.Body.Contents]
//   - copies: [base.Body.Clone], Fresh, Equal
//   - state: [base.Body.State], ScanFill, [base.Life.String], Format, [filter.Keyed.MarshalJSON],
//     LogValue
//   - life: [base.Life.Close], Closed
//
// Before the first delete State follows from the number of inserts. After it State counts the bits,
// in a time that grows with the table.
//
// Any number of goroutines may query, save or take statistics of a filter at the same time. A call
// that writes, such as an insert, a delete or a merge, needs the filter for itself. There are two
// exceptions: goroutines may query during [Filter.Refresh], and any call may run during Close,
// which waits for none. For writes from many goroutines, see package sharded.
type Filter struct {
	filter.KeyedDeleter
	base.Body[Filter, table, *table]

	scratch   *scratch // memory of the last refresh, or nil
	forgotten uint64   // inserts that the history no longer counts
	absent    uint64   // deletes with the status Absent: see [Stats]
}

// Promises is the set of promises of this kind.
const Promises = base.NoFalseNegatives | base.Deletes | base.Multiset | base.MergesExactly |
	base.KeepsRate

// kindName is the name of the kind, in files too.
const kindName = "deletable"

var kind = &base.Class[Filter, table]{
	Name: kindName,
	Source: "Rothenberg, Macapuna, Verdi and Magalhães: The Deletable Bloom Filter (IEEE " +
		"Communications Letters, 2010)",
	Promises: Promises, Section: "blocks",
	Bind: func(f *Filter, k key.Key) { f.KeyedDeleter = filter.NewKeyedDeleter(k, f) },
}

// Kind describes the kind, for programs that work with any kind.
var Kind = base.Describe(kind, func(s filter.Sizing) (*Filter, error) { return New(Config(s)) })

// errClosed is [filter.ErrClosed] as the type that panic takes, which saves a conversion.
var errClosed any = filter.ErrClosed

// New returns an empty filter for config. The error is a *[filter.SizingError] that names the field
// of config, what it is and what it may be.
func New(config Config) (*Filter, error) {
	nblocks, p, err := config.plan()
	if err != nil {
		return nil, err
	}
	return base.Make(kind, newTable(nblocks, p), config.Key)
}

// Decode returns the filter whose file has these contents, with its key k. The filter uses the
// words of the contents as its memory. With [key.Unknown] it takes hashes only. The error is a
// *[file.Error].
func Decode(c *file.Contents, k key.Key) (*Filter, error) { return base.Decode(kind, c, k) }

// Read reads a filter with the key k from r into memory: see [file.Read]. r must end with the
// filter. With [key.Unknown] the filter takes hashes only. The error is a *[file.Error].
func Read(r io.Reader, k key.Key) (*Filter, error) { return base.ReadAs(r, k, Decode) }

// Open opens the filter that [filter.Keyed.Save] wrote to path. k must be its key. Open verifies
// the whole file first; to verify later or never, call [file.Open] and [Decode]. The error is a
// *[file.Error].
//
// On a little-endian Unix host the filter lies in the mapped file. Writes to the filter do not
// reach the file until it is saved. Save replaces the file whole, which does not affect filters
// that have the old file open. No program may write to the file in place, or cut it, while the
// filter is in use: for such a file, call [Load].
//
// To replace a filter by a newer one while goroutines query it, publish the new one in an
// [sync/atomic.Pointer] and drop the old one without Close. Its file is unmapped when the last
// goroutine is done with it.
func Open(path string, k key.Key) (*Filter, error) { return base.OpenAs(path, k, Decode) }

// Load is [Open], but reads the file into memory, so that later changes of the file do not affect
// the filter.
func Load(path string, k key.Key) (*Filter, error) { return base.LoadAs(path, k, Decode) }

// UnmarshalBinary replaces f by the filter that [filter.Keyed.MarshalBinary] wrote as b: see
// [base.Body.UnmarshalBinary].
func (f *Filter) UnmarshalBinary(b []byte) error {
	ever := f.ever()
	return f.remember(ever, f.Body.UnmarshalBinary(b))
}

// ReadFrom replaces f by the filter that comes next in r: see [base.Body.ReadFrom].
func (f *Filter) ReadFrom(r io.Reader) (n int64, err error) {
	ever := f.ever()
	n, err = f.Body.ReadFrom(r)
	return n, f.remember(ever, err)
}

// remember keeps the number of inserts that there were before another filter was read into f.
func (f *Filter) remember(ever uint64, err error) error {
	if err == nil {
		f.forgotten, f.absent = ever, 0
	}
	return err
}

// Reset removes all members and clears the history, so that f is as new.
func (f *Filter) Reset() {
	t := base.Open(&f.Body)
	f.forgotten += t.history.Inserts
	f.absent = 0
	base.Empty(t)
	runtime.KeepAlive(t)
}

// CloneTable returns a copy of the table, for the operations of package kernel on hashes.
func (f *Filter) CloneTable() kernel.Table512 {
	t := base.Open(&f.Body)
	blocks := kernel.NewTable512(len(t.blocks))
	copy(blocks, t.blocks)
	runtime.KeepAlive(t)
	return blocks
}

// Members returns the number of members: inserts minus deletes that found their key. It is right
// under the contract of deletion.
func (f *Filter) Members() int { return base.Open(&f.Body).history.Members() }

// Inserts returns the number of inserts since the filter was made, with which the false-positive
// rate grows. [Filter.Refresh] subtracts inserts whose keys were deleted, together with their
// deletes, because refreshed blocks have no trace of them.
func (f *Filter) Inserts() int { return int(base.Open(&f.Body).history.Inserts) }

// Deleted returns the number of deletes that cleared bits.
func (f *Filter) Deleted() int { return int(base.Open(&f.Body).history.Deleted) }

// Retained returns the number of deletes that could clear no bit. These former members are still
// found.
func (f *Filter) Retained() int { return int(base.Open(&f.Body).history.Retained) }
