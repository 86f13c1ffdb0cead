package kernel

import "github.com/bloomlane/bloomlane/fallback"

// The operations of Table512 and Block512: see there.

// Query512 is [Table512.Query].
func (im Implementation) Query512(t Table512, h uint64) bool { return query512(im, lanes512(t), h) }

// Insert512 is [Table512.Insert].
func (im Implementation) Insert512(t Table512, h uint64) bool { return insert512(im, lanes512(t), h) }

// Delete512 is [Table512.Delete].
func (im Implementation) Delete512(t Table512, h uint64) Status {
	return Status(delete512(im, lanes512(t), h))
}

// QueryBatch512 is [Table512.QueryBatch].
func (im Implementation) QueryBatch512(t Table512, hashes, hits []uint64) int {
	hits = hitWords("QueryBatch", len(t), len(hashes), hits)
	return queryBatch512(im, lanes512(t), hashes, hits)
}

// InsertBatch512 is [Table512.InsertBatch].
func (im Implementation) InsertBatch512(t Table512, hashes, hits []uint64) int {
	hits = hitWords("InsertBatch", len(t), len(hashes), hits)
	return insertBatch512(im, lanes512(t), hashes, hits)
}

// DeleteBatch512 is [Table512.DeleteBatch].
func (im Implementation) DeleteBatch512(t Table512, hashes []uint64, status []Status) int {
	status = statuses("DeleteBatch", len(t), len(hashes), status)
	return deleteBatch512(im, lanes512(t), hashes, bytes(status))
}

// Merge512 is [Table512.Merge].
func (im Implementation) Merge512(t, u Table512) {
	requireMergeable(len(t), len(u), len(t) > 0 && len(u) > 0 && &t[0] == &u[0])
	merge512(im, lanes512(t), lanes512(u))
}

// QueryMask512 is [Block512.Query].
func (im Implementation) QueryMask512(b, mask *Block512) bool {
	return fallback.QueryMask((*[8]uint64)(b), (*[8]uint64)(mask))
}

// InsertMask512 is [Block512.Insert].
func (im Implementation) InsertMask512(b, mask *Block512) bool {
	return fallback.InsertMask((*[8]uint64)(b), (*[8]uint64)(mask))
}

// DeleteMask512 is [Block512.Delete].
func (im Implementation) DeleteMask512(b, mask *Block512) Status {
	return Status(fallback.DeleteMask((*[8]uint64)(b), (*[8]uint64)(mask)))
}

// MergeBlock512 is [Block512.Merge].
func (im Implementation) MergeBlock512(b, o *Block512) {
	requireBlock("Merge", b != nil && o != nil)
	fallback.MergeBlock((*[8]uint64)(b), (*[8]uint64)(o))
}

// MatchBatch512 is [Block512.MatchBatch].
func (im Implementation) MatchBatch512(b *Block512, masks []Block512, hits []uint64) int {
	requireBlock("MatchBatch", b != nil)
	hits = hitWords("MatchBatch", 1, len(masks), hits)
	return matchBatch512(im, (*[8]uint64)(b), lanes512(masks), hits)
}
