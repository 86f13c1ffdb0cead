package siphash

import (
	"encoding/binary"
	"math/bits"
)

// This file is SipHash in portable Go. It is written for clarity. The code that runs is in
// portable.go.

// Size is the size of a key.
const Size = 16

// state is the state of the hash.
type state struct{ v0, v1, v2, v3 uint64 }

// initial returns the state before the first word.
func initial(key *[Size]byte) state {
	k0, k1 := binary.LittleEndian.Uint64(key[:]), binary.LittleEndian.Uint64(key[8:])
	return state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
		k1 ^ 0x7465646279746573}
}

// firstHalf and secondHalf are those of a round.
func (s *state) firstHalf() {
	s.v0 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 13) ^ s.v0
	s.v0 = bits.RotateLeft64(s.v0, 32)
}

func (s *state) secondHalf() {
	s.v2 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 16) ^ s.v2
	s.v0 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 21) ^ s.v0
	s.v2 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 17) ^ s.v2
	s.v2 = bits.RotateLeft64(s.v2, 32)
}

// rounds are n rounds.
func (s *state) rounds(n int) {
	for range n {
		s.firstHalf()
		s.secondHalf()
	}
}

// word takes the next word of a key, by a number of rounds.
func (s *state) word(w uint64, compression int) {
	s.v3 ^= w
	s.rounds(compression)
	s.v0 ^= w
}

// Definition returns the hash of data by SipHash with these numbers of rounds, for each word and at
// the end.
func Definition(key *[Size]byte, data []byte, compression, finalization int) uint64 {
	s := initial(key)
	size := len(data)
	for ; len(data) >= 8; data = data[8:] {
		s.word(binary.LittleEndian.Uint64(data), compression)
	}
	last := uint64(size) << 56
	for i, b := range data {
		last |= uint64(b) << (8 * i)
	}
	s.word(last, compression)
	s.v2 ^= 0xff
	s.rounds(finalization)
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}
