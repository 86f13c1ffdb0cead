package parquet

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Fixed is a value of one of Parquet's types with 4 or 8 bytes: INT32, INT64, FLOAT and DOUBLE.
type Fixed interface {
	~int32 | ~uint32 | ~float32 | ~int64 | ~uint64 | ~float64
}

// Bytes is a value of BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY or INT96: its bytes, without a length.
type Bytes interface{ ~[]byte | ~string }

// Hash returns the hash of a value, for the operations of a [kernel.SplitBlockTable].
func Hash[V Fixed](value V) uint64 {
	if unsafe.Sizeof(value) == 4 {
		return fallback.XXHash32(*(*uint32)(unsafe.Pointer(&value)))
	}
	return fallback.XXHash64(*(*uint64)(unsafe.Pointer(&value)))
}

// HashBytes returns the hash of a byte array, for the operations of a [kernel.SplitBlockTable].
func HashBytes[V Bytes](value V) uint64 { return fallback.XXHash(view(value)) }

// HashBatch stores the hash of values[i] in hashes[i]. It panics if hashes is shorter than values.
func HashBatch[V Fixed](values []V, hashes []uint64) {
	if unsafe.Sizeof(*new(V)) == 4 {
		dispatch.HashBatch32(
			unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), len(values)),
			hashes)
	} else {
		dispatch.HashBatch64(
			unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(values))), len(values)),
			hashes)
	}
}

// view returns the bytes of a value without a copy. They must not be written.
func view[V Bytes](value V) []byte {
	// A string and a slice both begin with a pointer to their bytes.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&value)), len(value))
}
