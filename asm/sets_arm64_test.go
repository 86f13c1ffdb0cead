//go:build !purego

package asm

// sets are the instruction sets of this architecture: one, which every CPU has.
var sets = []set{{
	name: "neon",
	w512: kernels[uint64]{
		QueryBatch512NEON, InsertBatch512NEON, DeleteBatch512NEON,
		Query512NEON, Insert512NEON, Delete512NEON,
		Fetch512NEON, Merge512NEON, MatchBatch512NEON,
	},
	w256: kernels[uint32]{
		QueryBatch256NEON, InsertBatch256NEON, DeleteBatch256NEON,
		Query256NEON, Insert256NEON, Delete256NEON,
		Fetch256NEON, Merge256NEON, MatchBatch256NEON,
	},
}}
