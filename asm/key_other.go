//go:build !(amd64 || arm64) || purego

package asm

// QueryKeySplit reports whether a hash is present.
func QueryKeySplit(block *[8]uint32, key uint32) bool { return QueryKeyPortable(block, key) }

// InsertKeySplit inserts a hash and reports whether it was present before.
func InsertKeySplit(block *[8]uint32, key uint32) bool { return InsertKeyPortable(block, key) }

// AddKeySplit inserts a hash.
func AddKeySplit(block *[8]uint32, key uint32) { AddKeyPortable(block, key) }
