//go:build !purego

package asm

// sets are the instruction sets of this architecture.
var sets = []set{{
	name:     "avx2",
	features: FeaturesAVX2[:],
	w512: kernels[uint64]{
		QueryBatch512AVX2, InsertBatch512AVX2, DeleteBatch512AVX2,
		Query512AVX2, Insert512AVX2, Delete512AVX2,
		Fetch512AVX2, Merge512AVX2, MatchBatch512AVX2,
	},
	w256: kernels[uint32]{
		QueryBatch256AVX2, InsertBatch256AVX2, DeleteBatch256AVX2,
		Query256AVX2, Insert256AVX2, Delete256AVX2,
		Fetch256AVX2, Merge256AVX2, MatchBatch256AVX2,
	},
}, {
	name:     "avx512",
	features: FeaturesAVX512[:],
	w512: kernels[uint64]{
		QueryBatch512AVX512, InsertBatch512AVX512, DeleteBatch512AVX512,
		Query512AVX512, Insert512AVX512, Delete512AVX512,
		Fetch512AVX512, Merge512AVX512, MatchBatch512AVX512,
	},
	w256: kernels[uint32]{
		QueryBatch256AVX512, InsertBatch256AVX512, DeleteBatch256AVX512,
		Query256AVX512, Insert256AVX512, Delete256AVX512,
		Fetch256AVX512, Merge256AVX512, MatchBatch256AVX512,
	},
}}
