package pmac

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/bloomlane/bloomlane/internal/batch"
)

// This file hashes by crypto/aes. The interface lets what it encrypts escape to the heap, so that
// blocks are in a buffer of a pool.

// scratch is what one hash needs.
type scratch struct{ sum, offset, x, step block }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// portableSum64 is the hash of data.
func (k *Key) portableSum64(data []byte) uint64 {
	s := scratches.Get().(*scratch)
	h := s.sum64(k, data)
	scratches.Put(s)
	return h
}

func (k *Key) portableBatch(keys batch.Keys, hashes []uint64) {
	s := scratches.Get().(*scratch)
	for i := range hashes {
		hashes[i] = s.sum64(k, keys.At(i))
	}
	scratches.Put(s)
}

func (s *scratch) sum64(k *Key, data []byte) uint64 {
	st := &k.state
	s.sum = block{}
	if len(data) > blockBytes {
		s.offset = st.steps[0]
		for i := uint64(1); len(data) > blockBytes; data = data[blockBytes:] {
			s.x = block(data)
			xor(&s.x, &s.offset)
			k.cipher.Encrypt(s.x[:], s.x[:])
			xor(&s.sum, &s.x)
			i++
			s.next(st, i)
		}
	}
	for i, b := range data {
		s.sum[i] ^= b
	}
	xor(&s.sum, &st.last[len(data)])
	xor(&s.sum, &st.keys[0])
	k.cipher.Encrypt(s.sum[:], s.sum[:])
	return binary.LittleEndian.Uint64(s.sum[:])
}

// next makes the offset that of block i.
func (s *scratch) next(st *state, i uint64) {
	s.step = st.power(bits.TrailingZeros64(i))
	xor(&s.offset, &s.step)
}

// power returns x^i * L.
func (st *state) power(i int) block {
	last := len(st.steps) - 1
	step := st.steps[min(i, last)]
	for range i - last {
		step = doubled(step)
	}
	return step
}
