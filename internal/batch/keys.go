package batch

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Offset is what the offsets of keys in one buffer are.
type Offset interface {
	int32 | int64 | uint32 | uint64
}

// Keys are the keys of a batch, in one of the forms that the functions which return them say.
type Keys struct {
	form  form
	first unsafe.Pointer // header or offset
	step  uintptr        // from one header to the next, or from one key of one width to the next
	data  unsafe.Pointer // where the bytes are that offsets and widths count
}

type form int

const (
	inHeaders form = iota
	between32
	between64
	ofWidth
)

// Fixed returns the keys of one width that data has, one behind another. It panics unless there is
// one hash for each.
func Fixed(data []byte, width int, hashes []uint64) Keys {
	keys := 0
	if width > 0 {
		keys = len(data) / width
	}
	if width < 0 || width*keys != len(data) || width > 0 && keys != len(hashes) {
		panic(fmt.Sprintf("key: %d bytes for %d hashes of keys of %d bytes", len(data),
			len(hashes), width))
	}
	return fixed(unsafe.Pointer(unsafe.SliceData(data)), width)
}

func fixed(data unsafe.Pointer, width int) Keys {
	return Keys{form: ofWidth, step: uintptr(width), data: data}
}

// Uint64s returns the 8 bytes of each key, the least significant first, where the host has them so,
// as every host does that has assembly. It panics unless there is one hash for each.
func Uint64s(keys, hashes []uint64) (bytes Keys, ok bool) {
	requireHashes(len(keys), len(hashes))
	return fixed(unsafe.Pointer(unsafe.SliceData(keys)), 8), littleEndian
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Of returns keys. It panics unless there is one hash for each.
func Of[K []byte | string](keys []K, hashes []uint64) Keys {
	requireHashes(len(keys), len(hashes))
	var key K
	return Keys{form: inHeaders, first: unsafe.Pointer(unsafe.SliceData(keys)),
		step: unsafe.Sizeof(key)}
}

// requireHashes panics where there is not one hash for each key.
func requireHashes(keys, hashes int) {
	if keys != hashes {
		panic(fmt.Sprintf("key: %d hashes for %d keys", hashes, keys))
	}
}

// Offsets returns the keys data[offsets[i]:offsets[i+1]]. It panics where they are not keys in
// data, one for each hash, or overlap hashes.
func Offsets[O Offset](data []byte, offsets []O, hashes []uint64) Keys {
	if len(offsets) != len(hashes)+1 {
		panic(fmt.Sprintf("key: %d offsets for %d hashes, want one more",
			len(offsets), len(hashes)))
	}
	previous := O(0)
	for i, offset := range offsets {
		if offset < previous {
			panic(fmt.Sprintf("key: offset %d is %d, after %d", i, offset, previous))
		}
		previous = offset
	}
	if uint64(previous) > uint64(len(data)) {
		panic(fmt.Sprintf("key: the last offset is %d, in %d bytes", previous, len(data)))
	}
	// Otherwise the hashes of one chunk would be offsets of the next, which are not checked again.
	if dispatch.Overlap(offsets, hashes) {
		panic(fmt.Sprintf("key: %d hashes in the memory of their keys' offsets", len(hashes)))
	}
	form := between64
	if unsafe.Sizeof(previous) == 4 {
		form = between32
	}
	return Keys{form: form, first: unsafe.Pointer(unsafe.SliceData(offsets)),
		step: unsafe.Sizeof(previous), data: unsafe.Pointer(unsafe.SliceData(data))}
}

// Width returns the width of keys of one width.
func (k Keys) Width() (bytes int, ok bool) { return int(k.step), k.form == ofWidth }

// At returns key i.
func (k Keys) At(i int) []byte {
	switch k.form {
	case inHeaders:
		return bytesOf(k.place(i))
	case between32:
		ends := (*[2]uint32)(k.place(i))
		return slice(k.data, int(ends[0]), int(ends[1]-ends[0]))
	case between64:
		ends := (*[2]uint64)(k.place(i))
		return slice(k.data, int(ends[0]), int(ends[1]-ends[0]))
	}
	return slice(k.data, i*int(k.step), int(k.step))
}

// place returns where the header or the offset of key i is.
func (k Keys) place(i int) unsafe.Pointer { return unsafe.Add(k.first, i*int(k.step)) }

// bytesOf returns the bytes of a string or a slice.
func bytesOf(header unsafe.Pointer) []byte {
	key := *(*string)(header) // which a slice begins with
	return unsafe.Slice(unsafe.StringData(key), len(key))
}

// slice returns a part of data. An empty one may begin behind the end of data.
func slice(data unsafe.Pointer, start, size int) []byte {
	if size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(data, start)), size)
}
