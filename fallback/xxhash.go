package fallback

import (
	"encoding/binary"
	"math/bits"
)

// xxHash64 with the seed 0 ("xxHash fast digest algorithm", xxhash_spec.md of Cyan4973/xxHash): the
// hash of Parquet's filters.

// Primes are the primes of xxHash64.
const (
	Prime1 = 0x9E3779B185EBCA87
	Prime2 = 0xC2B2AE3D27D4EB4F
	Prime3 = 0x165667B19E3779F9
	Prime4 = 0x85EBCA77C2B2AE63
	Prime5 = 0x27D4EB2F165667C5
)

// XXHash returns the hash of bytes.
func XXHash(b []byte) uint64 {
	h, rest := uint64(Prime5), b
	if len(rest) >= 32 {
		prime1 := uint64(Prime1) // a variable, because sums of constants must not overflow
		v1, v2, v3, v4 := prime1+Prime2, uint64(Prime2), uint64(0), -prime1
		for ; len(rest) >= 32; rest = rest[32:] {
			v1 = xxRound(v1, binary.LittleEndian.Uint64(rest))
			v2 = xxRound(v2, binary.LittleEndian.Uint64(rest[8:]))
			v3 = xxRound(v3, binary.LittleEndian.Uint64(rest[16:]))
			v4 = xxRound(v4, binary.LittleEndian.Uint64(rest[24:]))
		}
		h = bits.RotateLeft64(v1, 1) + bits.RotateLeft64(v2, 7) + bits.RotateLeft64(v3, 12) +
			bits.RotateLeft64(v4, 18)
		for _, v := range [...]uint64{v1, v2, v3, v4} {
			h = (h^xxRound(0, v))*Prime1 + Prime4
		}
	}
	h += uint64(len(b))
	for ; len(rest) >= 8; rest = rest[8:] {
		h = xxEight(h, binary.LittleEndian.Uint64(rest))
	}
	if len(b) < 8 || len(rest)&3 == 0 {
		if len(rest) >= 4 {
			h = xxFour(h, binary.LittleEndian.Uint32(rest))
			rest = rest[4:]
		}
		for _, x := range rest {
			h = xxOne(h, uint64(x))
		}
		return xxAvalanche(h)
	}
	// What is left is the top of the last eight bytes. Every step is computed, and the right result
	// is chosen, because lengths are hard to predict: 8 to 40 bytes at random take 12.6 ns, and 19
	// ns with branches.
	left := len(rest)
	last := binary.LittleEndian.Uint64(b[len(b)-8:]) >> ((64 - 8*left) & 63)
	four, behind := xxFour(h, uint32(last)), last>>32
	if left&4 != 0 {
		h, last = four, behind
	}
	one := xxOne(h, last&0xff)
	two := xxOne(one, last>>8&0xff)
	three := xxOne(two, last>>16&0xff)
	left &= 3
	if left > 0 {
		h = one
	}
	if left > 1 {
		h = two
	}
	if left > 2 {
		h = three
	}
	return xxAvalanche(h)
}

func xxEight(h, x uint64) uint64 { return bits.RotateLeft64(h^xxRound(0, x), 27)*Prime1 + Prime4 }

func xxFour(h uint64, x uint32) uint64 {
	return bits.RotateLeft64(h^uint64(x)*Prime1, 23)*Prime2 + Prime3
}

func xxOne(h, x uint64) uint64 { return bits.RotateLeft64(h^x*Prime5, 11) * Prime1 }

func xxRound(v, x uint64) uint64 { return bits.RotateLeft64(v+x*Prime2, 31) * Prime1 }

func xxAvalanche(h uint64) uint64 {
	h = (h ^ h>>33) * Prime2
	h = (h ^ h>>29) * Prime3
	return h ^ h>>32
}

// XXHash32 returns XXHash of the four bytes of a value, the lowest first. XXHash64 has eight.
func XXHash32(value uint32) uint64 { return xxAvalanche(xxFour(Prime5+4, value)) }
func XXHash64(value uint64) uint64 { return xxAvalanche(xxEight(Prime5+8, value)) }

// HashBatch32 stores XXHash32 of values[i] in hashes[i], and HashBatch64 XXHash64.
func HashBatch32(values []uint32, hashes []uint64) {
	hashes = hashes[:len(values)]
	for i, value := range values {
		hashes[i] = XXHash32(value)
	}
}

func HashBatch64(values, hashes []uint64) {
	hashes = hashes[:len(values)]
	for i, value := range values {
		hashes[i] = XXHash64(value)
	}
}
