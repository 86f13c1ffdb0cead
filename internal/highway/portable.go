package highway

import (
	"encoding/binary"

	"github.com/minio/highwayhash"
)

// This file is what runs where no assembly of this project does: minio's package, one key at a
// time. It has assembly of its own for some CPUs, and else portable Go.

// longest is the longest key that minio's package gets: nothing stops a goroutine in its assembly,
// which takes some 10 µs for that. The definition takes longer ones, and can be stopped anywhere.
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
