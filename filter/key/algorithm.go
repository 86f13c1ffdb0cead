package key

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/bloomlane/bloomlane/internal/highway"
	"github.com/bloomlane/bloomlane/internal/siphash"
)

// Algorithm is a hash function of keys. Files hold its number.
type Algorithm uint8

const (
	// HighwayHash64 is HighwayHash-64 by Alakuijala, Cox and Wassenberg (2016), with keys of
	// 32 bytes. It is faster than SipHash-1-3 for long keys, and the only one for filters whose
	// files or packets show hashes.
	HighwayHash64 Algorithm = iota

	// SipHash13 is SipHash-1-3 by Aumasson and Bernstein (2012), with keys of 16 bytes. It is the
	// faster for keys of up to some 28 bytes one at a time, and of up to some 200 in batches, and
	// small enough for packet programs and hardware.
	SipHash13

	// Process is the hash of package hash/maphash, the fastest for single keys. Its keys exist in
	// one process: they have no text, and filters with such a key have no file.
	Process

	algorithms = iota
)

// names are those of [Algorithm.String]. A number that is not here is of no algorithm.
var names = [algorithms]string{"HighwayHash-64", "SipHash-1-3", "maphash"}

// String returns the name of the algorithm.
func (a Algorithm) String() string {
	if a >= algorithms {
		return "hash algorithm " + strconv.Itoa(int(a))
	}
	return names[a]
}

// New returns a random key of the algorithm, from the system's cryptographic generator. It panics
// if there is no such algorithm.
func (a Algorithm) New() Key {
	switch a {
	case HighwayHash64:
		var b [highway.Size]byte
		_, _ = rand.Read(b[:]) // it returns no error: crypto/rand ends the program instead
		return highwayKey(b)
	case SipHash13:
		var b [siphash.Size]byte
		_, _ = rand.Read(b[:])
		return sipKey(b)
	case Process:
		var fingerprint [8]byte
		_, _ = rand.Read(fingerprint[:])
		return Key{secret: &secret{process: &process{maphash.MakeSeed()},
			identity: Identity{Process, binary.LittleEndian.Uint64(fingerprint[:])}}}
	}
	panic(fmt.Sprintf("key: there is no %v", a))
}

// Identity tells keys apart without giving them away. Files of filters hold it.
type Identity struct {
	Algorithm   Algorithm
	Fingerprint uint64 // see docs/format.md
}

// String returns the identity in words.
func (i Identity) String() string {
	if i.Algorithm == HighwayHash64 {
		return fmt.Sprintf("key with fingerprint %016x", i.Fingerprint)
	}
	return fmt.Sprintf("%v key with fingerprint %016x", i.Algorithm, i.Fingerprint)
}

// fingerprinted is the text whose hash under a key of HighwayHash-64 is its fingerprint. If it
// changed, the key of every existing file would look wrong.
const fingerprinted = "bloomlane: the fingerprint of a hash key, version 1"

// labeled is the start of what SHA-256 takes for the fingerprint of another key.
const labeled = "bloomlane: the fingerprint of a hash key, version 2: "

// digest returns the fingerprint of a key from its form in bytes, which names the algorithm.
// It shows no output of the hash function.
func digest(bytes []byte) uint64 {
	sum := sha256.Sum256(append([]byte(labeled), bytes...))
	return binary.LittleEndian.Uint64(sum[:])
}
