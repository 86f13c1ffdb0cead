//go:build !purego

package main

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/bench/encodings/encoding"
	"github.com/bloomlane/bloomlane/bench/encodings/variants"
	"github.com/bloomlane/bloomlane/kernel"
)

// prefetch is how far ahead, in keys, batches over large tables prefetch: package kernel's choice.
const prefetch = 64

type (
	hitsBatch   = func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int, hits *uint64) int
	statusBatch = func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int, status *uint8) int
)

// assembly returns the contenders in assembly that this CPU can run.
func assembly() (all []contender) {
	kernels := func(e encoding.Encoding, kind string, query hitsBatch, remove statusBatch, insert hitsBatch) contender {
		hits := func(run hitsBatch) stream {
			return func(blocks []encoding.Block, hashes []uint64) {
				fetch := ahead(blocks, hashes)
				run(&blocks[0], len(blocks), unsafe.SliceData(hashes), len(hashes), fetch, prefetch, nil)
			}
		}
		return contender{e, kind, [3]stream{
			hits(query),
			func(blocks []encoding.Block, hashes []uint64) {
				fetch := ahead(blocks, hashes)
				remove(&blocks[0], len(blocks), unsafe.SliceData(hashes), len(hashes), fetch, prefetch, nil)
			},
			hits(insert),
		}}
	}
	one, two, three := encoding.Lanes(1), encoding.Lanes(2), encoding.Lanes(3)
	for _, c := range []contender{
		kernels(one, "avx2", asm.QueryBatch512AVX2, asm.DeleteBatch512AVX2, asm.InsertBatch512AVX2),
		kernels(two, "avx2", variants.QueryBatch512Collision2AVX2, variants.DeleteBatch512Collision2AVX2, variants.InsertBatch512Collision2AVX2),
		kernels(three, "avx2", variants.QueryBatch512Collision3AVX2, variants.DeleteBatch512Collision3AVX2, variants.InsertBatch512Collision3AVX2),
		kernels(one, "avx2"+control, variants.QueryBatch512AVX2, variants.DeleteBatch512AVX2, variants.InsertBatch512AVX2),
		kernels(one, "avx512", asm.QueryBatch512AVX512, asm.DeleteBatch512AVX512, asm.InsertBatch512AVX512),
		kernels(two, "avx512", variants.QueryBatch512Collision2AVX512, variants.DeleteBatch512Collision2AVX512, variants.InsertBatch512Collision2AVX512),
		kernels(three, "avx512", variants.QueryBatch512Collision3AVX512, variants.DeleteBatch512Collision3AVX512, variants.InsertBatch512Collision3AVX512),
		kernels(one, "avx512"+control, variants.QueryBatch512AVX512, variants.DeleteBatch512AVX512, variants.InsertBatch512AVX512),
	} {
		set := strings.TrimSuffix(c.kind, control)
		if slices.ContainsFunc(kernel.Implementations(), func(im kernel.Implementation) bool { return im.String() == set }) {
			all = append(all, c)
		}
	}
	return all
}

// ahead returns how many of the hashes have the block of a later one prefetched beside them: none, where
// the table is in the cache anyway.
func ahead(blocks []encoding.Block, hashes []uint64) int {
	if len(blocks)*int(unsafe.Sizeof(blocks[0])) < warmBytes {
		return 0
	}
	return max(0, len(hashes)-prefetch)
}
