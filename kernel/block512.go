package kernel

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// Block512 is a block of 8 lanes of 64 bits, lane 0 first: the collision lane and seven data lanes.
// It is one cache line of a table. As the argument of an operation it is a mask,
// which may have any bits set; one with none is present, and Retained when deleted.
type Block512 [8]uint64

// Table512 is a table of blocks. Any slice will do, aligned to a cache line or not; on one that
// starts at a cache line, as [NewTable512] gives it, a key costs one cache line.
type Table512 []Block512

// NewTable512 returns an empty table of nblocks blocks that starts at a cache line. It panics where
// nblocks is below 1 or beyond the address space.
func NewTable512(nblocks int) Table512 {
	requireSize(nblocks, int(unsafe.Sizeof(Block512{})))
	return newTable[Block512](nblocks)
}

// Mask512 returns the mask of the hash h: one bit in each data lane, the same in every table.
func Mask512(h uint64) Block512 { return fallback.Mask[uint64](h) }

// Positions512 returns the stored positions of the hash h, the form in which hardware and headers
// hold an element: 6 bits for each data lane, lane i at bits [6*(7-i) +: 6].
func Positions512(h uint64) uint64 { return fallback.Positions[uint64](h) }

// Query reports whether the hash h is present: true for every member, and for a false positive. It
// is portable Go on every CPU, because the call of assembly costs more than it saves: see the single
// keys in the documentation of this package.
func (t Table512) Query(h uint64) bool { return fallback.Query(lanes512(t), h) }

// Insert inserts the hash h and reports whether it was present before.
func (t Table512) Insert(h uint64) bool { return run512.Insert512(t, h) }

// Delete deletes the hash h, which must be a member: see the contract of deletion in the package
// documentation. Where h is not present, nothing is touched and the status is Absent.
func (t Table512) Delete(h uint64) Status { return run512.Delete512(t, h) }

// QueryBatch queries the hashes: bit i of hits[i/64] says whether hashes[i] is present. It returns
// the number present.
func (t Table512) QueryBatch(hashes, hits []uint64) int {
	return run512.QueryBatch512(t, hashes, hits)
}

// InsertBatch inserts the hashes: bit i of hits[i/64] says whether hashes[i] was present just
// before its own insert. It returns the number that were.
func (t Table512) InsertBatch(hashes, hits []uint64) int {
	return run512.InsertBatch512(t, hashes, hits)
}

// DeleteBatch deletes the hashes, which must be members: status[i] is the status of hashes[i]. It
// returns the number that were Deleted, which Retained ones are not.
func (t Table512) DeleteBatch(hashes []uint64, status []Status) int {
	return run512.DeleteBatch512(t, hashes, status)
}

// Merge merges the table u into t, so that the members of both are members of t. It panics where
// the lengths differ, or where u is t. Of tables that were only inserted into, the result is the
// table of all the inserts.
func (t Table512) Merge(u Table512) { run512.Merge512(t, u) }

// Count returns the number of data bits that are set, of 7*64 a block, and the number of regions
// that are collided, of 64 a block.
func (t Table512) Count() (ones, collided int) { return fallback.Count(lanes512(t)) }

// Reset empties the table.
func (t Table512) Reset() { clear(t) }

// Query reports whether every bit of mask is set in b, those of lane 0 included.
func (b *Block512) Query(mask *Block512) bool { return run512.QueryMask512(b, mask) }

// Insert sets the bits of mask in b, those of lane 0 included, marks the regions of the data bits
// that were set already, and reports whether all bits of mask were set before.
func (b *Block512) Insert(mask *Block512) bool { return run512.InsertMask512(b, mask) }

// Delete clears the data bits of mask in b that lie in collision-free regions, if all data bits of
// mask are set. Lane 0 of mask is ignored.
func (b *Block512) Delete(mask *Block512) Status { return run512.DeleteMask512(b, mask) }

// Merge merges the block o into b, as [Table512.Merge] does for tables.
func (b *Block512) Merge(o *Block512) { run512.MergeBlock512(b, o) }

// MatchBatch matches the header b against the masks of many elements, one for a port: bit i of
// hits[i/64] says whether all bits of masks[i] are set in b. It returns the number that match.
func (b *Block512) MatchBatch(masks []Block512, hits []uint64) int {
	return run512.MatchBatch512(b, masks, hits)
}
