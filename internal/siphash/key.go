package siphash

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Key is a key of SipHash-1-3, and the state that it gives. It is never written.
type Key struct {
	bytes     [Size]byte
	constants constants
}

// constants are what the assembly starts from: each word of the state after the first half of the
// first round, twice, and the width of keys, twice.
type constants [5 * 2]uint64

// New returns the key of these bytes.
func New(bytes [Size]byte) *Key {
	dispatch.Depend()
	s := initial(&bytes)
	s.firstHalf()
	return &Key{bytes, constants{s.v0, s.v0, s.v1, s.v1, s.v2, s.v2, s.v3, s.v3}}
}

// Bytes returns the bytes of the key itself.
func (k *Key) Bytes() []byte { return k.bytes[:] }

// active is what package kernel runs.
var active = dispatch.Active()

// Sum64String returns the hash of the bytes of a string.
func (k *Key) Sum64String(data string) uint64 {
	return k.Sum64(unsafe.Slice(unsafe.StringData(data), len(data)))
}

// Fixed stores the hashes of the keys of one width that data has, one behind another.
func (k *Key) Fixed(data []byte, width int, hashes []uint64) {
	k.FixedOn(active, data, width, hashes)
}

// Uint64s stores the hashes of the 8 bytes of each key, the least significant first.
func (k *Key) Uint64s(keys, hashes []uint64) { k.uint64s(active, keys, hashes) }

// Slices stores the hashes of keys.
func (k *Key) Slices(keys [][]byte, hashes []uint64) { k.SlicesOn(active, keys, hashes) }

// Strings stores the hashes of the bytes of keys.
func (k *Key) Strings(keys []string, hashes []uint64) {
	k.batch(active, batch.Of(keys, hashes), hashes)
}

// Offsets stores the hashes of the keys data[offsets[i]:offsets[i+1]].
func Offsets[O batch.Offset](k *Key, data []byte, offsets []O, hashes []uint64) {
	k.batch(active, batch.Offsets(data, offsets, hashes), hashes)
}

// FixedOn is Fixed on one implementation, and SlicesOn is Slices: for comparisons.
func (k *Key) FixedOn(im dispatch.Implementation, data []byte, width int, hashes []uint64) {
	k.batch(im, batch.Fixed(data, width, hashes), hashes)
}

func (k *Key) SlicesOn(im dispatch.Implementation, keys [][]byte, hashes []uint64) {
	k.batch(im, batch.Of(keys, hashes), hashes)
}

func (k *Key) uint64s(im dispatch.Implementation, keys, hashes []uint64) {
	if bytes, ok := batch.Uint64s(keys, hashes); ok {
		k.batch(im, bytes, hashes)
		return
	}
	for i, n := range keys {
		hashes[i] = k.Sum64Uint64(n)
	}
}

// singly hashes a batch one key after another: without assembly, and of a few keys.
func (k *Key) singly(keys batch.Keys, hashes []uint64) {
	for i := range hashes {
		hashes[i] = k.Sum64(keys.At(i))
	}
}
