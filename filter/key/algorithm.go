package key

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Algorithm is a hash function of keys. Files hold its number.
type Algorithm uint8

const (
	// HighwayHash64 is HighwayHash-64 by Alakuijala, Cox and Wassenberg (2016), with keys of
	// 32 bytes, as github.com/minio/highwayhash has it.
	HighwayHash64 Algorithm = 0

	// SipHash13 is SipHash-1-3 by Aumasson and Bernstein (2012), with keys of 16 bytes. It is
	// small enough for packet programs and hardware. Filters whose files or packets show hashes
	// refuse it.
	SipHash13 Algorithm = 1

	// AESPMAC is the first half of PMAC with AES-128 (Black and Rogaway 2002), with keys of
	// 16 bytes: the default. It is a pseudo-random function if AES is one, so that hashes may be
	// seen, and the fastest where a CPU has AES instructions.
	AESPMAC Algorithm = 3
)

// function is what tells the keys of an algorithm from others.
type function struct {
	name string // of [Algorithm.String]
	tag  string // what the text and the bytes of a key begin with
	size int    // of a key, in bytes, without the tag
}

// functions are those of all algorithms.
var functions = map[Algorithm]function{
	HighwayHash64: {"HighwayHash-64", "", 32},
	SipHash13:     {"SipHash-1-3", "sip13:", 16},
	AESPMAC:       {"AES-PMAC", "pmac:", 16},
}

// Algorithms returns all algorithms, the default first.
func Algorithms() []Algorithm { return []Algorithm{AESPMAC, SipHash13, HighwayHash64} }

// String returns the name of the algorithm.
func (a Algorithm) String() string {
	f, ok := functions[a]
	if !ok {
		return "hash algorithm " + strconv.Itoa(int(a))
	}
	return f.name
}

// MayBeSeen reports whether others may see hashes, as they do in packets and in the files of some
// kinds: of SipHash-1-3 less is known of what they give away (docs/keyed-hashing.md).
func (a Algorithm) MayBeSeen() bool { return a != SipHash13 }

// New returns a random key of the algorithm, from the system's cryptographic generator. It panics
// if there is no such algorithm.
func (a Algorithm) New() Key {
	f, ok := functions[a]
	if !ok {
		panic(fmt.Sprintf("key: there is no %v", a))
	}
	b := make([]byte, f.size)
	_, _ = rand.Read(b) // it returns no error: crypto/rand ends the program instead
	return a.keyOf(b)
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
	return fmt.Sprintf("key of %v with fingerprint %016x", i.Algorithm, i.Fingerprint)
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
