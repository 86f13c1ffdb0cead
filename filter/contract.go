package filter

import (
	"github.com/bloomlane/bloomlane/filter/internal/lengths"
	"github.com/bloomlane/bloomlane/kernel"
)

// Querier is what every filter can do. Hashes are uniform 64-bit hashes of keys; key.Key makes such
// hashes. A query changes nothing.
type Querier interface {
	// QueryHash reports whether the key with this hash is present. It is true for a member, if the
	// kind has no false negatives, and for a false positive.
	QueryHash(hash uint64) (present bool)

	// QueryHashBatch queries hashes and returns how many are present. Bit i%64 of present[i/64]
	// says whether hashes[i] is; [At] reads it. Unused bits of the last word become 0. present may
	// be nil; otherwise it has at least Words(len(hashes)) words, or the call panics.
	QueryHashBatch(hashes, present []uint64) (found int)

	// State returns the size, the members, the fill and the rate of the filter.
	State() State
}

// Set is a filter that keys can be inserted into.
type Set interface {
	Querier

	// InsertHash inserts the key with this hash, and reports whether it was present before. If it
	// was no member before, it was a false positive then. On an error nothing is inserted.
	InsertHash(hash uint64) (present bool, err error)

	// InsertHashBatch inserts hashes one after another, and returns how many it inserted. As with
	// [io.Writer], inserted is less than len(hashes) only if err is not nil. Then
	// hashes[:inserted] are in the filter and the others are not, and only the answers of the first
	// count. Bit i%64 of present[i/64] says whether hashes[i] was present just before its own
	// insert. present may be nil; otherwise it has at least Words(len(hashes)) words, or the call
	// panics.
	InsertHashBatch(hashes, present []uint64) (inserted int, err error)
}

// Batcher is a set with a promise that spans a batch, such as one that lets old members go, but
// none of the batch that it takes. A wrapper that cuts a batch inserts the parts by InsertHashPart.
// A type that embeds a Batcher, and has an InsertHashBatch of its own, needs an InsertHashPart too.
type Batcher interface {
	Set

	// InsertHashPart is InsertHashBatch for a part of a batch. batch is 0 for the first part, and
	// what the part before returned for the others.
	InsertHashPart(batch Batch, hashes, present []uint64) (next Batch, n int, err error)
}

// Batch is what a [Batcher] needs to know of the earlier parts of a batch: 0 if there are none.
type Batch uint64

// insertPart inserts a part of a batch into any set: see [Batcher].
func insertPart(
	set Set,
	batch Batch,
	hashes, present []uint64,
) (next Batch, n int, err error) {
	if batcher, ok := set.(Batcher); ok {
		return batcher.InsertHashPart(batch, hashes, present)
	}
	n, err = set.InsertHashBatch(hashes, present)
	return 0, n, err
}

// Deleter is a set from which members can be deleted, under the contract of deletion in the package
// comment.
type Deleter interface {
	Set

	// DeleteHash deletes the key with this hash, which must be a member.
	DeleteHash(hash uint64) Status

	// DeleteHashBatch deletes hashes, which must be members, one after another. It returns how many
	// have the status Deleted. status[i] becomes the status of hashes[i]. status may be nil;
	// otherwise it has at least len(hashes) elements, or the call panics.
	DeleteHashBatch(hashes []uint64, status []Status) (deleted int)
}

// Counter is a set that estimates how many times a key is a member. If a key is inserted more often
// than a kind can count, the insert returns an error, or the count stays at the highest uint64. A
// count never wraps.
type Counter interface {
	Set

	// AddHash inserts the key with this hash the given number of times, which may be 0. On an error
	// nothing is inserted.
	AddHash(hash, times uint64) error

	// AddHashBatch inserts hashes[i] times[i] times, for one i after another, and returns how many
	// of the hashes it inserted, as InsertHashBatch does. times has at least len(hashes) elements,
	// or the call panics.
	AddHashBatch(hashes, times []uint64) (inserted int, err error)

	// CountHash returns an estimate of how many times the key with this hash is a member. It is 0
	// if and only if the key is not present.
	CountHash(hash uint64) uint64

	// CountHashBatch stores the count of hashes[i] in counts[i]. counts has at least len(hashes)
	// elements, or the call panics.
	CountHashBatch(hashes, counts []uint64)
}

// Grower is a set that takes more members than it was planned for, and grows when it must.
type Grower interface {
	Set
	// Limit returns the number of members beyond which the filter grows.
	Limit() int
}

// Clearer is a filter of single bits that can be cleared. That removes false positives, but members
// that share the bits are no longer found.
type Clearer interface {
	Querier
	// AppendPositions appends the positions of the bits of a hash to p.
	AppendPositions(p []uint64, hash uint64) []uint64
	// ClearBits clears the bits at the positions p.
	ClearBits(p []uint64)
}

// Prefetcher is a filter that can load the memory of a hash before an operation needs it. It helps
// a program that gets its keys one at a time: prefetch a hash, do some other work, such as
// prefetching a dozen more, and then query, insert or delete it. Batches prefetch by themselves.
type Prefetcher interface {
	Querier
	// PrefetchHash starts to load the memory of a hash, and returns at once. It changes nothing. In
	// a program without assembly it does nothing.
	PrefetchHash(hash uint64)
}

// Scanner is a filter that measures how full it is. Every kind with inserts is one.
type Scanner interface {
	Set
	// ScanFill returns the share of the bits, or of the cells, that are in use, by a scan of the
	// whole table, and the most that one insert adds to it. The Fill of a [State] that took no scan
	// is what different keys let expect. The error wraps [ErrClosed].
	ScanFill() (fill, most float64, err error)
}

// Status is the result of a delete: [Absent], [Retained] or [Deleted].
type Status = kernel.Status

// The results of a delete.
const (
	// Absent says that the key was not present, so it was no member. Nothing changed.
	Absent = kernel.Absent
	// Retained says that the key is still present: other keys may share all that it has, or it is
	// still a member, because it was inserted more than once. A filter cannot tell a key that was
	// deleted so from a member, so a second delete of it counts a member less again.
	Retained = kernel.Retained
	// Deleted says that something of the key was removed: bits, counters or a fingerprint. The key
	// is not present then, with two exceptions: it may be a false positive of the members that are
	// left, and in a cuckoo filter it may still be a member, because it was inserted more often
	// than it was deleted. To answer Retained there, a delete would read a second place in memory.
	Deleted = kernel.Deleted
)

// Words returns the number of words that the answers for n keys need, at one bit per key: the least
// length of present in a batch.
func Words(n int) int { return lengths.Words(n) }

// At returns bit i%64 of present[i/64], which is the answer for key i of a batch.
func At(present []uint64, i int) bool { return present[i/64]>>(i%64)&1 != 0 }
