//go:build (amd64 || arm64) && !purego && unix

package asm

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memory is writable pages between two that fault on every access.
type memory struct {
	pages []byte
	free  byte // what every byte is filled with that no slice has
}

// newMemory maps memory for slices of at most size bytes.
func newMemory(t *testing.T, size int) *memory {
	t.Helper()
	page := os.Getpagesize()
	size = max(1, (size+page-1)/page) * page
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return &memory{pages: all[page : page+size]}
}

// place is where in a memory a slice lies.
type place int

const (
	atStart place = iota // its first byte is the first after a guard page
	atEnd                // its last byte is the last before a guard page
	within               // in between, aligned to its elements' lanes and to nothing more
	places
)

// slice places a copy of values in the memory.
func slice[E any](m *memory, where place, align int, rng *rand.Rand, values []E) []E {
	m.free = byte(rng.Uint32())
	copy(m.pages, bytes.Repeat([]byte{m.free}, len(m.pages)))
	size := len(values) * int(unsafe.Sizeof(*new(E)))
	start := 0
	switch where {
	case atEnd:
		start = len(m.pages) - size
	case within:
		start = align * rng.IntN((len(m.pages)-size)/align+1)
	}
	s := unsafe.Slice((*E)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.pages)), start)),
		len(values))
	copy(s, values)
	return s
}

// check fails if a byte outside the slice s has changed.
func check[E any](t *testing.T, m *memory, what string, s []E) {
	t.Helper()
	start := int(uintptr(unsafe.Pointer(unsafe.SliceData(s))) -
		uintptr(unsafe.Pointer(unsafe.SliceData(m.pages))))
	end := start + len(s)*int(unsafe.Sizeof(*new(E)))
	before, after := m.pages[:start], m.pages[end:]
	free := []byte{m.free}
	if n := bytes.Count(before, free); n < len(before) {
		t.Fatalf("%s: %d bytes were written before the slice", what, len(before)-n)
	}
	if n := bytes.Count(after, free); n < len(after) {
		t.Fatalf("%s: %d bytes were written after the slice", what, len(after)-n)
	}
}
