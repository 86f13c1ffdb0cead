package kernel

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// Block256 is a block of 8 lanes of 32 bits, lane 0 first: the collision lane and seven data lanes.
// It is a packet header, or half a cache line of a table. As the argument of an operation it is a mask,
// which may have any bits set; one with none is present, and Retained when deleted.
type Block256 [8]uint32

// Table256 is a table of blocks. Any slice will do, aligned to a cache line or not; on one that
// starts at a cache line, as [NewTable256] gives it, a key costs one cache line.
type Table256 []Block256

// NewTable256 returns an empty table of nblocks blocks that starts at a cache line. It panics where
// nblocks is below 1 or beyond the address space.
func NewTable256(nblocks int) Table256 {
	requireSize(nblocks, int(unsafe.Sizeof(Block256{})))
	return newTable[Block256](nblocks)
}

// Mask256 returns the mask of the hash h: one bit in each data lane, the same in every table.
func Mask256(h uint64) Block256 { return fallback.Mask[uint32](h) }

// Positions256 returns the stored positions of the hash h, the form in which hardware and headers
// hold an element: 5 bits for each data lane, lane i at bits [5*(7-i) +: 5].
func Positions256(h uint64) uint64 { return fallback.Positions[uint32](h) }

// Query reports whether the hash h is present: true for every member, and for a false positive. It
// is portable Go on every CPU, because the call of assembly costs more than it saves: see the single
// keys in the documentation of this package.
func (t Table256) Query(h uint64) bool { return fallback.Query(lanes256(t), h) }

// Insert inserts the hash h and reports whether it was present before.
func (t Table256) Insert(h uint64) bool { return run256.Insert256(t, h) }

// Delete deletes the hash h, which must be a member: see the contract of deletion in the package
// documentation. Where h is not present, nothing is touched and the status is Absent.
func (t Table256) Delete(h uint64) Status { return run256.Delete256(t, h) }

// QueryBatch queries the hashes: bit i of hits[i/64] says whether hashes[i] is present. It returns
// the number present.
func (t Table256) QueryBatch(hashes, hits []uint64) int {
	return run256.QueryBatch256(t, hashes, hits)
}

// InsertBatch inserts the hashes: bit i of hits[i/64] says whether hashes[i] was present just
// before its own insert. It returns the number that were.
func (t Table256) InsertBatch(hashes, hits []uint64) int {
	return active.InsertBatch256(t, hashes, hits)
}

// DeleteBatch deletes the hashes, which must be members: status[i] is the status of hashes[i]. It
// returns the number that were Deleted, which Retained ones are not.
func (t Table256) DeleteBatch(hashes []uint64, status []Status) int {
	return run256.DeleteBatch256(t, hashes, status)
}

// Merge merges the table u into t, so that the members of both are members of t. It panics where
// the lengths differ, or where u is t. Of tables that were only inserted into, the result is the
// table of all the inserts.
func (t Table256) Merge(u Table256) { active.Merge256(t, u) }

// Count returns the number of data bits that are set, of 7*32 a block, and the number of regions
// that are collided, of 32 a block.
func (t Table256) Count() (ones, collided int) { return fallback.Count(lanes256(t)) }

// Reset empties the table.
func (t Table256) Reset() { clear(t) }

// Query reports whether every bit of mask is set in b, those of lane 0 included.
func (b *Block256) Query(mask *Block256) bool { return run256.QueryMask256(b, mask) }

// Insert sets the bits of mask in b, those of lane 0 included, marks the regions of the data bits
// that were set already, and reports whether all bits of mask were set before.
func (b *Block256) Insert(mask *Block256) bool { return run256.InsertMask256(b, mask) }

// Delete clears the data bits of mask in b that lie in collision-free regions, if all data bits of
// mask are set. Lane 0 of mask is ignored.
func (b *Block256) Delete(mask *Block256) Status { return run256.DeleteMask256(b, mask) }

// Merge merges the block o into b, as [Table256.Merge] does for tables.
func (b *Block256) Merge(o *Block256) { run256.MergeBlock256(b, o) }

// MatchBatch matches the header b against the masks of many elements, one for a port: bit i of
// hits[i/64] says whether all bits of masks[i] are set in b. It returns the number that match.
func (b *Block256) MatchBatch(masks []Block256, hits []uint64) int {
	return run256.MatchBatch256(b, masks, hits)
}
