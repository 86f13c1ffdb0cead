//go:build !purego

package measure

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/bench/floor"
)

// assembly is the floors of the instruction sets that this CPU has.
func assembly() []instructionSet {
	return []instructionSet{{
		name: "neon",
		w64: loops[uint64]{
			fetch:   asm.Fetch512NEON,
			load:    floor.Load512NEON,
			rewrite: floor.Rewrite512NEON,
			or:      floor.Or512NEON,
		},
		w32: loops[uint32]{
			fetch:   asm.Fetch256NEON,
			load:    floor.Load256NEON,
			rewrite: floor.Rewrite256NEON,
			or:      floor.Or256NEON,
		},
	}}
}
