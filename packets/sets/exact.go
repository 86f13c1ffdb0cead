package sets

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// Exact is an exact set of hashes. Filters are compared with it, and it is the list of their
// members: it lists the hashes in an interval without a look at the others. Two keys count as one
// if all 64 bits of their hashes agree. For a million keys the probability of that is 3e-8. The
// zero Exact is empty.
type Exact struct {
	buckets [][]uint64 // each an interval of hashes, and all of one length
	members int
}

// bucketMembers is the mean number of members of a bucket up to which there are no more buckets.
const bucketMembers = 8

// bucket returns the number of a hash's bucket. It grows with the hash.
func (e *Exact) bucket(hash uint64) int {
	i, _ := bits.Mul64(hash, uint64(len(e.buckets)))
	return int(i)
}

// Len returns the number of members.
func (e *Exact) Len() int { return e.members }

// All returns the members.
func (e *Exact) All() iter.Seq[uint64] { return e.Interval(0, math.MaxUint64) }

// Interval returns the members from low to high, which are both in it.
func (e *Exact) Interval(low, high uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if e.members == 0 {
			return
		}
		for _, bucket := range e.buckets[e.bucket(low) : e.bucket(high)+1] {
			for _, hash := range bucket {
				if hash-low <= high-low && !yield(hash) {
					return
				}
			}
		}
	}
}

// InsertHash inserts a hash, and reports whether it was present before. It never fails.
func (e *Exact) InsertHash(hash uint64) (present bool, err error) {
	if e.QueryHash(hash) {
		return true, nil
	}
	if e.members == bucketMembers*len(e.buckets) {
		grown := Exact{buckets: make([][]uint64, max(1, 2*len(e.buckets))), members: e.members}
		for member := range e.All() {
			grown.add(member)
		}
		*e = grown
	}
	e.add(hash)
	e.members++
	return false, nil
}

func (e *Exact) add(hash uint64) {
	i := e.bucket(hash)
	e.buckets[i] = append(e.buckets[i], hash)
}

// QueryHash reports whether a hash is present.
func (e *Exact) QueryHash(hash uint64) bool {
	return e.members > 0 && slices.Contains(e.buckets[e.bucket(hash)], hash)
}

// DeleteHash deletes a hash. Its status is never Retained.
func (e *Exact) DeleteHash(hash uint64) filter.Status {
	if !e.QueryHash(hash) {
		return filter.Absent
	}
	bucket := &e.buckets[e.bucket(hash)]
	last := len(*bucket) - 1
	(*bucket)[slices.Index(*bucket, hash)] = (*bucket)[last]
	*bucket = (*bucket)[:last]
	e.members--
	return filter.Deleted
}

// QueryHashBatch queries hashes, as [filter.Querier] does.
func (e *Exact) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryEach(e, hashes, present, (*Exact).QueryHash)
}
