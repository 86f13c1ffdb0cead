package main

/*
#include <stddef.h>
#include <stdint.h>

// A batch is n hashes, and a table in bytes of words whose blocks have 512 or 256 bits.
typedef struct {
	int width;
	uint64_t *words;
	size_t bytes;
	uint64_t *hashes;
	size_t n;
} bloomlane_batch;
*/
import "C"

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/kernel"
)

// table is either table of package kernel.
type table interface {
	QueryInsertBatch(hashes, present []uint64) int
	QueryBatch(hashes, present []uint64) int
	SelectBatch(hashes []uint64, positions []uint32) int
}

func open(b C.bloomlane_batch) (t table, hashes []uint64) {
	hashes = slice[uint64](b.hashes, b.n)
	if b.width == 512 {
		return kernel.Table512(slice[kernel.Block512](b.words, b.bytes/64)), hashes
	}
	return kernel.Table256(slice[kernel.Block256](b.words, b.bytes/32)), hashes
}

func slice[T, U any](first *U, n C.size_t) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(first)), int(n))
}

//export bloomlane_insert
func bloomlane_insert(b C.bloomlane_batch) {
	t, hashes := open(b)
	t.QueryInsertBatch(hashes, nil)
}

//export bloomlane_query
func bloomlane_query(b C.bloomlane_batch, present *C.uint64_t) {
	t, hashes := open(b)
	t.QueryBatch(hashes, slice[uint64](present, (b.n+63)/64))
}

//export bloomlane_select
func bloomlane_select(b C.bloomlane_batch, positions *C.uint32_t) C.size_t {
	t, hashes := open(b)
	return C.size_t(t.SelectBatch(hashes, slice[uint32](positions, b.n)))
}

//export bloomlane_implementation
func bloomlane_implementation() *C.char { return C.CString(kernel.Active().String()) }
