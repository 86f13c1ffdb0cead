package highway

import (
	"encoding/binary"
	"unsafe"

	"github.com/minio/highwayhash"
)

// This file is what runs where no assembly of this project does: minio's package, one key at a time. It has
// assembly of its own for some CPUs, and else portable Go.

// longest is the longest key that minio's package gets: nothing stops a goroutine in its assembly, which takes some
// 10 µs for that. The definition takes longer ones, and can be stopped anywhere.
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

func portableFixed(k *Key, data []byte, width int, hashes []uint64) {
	for i := range hashes {
		hashes[i] = portableSum64(k, data[i*width:(i+1)*width])
	}
}

func portableKeys[K []byte | string](k *Key, keys []K, hashes []uint64) {
	for i := range keys {
		key := *(*string)(unsafe.Pointer(&keys[i])) // which a slice begins with
		hashes[i] = portableSum64(k, unsafe.Slice(unsafe.StringData(key), len(key)))
	}
}

func portableOffsets[O Offset](k *Key, data []byte, offsets []O, hashes []uint64) {
	for i := range hashes {
		hashes[i] = portableSum64(k, data[offsets[i]:offsets[i+1]])
	}
}
