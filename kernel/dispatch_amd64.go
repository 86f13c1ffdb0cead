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

// Each function below runs an operation on one implementation.

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
		o := hitWord(hits, p.start)
		if im == avx512 {
			count += asm.QueryBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		} else {
			count += asm.QueryBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		}
	}
	return count
}

func insertBatch512(im Implementation, table [][8]uint64, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.InsertBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch512(im, table, hashes[:p.ahead()])
	for p.next() {
		o := hitWord(hits, p.start)
		if im == avx512 {
			count += asm.InsertBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		} else {
			count += asm.InsertBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		}
	}
	return count
}

func deleteBatch512(im Implementation, table [][8]uint64, hashes []uint64, status []uint8) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.DeleteBatch(table, hashes, status)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch512(im, table, hashes[:p.ahead()])
	for p.next() {
		o := statusAt(status, p.start)
		if im == avx512 {
			count += asm.DeleteBatch512AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		} else {
			count += asm.DeleteBatch512AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		}
	}
	return count
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
		n, fetch := min(len(table), callBlocks), 0
		if large {
			fetch = n
		}
		if im == avx512 {
			asm.Merge512AVX512(&table[0], &other[0], n, fetch)
		} else {
			asm.Merge512AVX2(&table[0], &other[0], n, fetch)
		}
		table, other = table[n:], other[n:]
	}
}

func matchBatch512(im Implementation, block *[8]uint64, masks [][8]uint64, hits []uint64) (count int) {
	if im != avx2 && im != avx512 {
		return fallback.MatchBatch(block, masks, hits)
	}
	for start := 0; start < len(masks); start += callBlocks {
		n := min(len(masks)-start, callBlocks)
		o := hitWord(hits, start)
		if im == avx512 {
			count += asm.MatchBatch512AVX512(block, &masks[start], n, o)
		} else {
			count += asm.MatchBatch512AVX2(block, &masks[start], n, o)
		}
	}
	return count
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
		o := hitWord(hits, p.start)
		if im == avx512 {
			count += asm.QueryBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		} else {
			count += asm.QueryBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		}
	}
	return count
}

func insertBatch256(im Implementation, table [][8]uint32, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.InsertBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch256(im, table, hashes[:p.ahead()])
	for p.next() {
		o := hitWord(hits, p.start)
		if im == avx512 {
			count += asm.InsertBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		} else {
			count += asm.InsertBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		}
	}
	return count
}

func deleteBatch256(im Implementation, table [][8]uint32, hashes []uint64, status []uint8) (count int) {
	if len(hashes) == 0 || im != avx2 && im != avx512 {
		return fallback.DeleteBatch(table, hashes, status)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	fetch256(im, table, hashes[:p.ahead()])
	for p.next() {
		o := statusAt(status, p.start)
		if im == avx512 {
			count += asm.DeleteBatch256AVX512(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		} else {
			count += asm.DeleteBatch256AVX2(&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance, o)
		}
	}
	return count
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
		n, fetch := min(len(table), callBlocks), 0
		if large {
			fetch = n
		}
		if im == avx512 {
			asm.Merge256AVX512(&table[0], &other[0], n, fetch)
		} else {
			asm.Merge256AVX2(&table[0], &other[0], n, fetch)
		}
		table, other = table[n:], other[n:]
	}
}

func matchBatch256(im Implementation, block *[8]uint32, masks [][8]uint32, hits []uint64) (count int) {
	if im != avx2 && im != avx512 {
		return fallback.MatchBatch(block, masks, hits)
	}
	for start := 0; start < len(masks); start += callBlocks {
		n := min(len(masks)-start, callBlocks)
		o := hitWord(hits, start)
		if im == avx512 {
			count += asm.MatchBatch256AVX512(block, &masks[start], n, o)
		} else {
			count += asm.MatchBatch256AVX2(block, &masks[start], n, o)
		}
	}
	return count
}
