//go:build !purego

package main

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/bench/floor"
)

// assembly is the instruction sets that this CPU has.
func assembly() []instructionSet {
	return []instructionSet{{
		name:    "neon",
		fetch:   asm.Fetch512NEON,
		load:    floor.Load512NEON,
		rewrite: floor.Rewrite512NEON,
		or:      floor.Or512NEON,
		query:   asm.QueryBatch512NEON,
		insert:  asm.InsertBatch512NEON,
		delete:  asm.DeleteBatch512NEON,
	}}
}
