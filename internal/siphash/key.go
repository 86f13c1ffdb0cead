package siphash

import (
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

// Batch stores the hashes of keys.
func (k *Key) Batch(keys batch.Keys, hashes []uint64) { k.BatchOn(active, keys, hashes) }

// singly hashes a batch one key after another: without assembly, and of a few keys.
func (k *Key) singly(keys batch.Keys, hashes []uint64) {
	for i := range hashes {
		hashes[i] = k.Sum64(keys.At(i))
	}
}
