package dlbf

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// Array is the letter's filter itself, the bits and nothing else, for packet headers and
// simulations. [Filter] adds a key, counters and files. An Array is not safe for concurrent use if
// one of the calls writes.
//
// The first r bits are the collision bitmap, and the m' cells follow: cell c is bit r + c, and lies
// in region c / ⌈m'/r⌉. Most methods take the hash of an element, from which its k cells follow.
// The methods that end in At take the cells themselves, which must be below m'. This is not
// checked.
type Array struct {
	shape Shape

	// The numbers of the shape, in the types that the operations need.
	cells, regions, per, hashes uint64
	region                      divisor // by per

	// 64 bits a word, the least significant first, and zeros; from the start of a cache line
	words []uint64
}

// NewArray returns an empty array. The error is a *[filter.SizingError].
func NewArray(s Shape) (*Array, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	return newArray(s), nil
}

func newArray(s Shape) *Array {
	a := arrayOf(s, base.New(uint64(s.words())))
	return &a
}

func arrayOf(s Shape, words []uint64) Array {
	return Array{s, uint64(s.Cells()), uint64(s.Regions), uint64(s.RegionCells()),
		uint64(s.Hashes), divisorOf(uint64(s.RegionCells())), words}
}

// Shape returns the shape of the array.
func (a *Array) Shape() Shape { return a.shape }

// Reset empties the array.
func (a *Array) Reset() { clear(a.words) }

// set sets a cell. If the cell was set already, set marks its region as collided and returns 1,
// else 0. It writes the bitmap in both cases: with a branch, which the CPU often mispredicts, an
// insert takes twice as long.
func (a *Array) set(cell uint64) (was uint64) {
	at, region := a.regions+cell, a.region.divide(cell)
	word := &a.words[at/64]
	was = *word >> (at % 64) & 1
	*word |= 1 << (at % 64)
	a.words[region/64] |= was << (region % 64)
	return was
}

// isSet reports whether a cell is set.
func (a *Array) isSet(cell uint64) bool {
	at := a.regions + cell
	return a.words[at/64]>>(at%64)&1 != 0
}

// free returns 1 if the region of a cell is free of collisions, and 0 if it is not.
func (a *Array) free(cell uint64) uint64 {
	region := a.region.divide(cell)
	return ^a.words[region/64] >> (region % 64) & 1
}

// clear clears a cell whose region is free of collisions, and returns 1 if it is free and 0 if not.
// It writes the word in both cases, for the reason of set.
func (a *Array) clear(cell uint64) (free uint64) {
	free = a.free(cell)
	at := a.regions + cell
	a.words[at/64] &^= free << (at % 64)
	return free
}

// Insert inserts an element, and reports whether it was present before. A cell that is set already
// is a collision, even if another cell of the same element set it.
func (a *Array) Insert(hash uint64) (present bool) {
	all := uint64(1)
	for range a.hashes {
		hash = probe.Next(hash)
		all &= a.set(probe.Reduce(hash, a.cells))
	}
	return all == 1
}

// InsertAt is Insert of an element with the given cells.
func (a *Array) InsertAt(cells []uint64) (present bool) {
	all := uint64(1)
	for _, cell := range cells {
		all &= a.set(cell)
	}
	return all == 1
}

// Query reports whether an element is present: all its cells are set.
func (a *Array) Query(hash uint64) bool {
	for range a.hashes {
		hash = probe.Next(hash)
		if !a.isSet(probe.Reduce(hash, a.cells)) {
			return false
		}
	}
	return true
}

// queryGroup queries up to 64 hashes, a cell of all of them at a time, so that their cache misses
// overlap.
func (a *Array) queryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	copy(xs[:], hashes)
	present = 1<<len(hashes) - 1
	for range a.hashes {
		for rest := present; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			if !a.isSet(probe.Reduce(xs[i], a.cells)) {
				present &^= 1 << i
			}
		}
	}
	return present
}

// QueryAt is Query of an element with the given cells.
func (a *Array) QueryAt(cells []uint64) bool {
	for _, cell := range cells {
		if !a.isSet(cell) {
			return false
		}
	}
	return true
}

// Delete deletes a member: it clears those of its cells that lie in regions without a collision.
// The status is Deleted if there is such a cell, and Retained if there is none. It is Absent if the
// element is not present; then nothing changes.
func (a *Array) Delete(hash uint64) filter.Status {
	if !a.Query(hash) {
		return filter.Absent
	}
	cleared := uint64(0)
	for range a.hashes {
		hash = probe.Next(hash)
		cleared |= a.clear(probe.Reduce(hash, a.cells))
	}
	return filter.Retained + filter.Status(cleared)
}

// DeleteAt is Delete of a member with the given cells.
func (a *Array) DeleteAt(cells []uint64) filter.Status {
	if !a.QueryAt(cells) {
		return filter.Absent
	}
	cleared := uint64(0)
	for _, cell := range cells {
		cleared |= a.clear(cell)
	}
	return filter.Retained + filter.Status(cleared)
}

// Deletable reports whether a delete of a member would clear a cell: one of its cells lies in a
// region without a collision.
func (a *Array) Deletable(hash uint64) bool {
	for range a.hashes {
		hash = probe.Next(hash)
		if a.free(probe.Reduce(hash, a.cells)) != 0 {
			return true
		}
	}
	return false
}

// DeletableAt is Deletable of a member with the given cells.
func (a *Array) DeletableAt(cells []uint64) bool {
	for _, cell := range cells {
		if a.free(cell) != 0 {
			return true
		}
	}
	return false
}

// AppendCells appends the k cells of an element to cells. Some of them may be equal.
func (a *Array) AppendCells(cells []uint64, hash uint64) []uint64 {
	for range a.hashes {
		hash = probe.Next(hash)
		cells = append(cells, probe.Reduce(hash, a.cells))
	}
	return cells
}

// Counts is what one scan of an array finds.
type Counts struct {
	Ones     int // cells that are set
	Collided int // regions with a collision

	// Clearable is the number of set cells in regions without a collision. Each belongs to one
	// member.
	Clearable int
}

// Count scans the array, in a time that grows with it.
func (a *Array) Count() (c Counts) {
	c.Collided = a.ones(0, a.regions)
	for from := uint64(0); from < a.cells; from += a.per {
		ones := a.ones(a.regions+from, a.regions+min(from+a.per, a.cells))
		c.Ones += ones
		if a.free(from) != 0 {
			c.Clearable += ones
		}
	}
	return c
}

// used returns the number of cells that are set.
func (a *Array) used() int { return a.ones(a.regions, a.regions+a.cells) }

// ones returns the number of set bits in an interval of bits.
func (a *Array) ones(from, to uint64) (count int) {
	if from >= to {
		return 0
	}
	first, last := from/64, (to-1)/64
	for i := first; i <= last; i++ {
		word := a.words[i]
		if i == first {
			word &= ^uint64(0) << (from % 64)
		}
		if i == last {
			word &= ^uint64(0) >> (63 - (to-1)%64)
		}
		count += bits.OnesCount64(word)
	}
	return count
}

// merge adds the elements of another array of the same shape. A cell that both have is a collision.
func (a *Array) merge(from *Array) {
	for i, theirs := range from.words {
		both := a.words[i] & theirs
		a.words[i] |= theirs
		for ; both != 0; both &= both - 1 {
			if at := 64*uint64(i) + uint64(bits.TrailingZeros64(both)); at >= a.regions {
				region := a.region.divide(at - a.regions)
				a.words[region/64] |= 1 << (region % 64)
			}
		}
	}
}
