//go:build !purego

package kernel

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/fallback"
)

// detect returns the implementations that this CPU can run, the best first and purego last. Every
// arm64 that Go supports has Advanced SIMD.
func detect() []Implementation { return []Implementation{neon, purego} }

// secondLevelBytes returns 0, because arm64 has no instruction to ask with.
func secondLevelBytes() int { return 0 }

func inAssembly(im Implementation) bool { return im == neon }

// Each function below runs an operation on one implementation: see calls.go.

func query512(im Implementation, table [][8]uint64, h uint64) bool {
	if im == neon && len(table) > 0 { // else fallback panics, with the numbers
		return asm.Query512NEON(&table[0], len(table), h)
	}
	return fallback.Query(table, h)
}

func insert512(im Implementation, table [][8]uint64, h uint64) bool {
	if im == neon && len(table) > 0 { // else fallback panics, with the numbers
		return asm.Insert512NEON(&table[0], len(table), h)
	}
	return fallback.Insert(table, h)
}

func delete512(im Implementation, table [][8]uint64, h uint64) uint8 {
	if im == neon && len(table) > 0 { // else fallback panics, with the numbers
		return asm.Delete512NEON(&table[0], len(table), h)
	}
	return fallback.Delete(table, h)
}

//go:noinline
func queryCall512(_ Implementation, table [][8]uint64, hashes []uint64, p *pipeline, hits *uint64) int {
	return asm.QueryBatch512NEON(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func insertCall512(_ Implementation, table [][8]uint64, hashes []uint64, p *pipeline, hits *uint64) int {
	return asm.InsertBatch512NEON(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func deleteCall512(_ Implementation, table [][8]uint64, hashes []uint64, p *pipeline, status *uint8) int {
	return asm.DeleteBatch512NEON(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
}

//go:noinline
func fetchCall512(_ Implementation, table [][8]uint64, hashes []uint64) {
	asm.Fetch512NEON(&table[0], len(table), &hashes[0], len(hashes))
}

//go:noinline
func mergeCall512(_ Implementation, table, other [][8]uint64, fetch int) {
	asm.Merge512NEON(&table[0], &other[0], len(table), fetch)
}

//go:noinline
func matchCall512(_ Implementation, block *[8]uint64, masks [][8]uint64, hits *uint64) int {
	return asm.MatchBatch512NEON(block, &masks[0], len(masks), hits)
}

func query256(im Implementation, table [][8]uint32, h uint64) bool {
	if im == neon && len(table) > 0 { // else fallback panics, with the numbers
		return asm.Query256NEON(&table[0], len(table), h)
	}
	return fallback.Query(table, h)
}

func insert256(im Implementation, table [][8]uint32, h uint64) bool {
	if im == neon && len(table) > 0 { // else fallback panics, with the numbers
		return asm.Insert256NEON(&table[0], len(table), h)
	}
	return fallback.Insert(table, h)
}

func delete256(im Implementation, table [][8]uint32, h uint64) uint8 {
	if im == neon && len(table) > 0 { // else fallback panics, with the numbers
		return asm.Delete256NEON(&table[0], len(table), h)
	}
	return fallback.Delete(table, h)
}

//go:noinline
func queryCall256(_ Implementation, table [][8]uint32, hashes []uint64, p *pipeline, hits *uint64) int {
	return asm.QueryBatch256NEON(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func insertCall256(_ Implementation, table [][8]uint32, hashes []uint64, p *pipeline, hits *uint64) int {
	return asm.InsertBatch256NEON(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func deleteCall256(_ Implementation, table [][8]uint32, hashes []uint64, p *pipeline, status *uint8) int {
	return asm.DeleteBatch256NEON(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
}

//go:noinline
func fetchCall256(_ Implementation, table [][8]uint32, hashes []uint64) {
	asm.Fetch256NEON(&table[0], len(table), &hashes[0], len(hashes))
}

//go:noinline
func mergeCall256(_ Implementation, table, other [][8]uint32, fetch int) {
	asm.Merge256NEON(&table[0], &other[0], len(table), fetch)
}

//go:noinline
func matchCall256(_ Implementation, block *[8]uint32, masks [][8]uint32, hits *uint64) int {
	return asm.MatchBatch256NEON(block, &masks[0], len(masks), hits)
}
