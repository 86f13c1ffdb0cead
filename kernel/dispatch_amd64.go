//go:build amd64 && !purego

package kernel

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/klauspost/cpuid/v2"
)

// detect returns the implementations that this CPU can run, the best first and purego last. A
// feature counts only where the operating system saves the registers that it needs.
func detect() []Implementation {
	var all []Implementation
	if hasAll(asm.FeaturesAVX512[:]) {
		all = append(all, avx512)
	}
	if hasAll(asm.FeaturesAVX2[:]) {
		all = append(all, avx2)
	}
	return append(all, purego)
}

// secondLevelBytes returns the size of the second-level cache of a core.
func secondLevelBytes() int { return max(0, cpuid.CPU.Cache.L2) }

func hasAll(features []string) bool {
	for _, name := range features {
		if !cpuid.CPU.Has(cpuid.ParseFeature(name)) {
			return false
		}
	}
	return true
}

func inAssembly(im Implementation) bool { return im == avx2 || im == avx512 }

// Each function below runs an operation on one implementation: see calls.go.

func query512(im Implementation, table [][8]uint64, h uint64) bool {
	if len(table) > 0 { // else fallback panics, with the numbers
		switch im {
		case avx512:
			return asm.Query512AVX512(&table[0], len(table), h)
		case avx2:
			return asm.Query512AVX2(&table[0], len(table), h)
		}
	}
	return fallback.Query(table, h)
}

func insert512(im Implementation, table [][8]uint64, h uint64) bool {
	if len(table) > 0 { // else fallback panics, with the numbers
		switch im {
		case avx512:
			return asm.Insert512AVX512(&table[0], len(table), h)
		case avx2:
			return asm.Insert512AVX2(&table[0], len(table), h)
		}
	}
	return fallback.Insert(table, h)
}

func delete512(im Implementation, table [][8]uint64, h uint64) uint8 {
	if len(table) > 0 { // else fallback panics, with the numbers
		switch im {
		case avx512:
			return asm.Delete512AVX512(&table[0], len(table), h)
		case avx2:
			return asm.Delete512AVX2(&table[0], len(table), h)
		}
	}
	return fallback.Delete(table, h)
}

//go:noinline
func queryCall512(im Implementation, table [][8]uint64, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.QueryBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.QueryBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func insertCall512(im Implementation, table [][8]uint64, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.InsertBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.InsertBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func deleteCall512(im Implementation, table [][8]uint64, hashes []uint64, p *pipeline, status *uint8) int {
	if im == avx512 {
		return asm.DeleteBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
	}
	return asm.DeleteBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
}

//go:noinline
func fetchCall512(im Implementation, table [][8]uint64, hashes []uint64) {
	if im == avx512 {
		asm.Fetch512AVX512(&table[0], len(table), &hashes[0], len(hashes))
	} else {
		asm.Fetch512AVX2(&table[0], len(table), &hashes[0], len(hashes))
	}
}

//go:noinline
func mergeCall512(im Implementation, table, other [][8]uint64, fetch int) {
	if im == avx512 {
		asm.Merge512AVX512(&table[0], &other[0], len(table), fetch)
	} else {
		asm.Merge512AVX2(&table[0], &other[0], len(table), fetch)
	}
}

//go:noinline
func matchCall512(im Implementation, block *[8]uint64, masks [][8]uint64, hits *uint64) int {
	if im == avx512 {
		return asm.MatchBatch512AVX512(block, &masks[0], len(masks), hits)
	}
	return asm.MatchBatch512AVX2(block, &masks[0], len(masks), hits)
}

func query256(im Implementation, table [][8]uint32, h uint64) bool {
	if len(table) > 0 { // else fallback panics, with the numbers
		switch im {
		case avx512:
			return asm.Query256AVX512(&table[0], len(table), h)
		case avx2:
			return asm.Query256AVX2(&table[0], len(table), h)
		}
	}
	return fallback.Query(table, h)
}

func insert256(im Implementation, table [][8]uint32, h uint64) bool {
	if len(table) > 0 { // else fallback panics, with the numbers
		switch im {
		case avx512:
			return asm.Insert256AVX512(&table[0], len(table), h)
		case avx2:
			return asm.Insert256AVX2(&table[0], len(table), h)
		}
	}
	return fallback.Insert(table, h)
}

func delete256(im Implementation, table [][8]uint32, h uint64) uint8 {
	if len(table) > 0 { // else fallback panics, with the numbers
		switch im {
		case avx512:
			return asm.Delete256AVX512(&table[0], len(table), h)
		case avx2:
			return asm.Delete256AVX2(&table[0], len(table), h)
		}
	}
	return fallback.Delete(table, h)
}

//go:noinline
func queryCall256(im Implementation, table [][8]uint32, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.QueryBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.QueryBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func insertCall256(im Implementation, table [][8]uint32, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.InsertBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.InsertBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

//go:noinline
func deleteCall256(im Implementation, table [][8]uint32, hashes []uint64, p *pipeline, status *uint8) int {
	if im == avx512 {
		return asm.DeleteBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
	}
	return asm.DeleteBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
}

//go:noinline
func fetchCall256(im Implementation, table [][8]uint32, hashes []uint64) {
	if im == avx512 {
		asm.Fetch256AVX512(&table[0], len(table), &hashes[0], len(hashes))
	} else {
		asm.Fetch256AVX2(&table[0], len(table), &hashes[0], len(hashes))
	}
}

//go:noinline
func mergeCall256(im Implementation, table, other [][8]uint32, fetch int) {
	if im == avx512 {
		asm.Merge256AVX512(&table[0], &other[0], len(table), fetch)
	} else {
		asm.Merge256AVX2(&table[0], &other[0], len(table), fetch)
	}
}

//go:noinline
func matchCall256(im Implementation, block *[8]uint32, masks [][8]uint32, hits *uint64) int {
	if im == avx512 {
		return asm.MatchBatch256AVX512(block, &masks[0], len(masks), hits)
	}
	return asm.MatchBatch256AVX2(block, &masks[0], len(masks), hits)
}
