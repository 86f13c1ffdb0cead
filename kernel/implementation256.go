package kernel

import "github.com/bloomlane/bloomlane/fallback"

// The operations of Table256 and Block256: see there.

// Query256 is [Table256.Query].
func (im Implementation) Query256(t Table256, h uint64) bool { return query256(im, lanes256(t), h) }

// Insert256 is [Table256.Insert].
func (im Implementation) Insert256(t Table256, h uint64) bool { return insert256(im, lanes256(t), h) }

// Delete256 is [Table256.Delete].
func (im Implementation) Delete256(t Table256, h uint64) Status {
	return Status(delete256(im, lanes256(t), h))
}

// QueryBatch256 is [Table256.QueryBatch].
func (im Implementation) QueryBatch256(t Table256, hashes, hits []uint64) int {
	hits = hitWords("QueryBatch", len(t), len(hashes), hits)
	return queryBatch256(im, lanes256(t), hashes, hits)
}

// InsertBatch256 is [Table256.InsertBatch].
func (im Implementation) InsertBatch256(t Table256, hashes, hits []uint64) int {
	hits = hitWords("InsertBatch", len(t), len(hashes), hits)
	return insertBatch256(im, lanes256(t), hashes, hits)
}

// DeleteBatch256 is [Table256.DeleteBatch].
func (im Implementation) DeleteBatch256(t Table256, hashes []uint64, status []Status) int {
	status = statuses("DeleteBatch", len(t), len(hashes), status)
	return deleteBatch256(im, lanes256(t), hashes, bytes(status))
}

// Merge256 is [Table256.Merge].
func (im Implementation) Merge256(t, u Table256) {
	requireMergeable(len(t), len(u), len(t) > 0 && len(u) > 0 && &t[0] == &u[0])
	merge256(im, lanes256(t), lanes256(u))
}

// QueryMask256 is [Block256.Query].
func (im Implementation) QueryMask256(b, mask *Block256) bool {
	return fallback.QueryMask((*[8]uint32)(b), (*[8]uint32)(mask))
}

// InsertMask256 is [Block256.Insert].
func (im Implementation) InsertMask256(b, mask *Block256) bool {
	return fallback.InsertMask((*[8]uint32)(b), (*[8]uint32)(mask))
}

// DeleteMask256 is [Block256.Delete].
func (im Implementation) DeleteMask256(b, mask *Block256) Status {
	return Status(fallback.DeleteMask((*[8]uint32)(b), (*[8]uint32)(mask)))
}

// MergeBlock256 is [Block256.Merge].
func (im Implementation) MergeBlock256(b, o *Block256) {
	requireBlock("Merge", b != nil && o != nil)
	fallback.MergeBlock((*[8]uint32)(b), (*[8]uint32)(o))
}

// MatchBatch256 is [Block256.MatchBatch].
func (im Implementation) MatchBatch256(b *Block256, masks []Block256, hits []uint64) int {
	requireBlock("MatchBatch", b != nil)
	hits = hitWords("MatchBatch", 1, len(masks), hits)
	return matchBatch256(im, (*[8]uint32)(b), lanes256(masks), hits)
}
