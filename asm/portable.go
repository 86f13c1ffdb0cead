package asm

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// Portable says that functions that name no set leave their key to portable Go, and Narrow that
// they do not run AVX-512. Package dispatch sets both at start, and tests do.
var Portable, Narrow bool

// What assembly jumps to.

func QueryKeyPortable(block *[8]uint32, key uint32) bool {
	return fallback.QueryKeySplit(block, key)
}
func InsertKeyPortable(block *[8]uint32, key uint32) bool {
	return fallback.InsertKeySplit(block, key)
}
func Query512Portable(table *[8]uint64, nblocks int, h uint64) bool {
	return fallback.Query(unsafe.Slice(table, nblocks), h)
}
func Query256Portable(table *[8]uint32, nblocks int, h uint64) bool {
	return fallback.Query(unsafe.Slice(table, nblocks), h)
}
func AddKeyPortable(block *[8]uint32, key uint32) { fallback.InsertKeySplit(block, key) }

// Cipher is a set of AES instructions: its name and the features that a CPU must have, as in [Set].
type Cipher struct {
	Name     string
	Features []string
}

// NoAES, NoVAES256 and NoVAES512 say which AES instructions PMACSumChosen does not run, and
// PMACElse hashes without any, and keys that are too long for a call. Package internal/pmac sets
// them at start.
var (
	NoAES, NoVAES256, NoVAES512 bool
	PMACElse                    func(state, data *byte, n int) uint64
)

func PMACSumElse(state, data *byte, n int) uint64 { return PMACElse(state, data, n) }
