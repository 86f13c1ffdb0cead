//go:build (amd64 || arm64) && !purego

package kernel

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// This file cuts what is long into calls of assembly, the same way on every architecture that has
// any; dispatch_amd64.go and dispatch_arm64.go make the calls. A function there with Call in its name
// makes one of them, and is not inlined: a goroutine that is to stop does so where it enters such a
// function, and nowhere else in a batch, because hardly a signal finds it between two calls.

func queryBatch512(im Implementation, table [][8]uint64, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || !inAssembly(im) {
		return fallback.QueryBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	if ahead := p.ahead(); ahead > 0 {
		fetchCall512(im, table, hashes[:ahead])
	}
	for p.next() {
		count += queryCall512(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

func insertBatch512(im Implementation, table [][8]uint64, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || !inAssembly(im) {
		return fallback.InsertBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	if ahead := p.ahead(); ahead > 0 {
		fetchCall512(im, table, hashes[:ahead])
	}
	for p.next() {
		count += insertCall512(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

func deleteBatch512(im Implementation, table [][8]uint64, hashes []uint64, status []uint8) (count int) {
	if len(hashes) == 0 || !inAssembly(im) {
		return fallback.DeleteBatch(table, hashes, status)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	if ahead := p.ahead(); ahead > 0 {
		fetchCall512(im, table, hashes[:ahead])
	}
	for p.next() {
		count += deleteCall512(im, table, hashes, &p, statusAt(status, p.start))
	}
	return count
}

func merge512(im Implementation, table, other [][8]uint64) {
	if !inAssembly(im) {
		fallback.Merge(table, other)
		return
	}
	// The table's size decides once, not that of each part.
	large := uintptr(len(table))*unsafe.Sizeof([8]uint64{}) >= fetchBytes
	for len(table) > 0 {
		n := min(len(table), callBlocks)
		fetch := 0
		if large {
			fetch = n
		}
		mergeCall512(im, table[:n], other[:n], fetch)
		table, other = table[n:], other[n:]
	}
}

func matchBatch512(im Implementation, block *[8]uint64, masks [][8]uint64, hits []uint64) (count int) {
	if !inAssembly(im) {
		return fallback.MatchBatch(block, masks, hits)
	}
	for start := 0; start < len(masks); start += callBlocks {
		count += matchCall512(im, block, masks[start:min(start+callBlocks, len(masks))], hitWord(hits, start))
	}
	return count
}

func queryBatch256(im Implementation, table [][8]uint32, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || !inAssembly(im) {
		return fallback.QueryBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	if ahead := p.ahead(); ahead > 0 {
		fetchCall256(im, table, hashes[:ahead])
	}
	for p.next() {
		count += queryCall256(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

func insertBatch256(im Implementation, table [][8]uint32, hashes, hits []uint64) (count int) {
	if len(hashes) == 0 || !inAssembly(im) {
		return fallback.InsertBatch(table, hashes, hits)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	if ahead := p.ahead(); ahead > 0 {
		fetchCall256(im, table, hashes[:ahead])
	}
	for p.next() {
		count += insertCall256(im, table, hashes, &p, hitWord(hits, p.start))
	}
	return count
}

func deleteBatch256(im Implementation, table [][8]uint32, hashes []uint64, status []uint8) (count int) {
	if len(hashes) == 0 || !inAssembly(im) {
		return fallback.DeleteBatch(table, hashes, status)
	}
	p := newPipeline(len(hashes), uintptr(len(table))*unsafe.Sizeof(table[0]))
	if ahead := p.ahead(); ahead > 0 {
		fetchCall256(im, table, hashes[:ahead])
	}
	for p.next() {
		count += deleteCall256(im, table, hashes, &p, statusAt(status, p.start))
	}
	return count
}

func merge256(im Implementation, table, other [][8]uint32) {
	if !inAssembly(im) {
		fallback.Merge(table, other)
		return
	}
	// The table's size decides once, not that of each part.
	large := uintptr(len(table))*unsafe.Sizeof([8]uint32{}) >= fetchBytes
	for len(table) > 0 {
		n := min(len(table), callBlocks)
		fetch := 0
		if large {
			fetch = n
		}
		mergeCall256(im, table[:n], other[:n], fetch)
		table, other = table[n:], other[n:]
	}
}

func matchBatch256(im Implementation, block *[8]uint32, masks [][8]uint32, hits []uint64) (count int) {
	if !inAssembly(im) {
		return fallback.MatchBatch(block, masks, hits)
	}
	for start := 0; start < len(masks); start += callBlocks {
		count += matchCall256(im, block, masks[start:min(start+callBlocks, len(masks))], hitWord(hits, start))
	}
	return count
}
