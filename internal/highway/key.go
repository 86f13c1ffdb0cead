package highway

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Key is a key of HighwayHash-64, and the state that it gives. It is never written.
type Key struct {
	bytes   [Size]byte
	initial state
}

// New returns the key of these bytes.
func New(bytes [Size]byte) *Key {
	dispatch.Depend()
	return &Key{bytes, initial(&bytes)}
}

// Bytes returns the bytes of the key itself.
func (k *Key) Bytes() []byte { return k.bytes[:] }

// Offset is what the offsets of keys in one buffer are.
type Offset interface {
	int32 | int64 | uint32 | uint64
}

// implementation is one of package dispatch's. Its methods are the hashes on it.
type implementation dispatch.Implementation

// active is what package kernel runs.
var active = implementation(dispatch.Active())

func (im implementation) String() string { return dispatch.Implementation(im).String() }

// none is what this CPU cannot run.
const none = 255

// named returns the implementation of that name.
func named(name string) implementation {
	for _, im := range dispatch.Implementations() {
		if im.String() == name {
			return implementation(im)
		}
	}
	return none
}

// Sum64 returns the hash of data.
func (k *Key) Sum64(data []byte) uint64 { return active.sum64(k, data) }

// Sum64Uint64 returns the hash of the 8 bytes of n, the least significant first.
func (k *Key) Sum64Uint64(n uint64) uint64 { return active.sum64Uint64(k, n) }

// Fixed stores the hashes of the keys of one width that data has, one behind another.
func (k *Key) Fixed(data []byte, width int, hashes []uint64) {
	active.fixed(k, data, width, hashes)
}

// Uint64s stores the hashes of the 8 bytes of each key, the least significant first.
func (k *Key) Uint64s(keys, hashes []uint64) { active.uint64s(k, keys, hashes) }

// Slices stores the hashes of keys.
func (k *Key) Slices(keys [][]byte, hashes []uint64) { keysOn(active, k, keys, hashes) }

// Strings stores the hashes of the bytes of keys.
func (k *Key) Strings(keys []string, hashes []uint64) { keysOn(active, k, keys, hashes) }

// Offsets stores the hashes of the keys data[offsets[i]:offsets[i+1]].
func Offsets[O Offset](k *Key, data []byte, offsets []O, hashes []uint64) {
	offsetsOn(active, k, data, offsets, hashes)
}

// FixedOn is Fixed on one implementation, and SlicesOn is Slices: for comparisons.
func (k *Key) FixedOn(im dispatch.Implementation, data []byte, width int, hashes []uint64) {
	implementation(im).fixed(k, data, width, hashes)
}

func (k *Key) SlicesOn(im dispatch.Implementation, keys [][]byte, hashes []uint64) {
	keysOn(implementation(im), k, keys, hashes)
}

// fixed panics where data is not that of the keys, and has the hashes stored.
func (im implementation) fixed(k *Key, data []byte, width int, hashes []uint64) {
	keys := 0
	if width > 0 {
		keys = len(data) / width
	}
	if width < 0 || width*keys != len(data) || width > 0 && keys != len(hashes) {
		panic(fmt.Sprintf("key: %d bytes for %d hashes of keys of %d bytes", len(data),
			len(hashes), width))
	}
	im.hashFixed(k, data, width, hashes)
}

// uint64s is fixed on a host whose words are little-endian, as all are that have assembly.
func (im implementation) uint64s(k *Key, keys, hashes []uint64) {
	requireHashes(len(keys), len(hashes))
	if littleEndian {
		im.hashFixed(k, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(keys))), 8*len(keys)),
			8, hashes)
		return
	}
	for i, n := range keys {
		hashes[i] = im.sum64Uint64(k, n)
	}
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func keysOn[K []byte | string](im implementation, k *Key, keys []K, hashes []uint64) {
	requireHashes(len(keys), len(hashes))
	hashKeys(im, k, keys, hashes)
}

func offsetsOn[O Offset](im implementation, k *Key, data []byte, offsets []O, hashes []uint64) {
	requireOffsets(len(data), offsets, hashes)
	hashOffsets(im, k, data, offsets, hashes)
}

// requireHashes panics where there is not one hash for each key.
func requireHashes(keys, hashes int) {
	if keys != hashes {
		panic(fmt.Sprintf("key: %d hashes for %d keys", hashes, keys))
	}
}

// requireOffsets panics where offsets are not those of keys in data, one for each hash, or overlap
// hashes.
func requireOffsets[O Offset](size int, offsets []O, hashes []uint64) {
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
	if uint64(previous) > uint64(size) {
		panic(fmt.Sprintf("key: the last offset is %d, in %d bytes", previous, size))
	}
	// Otherwise the hashes of one chunk would be offsets of the next, which are not checked again.
	if dispatch.Overlap(offsets, hashes) {
		panic(fmt.Sprintf("key: %d hashes in the memory of their keys' offsets", len(hashes)))
	}
}
