//go:build !purego

package asm

// PMACQueryElse512 is what PMACQuery512 does not do at once.
func PMACQueryElse512(table *[8]uint64, nblocks int, state, data *byte, n int) bool {
	return QueryHash512(table, nblocks, PMACSumChosen(state, data, n))
}
