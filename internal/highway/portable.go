package highway

import (
	"encoding/binary"

	"github.com/minio/highwayhash"
)

// This file runs where this project has no assembly: it calls minio's package, one key at a time.
// That package has assembly for some CPUs, and portable Go for the others.

// longest is the longest key for minio's package: a goroutine cannot stop in its assembly, which
// takes some 10 µs for that length. Longer keys are hashed by the definition, which can stop
// anywhere.
const longest = 64 << 10

func portableSum64(k *Key, data []byte) uint64 {
	if len(data) > longest {
		return definition(k.initial, data)
	}
	return highwayhash.Sum64(data, k.bytes[:])
}

func portableSum64Uint64(k *Key, n uint64) uint64 {
	var data [8]byte
	binary.LittleEndian.PutUint64(data[:], n)
	return highwayhash.Sum64(data[:], k.bytes[:])
}
