package highway

import (
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Key is a key of HighwayHash-64, and the state that it gives. It is never written.
type Key struct {
	bytes   [Size]byte
	initial state
	empty   uint64 // the hash of no byte
}

// New returns the key of these bytes.
func New(bytes [Size]byte) *Key {
	dispatch.Depend()
	s := initial(&bytes)
	return &Key{bytes, s, definition(s, nil)}
}

// Bytes returns the bytes of the key itself.
func (k *Key) Bytes() []byte { return k.bytes[:] }

// implementation is one of package dispatch's. Its methods are the hashes on it.
type implementation dispatch.Implementation

// active is what package kernel runs.
var active = implementation(dispatch.Active())

func (im implementation) String() string { return dispatch.Implementation(im).String() }

// named returns the implementation of that name.
func named(name string) implementation { return implementation(dispatch.ByName(name)) }

// Sum64 returns the hash of data.
func (k *Key) Sum64(data []byte) uint64 { return active.sum64(k, data) }

// Sum64Uint64 returns the hash of the 8 bytes of n, the least significant first.
func (k *Key) Sum64Uint64(n uint64) uint64 { return active.sum64Uint64(k, n) }

// Fixed stores the hashes of the keys of one width that data has, one behind another.
func (k *Key) Fixed(data []byte, width int, hashes []uint64) {
	k.FixedOn(dispatch.Implementation(active), data, width, hashes)
}

// Uint64s stores the hashes of the 8 bytes of each key, the least significant first.
func (k *Key) Uint64s(keys, hashes []uint64) { active.uint64s(k, keys, hashes) }

// Slices stores the hashes of keys.
func (k *Key) Slices(keys [][]byte, hashes []uint64) {
	k.SlicesOn(dispatch.Implementation(active), keys, hashes)
}

// Strings stores the hashes of the bytes of keys.
func (k *Key) Strings(keys []string, hashes []uint64) {
	active.batch(k, batch.Of(keys, hashes), hashes)
}

// Offsets stores the hashes of the keys data[offsets[i]:offsets[i+1]].
func Offsets[O batch.Offset](k *Key, data []byte, offsets []O, hashes []uint64) {
	active.batch(k, batch.Offsets(data, offsets, hashes), hashes)
}

// FixedOn is Fixed on one implementation, and SlicesOn is Slices: for comparisons.
func (k *Key) FixedOn(im dispatch.Implementation, data []byte, width int, hashes []uint64) {
	implementation(im).batch(k, batch.Fixed(data, width, hashes), hashes)
}

func (k *Key) SlicesOn(im dispatch.Implementation, keys [][]byte, hashes []uint64) {
	implementation(im).batch(k, batch.Of(keys, hashes), hashes)
}

func (im implementation) uint64s(k *Key, keys, hashes []uint64) {
	if bytes, ok := batch.Uint64s(keys, hashes); ok {
		im.batch(k, bytes, hashes)
		return
	}
	for i, n := range keys {
		hashes[i] = im.sum64Uint64(k, n)
	}
}

// singly hashes a batch one key after another: without assembly, and of a few keys.
func (im implementation) singly(k *Key, keys batch.Keys, hashes []uint64) {
	for i := range hashes {
		hashes[i] = im.sum64(k, keys.At(i))
	}
}
