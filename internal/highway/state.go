package highway

import (
	"encoding/binary"
	"math/bits"
)

// This file is HighwayHash-64 in portable Go. It is written for clarity. The code that runs without
// assembly is in portable.go.

const (
	// Size is the size of a key.
	Size = 32

	lanes       = 4
	packetBytes = 8 * lanes
)

// state is the state of the hash: what the assembly has in memory is this.
type state struct{ v0, v1, mul0, mul1 [lanes]uint64 }

// packet is 32 bytes of a key: little-endian words.
type packet [lanes]uint64

// initial returns the state before the first packet.
func initial(key *[Size]byte) (s state) {
	s.mul0 = [lanes]uint64{0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344,
		0x243f6a8885a308d3}
	s.mul1 = [lanes]uint64{0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c,
		0x452821e638d01377}
	for i := range lanes {
		word := binary.LittleEndian.Uint64(key[8*i:])
		s.v0[i] = s.mul0[i] ^ word
		s.v1[i] = s.mul1[i] ^ swapHalves(word)
	}
	return s
}

func swapHalves(x uint64) uint64 { return bits.RotateLeft64(x, 32) }

// update is a round.
func (s *state) update(p *packet) {
	for i := range lanes {
		s.v1[i] += p[i] + s.mul0[i]
		s.mul0[i] ^= s.v1[i] & 0xffffffff * (s.v0[i] >> 32)
		s.v0[i] += s.mul1[i]
		s.mul1[i] ^= s.v0[i] & 0xffffffff * (s.v1[i] >> 32)
	}
	zipperMerge(&s.v0, &s.v1)
	zipperMerge(&s.v1, &s.v0)
}

// zipperMerge adds to two lanes of dst at a time the bytes of two lanes of src, in this order: 3,
// 12, 2, 5, 14, 1, 15, 0 to the one and 11, 4, 10, 13, 9, 6, 8, 7 to the other.
func zipperMerge(dst, src *[lanes]uint64) {
	for i := 0; i < lanes; i += 2 {
		a, b := src[i], src[i+1]
		dst[i] += a>>24&0xff | b>>24&0xff00 | a&0xff0000 | a>>16&0xff000000 |
			b>>16&(0xff<<32) | a<<32&(0xff<<40) | b>>8&(0xff<<48) | a<<56
		dst[i+1] += b>>24&0xff | a>>24&0xff00 | b&0xff0000 | b>>16&0xff000000 |
			b<<24&(0xff<<32) | a>>8&(0xff<<40) | b<<48&(0xff<<48) | a&(0xff<<56)
	}
}

// resize says how many bytes of the next packet are the key's: 0 where all are.
func (s *state) resize(n int) {
	for i := range lanes {
		s.v0[i] += uint64(n)<<32 + uint64(n)
		lower, upper := uint32(s.v1[i]), uint32(s.v1[i]>>32)
		s.v1[i] = uint64(bits.RotateLeft32(upper, n))<<32 | uint64(bits.RotateLeft32(lower, n))
	}
}

// rest returns the packet of what is left of a key: 1 to 31 bytes.
func rest(left []byte) packet {
	var bytes [packetBytes]byte
	whole := len(left) &^ 3
	copy(bytes[:], left[:whole])
	odd := left[whole:]
	switch {
	case len(left) >= 16:
		copy(bytes[28:], left[len(left)-4:])
	case len(odd) > 0:
		bytes[16], bytes[17], bytes[18] = odd[0], odd[len(odd)/2], odd[len(odd)-1]
	}
	return load(bytes[:])
}

// load returns the packet of 32 bytes.
func load(bytes []byte) (p packet) {
	for i := range p {
		p[i] = binary.LittleEndian.Uint64(bytes[8*i:])
	}
	return p
}

// sum is the end: four rounds, and lane 0 of everything.
func (s *state) sum() uint64 {
	for range 4 {
		s.update(&packet{swapHalves(s.v0[2]), swapHalves(s.v0[3]), swapHalves(s.v0[0]),
			swapHalves(s.v0[1])})
	}
	return s.v0[0] + s.v1[0] + s.mul0[0] + s.mul1[0]
}

// definition returns the hash of data.
func definition(s state, data []byte) uint64 {
	for ; len(data) >= packetBytes; data = data[packetBytes:] {
		p := load(data)
		s.update(&p)
	}
	if len(data) > 0 {
		p := rest(data)
		s.resize(len(data))
		s.update(&p)
	}
	return s.sum()
}
