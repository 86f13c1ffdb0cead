package filter

import "github.com/bloomlane/bloomlane/kernel"

// Querier is what every filter can do. Hashes are uniform 64-bit hashes of keys.
type Querier interface {
	// QueryHash reports whether the key of a hash is present: true for a member, as far as the kind
	// promises that, and for a false positive.
	QueryHash(hash uint64) (present bool)

	// QueryHashBatch queries hashes and returns how many are present. Bit i of present[i/64] says
	// whether hashes[i] is, and unused bits of the last word are written zero; present may be nil,
	// or else has a word for each 64 hashes: see [Words].
	QueryHashBatch(hashes, present []uint64) (count int)

	// State returns what the filter can tell of itself.
	State() State
}

// Set is a filter that takes members.
type Set interface {
	Querier

	// InsertHash inserts the key of a hash, and reports whether it was present before: a false
	// positive then, or of a kind that takes members more than once a member. On an error nothing
	// is inserted.
	InsertHash(hash uint64) (present bool, err error)

	// InsertHashBatch inserts hashes one after another. As with [io.Writer] n is how many of them
	// are in: hashes[:n], and the rest is not, nor has it answers; it is less than their number
	// only with an error. Bit i of present[i/64] says whether hashes[i] was present just before its
	// own insert; present may be nil, or else has a word for each 64 hashes.
	InsertHashBatch(hashes, present []uint64) (n int, err error)
}

// Deleter is a set that gives members up, under the contract of deletion.
type Deleter interface {
	Set

	// DeleteHash deletes the key of a hash, which must be a member.
	DeleteHash(hash uint64) Status

	// DeleteHashBatch deletes hashes, which must be members, one after another, and returns how
	// many were Deleted. status[i] is the status of hashes[i]; status may be nil, or else has an
	// element a hash.
	DeleteHashBatch(hashes []uint64, status []Status) (deleted int)
}

// Counter is a set whose members come more than once, and that tells how often. What is more than a
// kind can count is refused, or the count is the highest uint64 from then on; no count wraps.
type Counter interface {
	Set

	// AddHash inserts the key of a hash so many times, which may be none. On an error nothing is
	// inserted.
	AddHash(hash, times uint64) error

	// AddHashBatch adds hashes[i] times[i] times, one after another. As with InsertHashBatch n is
	// how many of them are in.
	AddHashBatch(hashes, times []uint64) (n int, err error)

	// CountHash returns an estimate of how many times the key of a hash is a member: 0 just where
	// it is not present.
	CountHash(hash uint64) uint64

	// CountHashBatch writes the count of hashes[i] to counts[i].
	CountHashBatch(hashes, counts []uint64)
}

// Grower is a set that takes more members than it was made for, and grows where it must.
type Grower interface {
	Set
	Limit() int // the members until it grows
}

// Clearer is a filter of single bits, which can be cleared to remove false positives, at the price
// of members.
type Clearer interface {
	Querier
	AppendPositions(p []uint64, hash uint64) []uint64 // appends the positions of a hash's bits
	ClearBits(p []uint64)
}

// Prefetcher is a filter that can be told of a hash before it is asked for it, by a program that
// meets its keys one at a time: announce a hash, do some other work, such as announcing a dozen
// more, and then query, insert or delete it. A batch does that by itself. Nothing changes, and
// where the program has no assembly nothing happens.
type Prefetcher interface {
	Querier
	PrefetchHash(hash uint64)
}

// Status is the result of a delete.
type Status = kernel.Status

// The results of a delete.
const (
	Absent = kernel.Absent // the key was not present: it was no member, and nothing changed
	// still visible: all that it has is shared, or it is a member once more
	Retained = kernel.Retained
	Deleted  = kernel.Deleted // something of it was cleared
)

// Words returns the number of words that the answers of n keys take, a bit each: what present must
// have.
func Words(n int) int { return n/64 + (n%64+63)/64 }

// At returns bit i of present: the answer for key i of a batch.
func At(present []uint64, i int) bool { return present[i/64]>>(i%64)&1 != 0 }
