//go:build !(amd64 || arm64) || purego

package kernel

import "github.com/bloomlane/bloomlane/fallback"

// detect returns the implementations that this program has: there is no assembly for this CPU, or
// the tag purego leaves it out.
func detect() []Implementation { return []Implementation{purego} }

// secondLevelBytes returns 0: portable Go has its own way to prefetch.
func secondLevelBytes() int { return 0 }

func query512(im Implementation, table [][8]uint64, h uint64) bool {
	return fallback.Query(table, h)
}

func insert512(im Implementation, table [][8]uint64, h uint64) bool {
	return fallback.Insert(table, h)
}

func delete512(im Implementation, table [][8]uint64, h uint64) uint8 {
	return fallback.Delete(table, h)
}

func queryBatch512(im Implementation, table [][8]uint64, hashes, hits []uint64) int {
	return fallback.QueryBatch(table, hashes, hits)
}

func insertBatch512(im Implementation, table [][8]uint64, hashes, hits []uint64) int {
	return fallback.InsertBatch(table, hashes, hits)
}

func deleteBatch512(im Implementation, table [][8]uint64, hashes []uint64, status []uint8) int {
	return fallback.DeleteBatch(table, hashes, status)
}

func merge512(im Implementation, table, other [][8]uint64) { fallback.Merge(table, other) }

func matchBatch512(im Implementation, block *[8]uint64, masks [][8]uint64, hits []uint64) int {
	return fallback.MatchBatch(block, masks, hits)
}

func query256(im Implementation, table [][8]uint32, h uint64) bool {
	return fallback.Query(table, h)
}

func insert256(im Implementation, table [][8]uint32, h uint64) bool {
	return fallback.Insert(table, h)
}

func delete256(im Implementation, table [][8]uint32, h uint64) uint8 {
	return fallback.Delete(table, h)
}

func queryBatch256(im Implementation, table [][8]uint32, hashes, hits []uint64) int {
	return fallback.QueryBatch(table, hashes, hits)
}

func insertBatch256(im Implementation, table [][8]uint32, hashes, hits []uint64) int {
	return fallback.InsertBatch(table, hashes, hits)
}

func deleteBatch256(im Implementation, table [][8]uint32, hashes []uint64, status []uint8) int {
	return fallback.DeleteBatch(table, hashes, status)
}

func merge256(im Implementation, table, other [][8]uint32) { fallback.Merge(table, other) }

func matchBatch256(im Implementation, block *[8]uint32, masks [][8]uint32, hits []uint64) int {
	return fallback.MatchBatch(block, masks, hits)
}
