package asm

import "github.com/bloomlane/bloomlane/fallback"

// Portable says that functions of one key leave it to portable Go. Package dispatch sets it at
// start, and tests do.
var Portable bool

// What assembly jumps to.

func QueryKeyPortable(block *[8]uint32, key uint32) bool {
	return fallback.QueryKeySplit(block, key)
}
func InsertKeyPortable(block *[8]uint32, key uint32) bool {
	return fallback.InsertKeySplit(block, key)
}
func AddKeyPortable(block *[8]uint32, key uint32) { fallback.InsertKeySplit(block, key) }
