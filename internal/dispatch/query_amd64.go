//go:build !purego

package dispatch

import "github.com/bloomlane/bloomlane/asm"

// Query512 is fallback.Query. It is small enough to be inlined, because assembly chooses among the
// implementations: docs/measurements/kernel.md has what that gains.
func Query512(table [][8]uint64, h uint64) bool { return asm.QueryHash512(&table[0], len(table), h) }

// Query256 is fallback.Query.
func Query256(table [][8]uint32, h uint64) bool { return asm.QueryHash256(&table[0], len(table), h) }
