//go:build !purego

package measure

import (
	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/bench/floor"
	"github.com/bloomlane/bloomlane/kernel"
)

// assembly is the floors of the instruction sets that this CPU has.
func assembly() (have []instructionSet) {
	all := []instructionSet{{
		name: "avx512",
		w64: loops[uint64]{
			fetch:   asm.Fetch512AVX512,
			load:    floor.Load512AVX512,
			rewrite: floor.Rewrite512AVX512,
			or:      floor.Or512AVX512,
		},
		w32: loops[uint32]{
			fetch:   asm.Fetch256AVX512,
			load:    floor.Load256AVX512,
			rewrite: floor.Rewrite256AVX512,
			or:      floor.Or256AVX512,
		},
	}, {
		name: "avx2",
		w64: loops[uint64]{
			fetch:   asm.Fetch512AVX2,
			load:    floor.Load512AVX2,
			rewrite: floor.Rewrite512AVX2,
			or:      floor.Or512AVX2,
		},
		w32: loops[uint32]{
			fetch:   asm.Fetch256AVX2,
			load:    floor.Load256AVX2,
			rewrite: floor.Rewrite256AVX2,
			or:      floor.Or256AVX2,
		},
	}}
	for _, set := range all {
		for _, im := range kernel.Implementations() {
			if im.String() == set.name {
				have = append(have, set)
			}
		}
	}
	return have
}
