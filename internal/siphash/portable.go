package siphash

import (
	"encoding/binary"
	"math/bits"
)

// This file hashes one key. Assembly takes as long, because each word waits for the one before it.
//
// The state is half a round ahead: a round is its second half and the first half of the next one.
// The four words are variables, which the compiler keeps in registers.

// Sum64 returns the hash of data.
func (k *Key) Sum64(data []byte) uint64 {
	last := lastWord(data)
	v0, v1, v2, v3 := k.state.v0, k.state.v1, k.state.v2, k.state.v3
	for ; len(data) >= 8; data = data[8:] {
		v0, v1, v2, v3 = word(v0, v1, v2, v3, binary.LittleEndian.Uint64(data))
	}
	return end(v0, v1, v2, v3, last)
}

// Sum64Uint64 returns the hash of the 8 bytes of n, the least significant first.
func (k *Key) Sum64Uint64(n uint64) uint64 {
	v0, v1, v2, v3 := k.state.v0, k.state.v1, k.state.v2, k.state.v3
	v0, v1, v2, v3 = word(v0, v1, v2, v3, n)
	return end(v0, v1, v2, v3, 8<<56)
}

// lastWord returns the bytes behind the last whole word of a key, and its size.
func lastWord(data []byte) uint64 {
	n := len(data)
	size := uint64(n) << 56
	switch {
	case n >= 8:
		// By 64 bits in all where no byte is left.
		return binary.LittleEndian.Uint64(data[n-8:])>>8>>(^uint(8*n)&56) | size
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(data)) |
			uint64(binary.LittleEndian.Uint32(data[n-4:]))<<(uint(8*n-32)&63) | size
	case n > 0:
		return uint64(data[0]) | uint64(data[n/2])<<(uint(8*(n/2))&63) |
			uint64(data[n-1])<<(uint(8*(n-1))&63) | size
	}
	return 0
}

func firstHalf(v0, v1 uint64) (uint64, uint64) {
	v0 += v1
	return bits.RotateLeft64(v0, 32), bits.RotateLeft64(v1, 13) ^ v0
}

func secondHalf(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	return v0, bits.RotateLeft64(v1, 17) ^ v2, bits.RotateLeft64(v2, 32), v3
}

// word takes the next word of a key. It is inlined, for which it has no loop.
func word(v0, v1, v2, v3, w uint64) (uint64, uint64, uint64, uint64) {
	v3 ^= w
	v0, v1, v2, v3 = secondHalf(v0, v1, v2, v3)
	v0, v1 = firstHalf(v0^w, v1)
	return v0, v1, v2, v3
}

// end takes the last word, and returns the hash.
func end(v0, v1, v2, v3, last uint64) uint64 {
	v0, v1, v2, v3 = word(v0, v1, v2, v3, last)
	v2 ^= 0xff
	for range 2 {
		v0, v1, v2, v3 = secondHalf(v0, v1, v2, v3)
		v0, v1 = firstHalf(v0, v1)
	}
	v0, v1, v2, v3 = secondHalf(v0, v1, v2, v3)
	return v0 ^ v1 ^ v2 ^ v3
}
