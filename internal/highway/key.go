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

// Batch stores the hashes of keys.
func (k *Key) Batch(keys batch.Keys, hashes []uint64) { active.batch(k, keys, hashes) }

// BatchOn is Batch on one implementation: for comparisons.
func (k *Key) BatchOn(im dispatch.Implementation, keys batch.Keys, hashes []uint64) {
	implementation(im).batch(k, keys, hashes)
}

// singly hashes a batch one key after another: without assembly, and of a few keys.
func (im implementation) singly(k *Key, keys batch.Keys, hashes []uint64) {
	for i := range hashes {
		hashes[i] = im.sum64(k, keys.At(i))
	}
}
