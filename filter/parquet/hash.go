package parquet

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Fixed is a value of one of Parquet's types of 4 or 8 bytes.
type Fixed interface {
	~int32 | ~uint32 | ~float32 | ~int64 | ~uint64 | ~float64
}

// Bytes is a value of one of the other types, in its plain encoding without a length.
type Bytes interface{ ~[]byte | ~string }

// Hash returns the hash of a value.
func Hash[V Fixed](value V) uint64 {
	if unsafe.Sizeof(value) == 4 {
		return fallback.XXHash32(*(*uint32)(unsafe.Pointer(&value)))
	}
	return fallback.XXHash64(*(*uint64)(unsafe.Pointer(&value)))
}

// HashBytes returns the hash of a value.
func HashBytes[V Bytes](value V) uint64 { return fallback.XXHash(view(value)) }

// HashBatch stores the hash of each value in hashes, which must have as many elements at least.
func HashBatch[V Fixed](hashes []uint64, values []V) {
	if unsafe.Sizeof(*new(V)) == 4 {
		dispatch.HashBatch32(hashes,
			unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), len(values)))
	} else {
		dispatch.HashBatch64(hashes,
			unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(values))), len(values)))
	}
}

// view returns the bytes of a value, in the same memory, which nobody may write.
func view[V Bytes](value V) []byte {
	// A string begins as a slice does: where it lies, and its length.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&value)), len(value))
}
