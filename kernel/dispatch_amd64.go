//go:build amd64 && !purego

package kernel

import (
	"unsafe"

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

func hasAll(features []string) bool {
	for _, name := range features {
		if !cpuid.CPU.Has(cpuid.ParseFeature(name)) {
			return false
		}
	}
	return true
}

// Each function below runs an operation on one implementation. Those whose names have Call in them
// make one call of assembly, and are not inlined: a goroutine that is to stop does so where it enters
// such a function, and nowhere else in a batch, because hardly a signal finds it between two calls.

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

func queryBatch512(im Implementation, table [][8]uint64, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.QueryBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch512(im, table, hashes[:p.ahead()])
	for p.next() {
		count += queryCall512(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

//go:noinline
func queryCall512(im Implementation, table [][8]uint64, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.QueryBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.QueryBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

func insertBatch512(im Implementation, table [][8]uint64, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.InsertBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch512(im, table, hashes[:p.ahead()])
	for p.next() {
		count += insertCall512(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

//go:noinline
func insertCall512(im Implementation, table [][8]uint64, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.InsertBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.InsertBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

func deleteBatch512(im Implementation, table [][8]uint64, hashes []uint64, status []uint8) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.DeleteBatch(table, hashes, status)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch512(im, table, hashes[:p.ahead()])
	for p.next() {
		count += deleteCall512(im, table, hashes, &p, statusAt(status, p.start))
	}
	return count
}

//go:noinline
func deleteCall512(im Implementation, table [][8]uint64, hashes []uint64, p *pipeline, status *uint8) int {
	if im == avx512 {
		return asm.DeleteBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
	}
	return asm.DeleteBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
}

// fetch512 prefetches the blocks of the first hashes of a batch.
func fetch512(im Implementation, table [][8]uint64, hashes []uint64) {
	if len(hashes) == 0 {
		return
	}
	if im == avx512 {
		asm.Fetch512AVX512(&table[0], len(table), &hashes[0], len(hashes))
	} else {
		asm.Fetch512AVX2(&table[0], len(table), &hashes[0], len(hashes))
	}
}

func merge512(im Implementation, table, other [][8]uint64) {
	if im != avx2 && im != avx512 {
		fallback.Merge(table, other)
		return
	}
	// The table's size decides once, not that of each part.
	large := uintptr(len(table))*unsafe.Sizeof([8]uint64{}) >= fetchBytes
	for len(table) > 0 {
		n := min(len(table), callBlocks)
		mergeCall512(im, table[:n], other[:n], large)
		table, other = table[n:], other[n:]
	}
}

//go:noinline
func mergeCall512(im Implementation, table, other [][8]uint64, large bool) {
	n, fetch := len(table), 0
	if large {
		fetch = n
	}
	if im == avx512 {
		asm.Merge512AVX512(&table[0], &other[0], n, fetch)
	} else {
		asm.Merge512AVX2(&table[0], &other[0], n, fetch)
	}
}

func matchBatch512(im Implementation, block *[8]uint64, masks [][8]uint64, hits []uint64) (count int) {
	if im != avx2 && im != avx512 {
		return fallback.MatchBatch(block, masks, hits)
	}
	for start := 0; start < len(masks); start += callBlocks {
		count += matchCall512(im, block, masks[start:min(start+callBlocks, len(masks))], hitWord(hits, start))
	}
	return count
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

func queryBatch256(im Implementation, table [][8]uint32, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.QueryBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch256(im, table, hashes[:p.ahead()])
	for p.next() {
		count += queryCall256(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

//go:noinline
func queryCall256(im Implementation, table [][8]uint32, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.QueryBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.QueryBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

func insertBatch256(im Implementation, table [][8]uint32, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.InsertBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch256(im, table, hashes[:p.ahead()])
	for p.next() {
		count += insertCall256(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

//go:noinline
func insertCall256(im Implementation, table [][8]uint32, hashes []uint64, p *pipeline, hits *uint64) int {
	if im == avx512 {
		return asm.InsertBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
	}
	return asm.InsertBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, hits)
}

func deleteBatch256(im Implementation, table [][8]uint32, hashes []uint64, status []uint8) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.DeleteBatch(table, hashes, status)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch256(im, table, hashes[:p.ahead()])
	for p.next() {
		count += deleteCall256(im, table, hashes, &p, statusAt(status, p.start))
	}
	return count
}

//go:noinline
func deleteCall256(im Implementation, table [][8]uint32, hashes []uint64, p *pipeline, status *uint8) int {
	if im == avx512 {
		return asm.DeleteBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
	}
	return asm.DeleteBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, status)
}

// fetch256 prefetches the blocks of the first hashes of a batch.
func fetch256(im Implementation, table [][8]uint32, hashes []uint64) {
	if len(hashes) == 0 {
		return
	}
	if im == avx512 {
		asm.Fetch256AVX512(&table[0], len(table), &hashes[0], len(hashes))
	} else {
		asm.Fetch256AVX2(&table[0], len(table), &hashes[0], len(hashes))
	}
}

func merge256(im Implementation, table, other [][8]uint32) {
	if im != avx2 && im != avx512 {
		fallback.Merge(table, other)
		return
	}
	// The table's size decides once, not that of each part.
	large := uintptr(len(table))*unsafe.Sizeof([8]uint32{}) >= fetchBytes
	for len(table) > 0 {
		n := min(len(table), callBlocks)
		mergeCall256(im, table[:n], other[:n], large)
		table, other = table[n:], other[n:]
	}
}

//go:noinline
func mergeCall256(im Implementation, table, other [][8]uint32, large bool) {
	n, fetch := len(table), 0
	if large {
		fetch = n
	}
	if im == avx512 {
		asm.Merge256AVX512(&table[0], &other[0], n, fetch)
	} else {
		asm.Merge256AVX2(&table[0], &other[0], n, fetch)
	}
}

func matchBatch256(im Implementation, block *[8]uint32, masks [][8]uint32, hits []uint64) (count int) {
	if im != avx2 && im != avx512 {
		return fallback.MatchBatch(block, masks, hits)
	}
	for start := 0; start < len(masks); start += callBlocks {
		count += matchCall256(im, block, masks[start:min(start+callBlocks, len(masks))], hitWord(hits, start))
	}
	return count
}

//go:noinline
func matchCall256(im Implementation, block *[8]uint32, masks [][8]uint32, hits *uint64) int {
	if im == avx512 {
		return asm.MatchBatch256AVX512(block, &masks[0], len(masks), hits)
	}
	return asm.MatchBatch256AVX2(block, &masks[0], len(masks), hits)
}
