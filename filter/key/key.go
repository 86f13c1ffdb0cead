package key

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"

	"github.com/bloomlane/bloomlane/internal/highway"
)

// Size is the length of a key in bytes.
const Size = highway.Size

// Key is a secret key of HighwayHash-64. Make one with [New], [Parse] or [FromBytes]; the zero Key
// is none, and to hash with it panics. Copies of a Key are the same key. Compare keys with
// [Key.Equal].
//
// A Key never prints its bytes: fmt, encoding/json, log/slog and their like get its fingerprint,
// also from a struct that holds it in an unexported field, where fmt can call no method. [Key.Hex]
// and [Key.Bytes] are the ways to them.
type Key struct {
	_      [0]func() // not comparable: == would compare pointers
	secret *secret
}

// secret holds the bytes, and what follows from them, behind a second pointer: for a verb that does
// not fit, such as %s, fmt follows the first one it meets in an unexported field, and prints what
// is there.
type secret struct{ key *highway.Key }

// ParseError is the error of [Parse].
type ParseError struct {
	Found string // what was found, in words: it does not quote the text, which may be a key
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("hash key: found %s, expected %d hex digits", e.Found, hex.EncodedLen(Size))
}

// New returns a random key from the system's cryptographic generator.
func New() Key {
	var bytes [Size]byte
	_, _ = rand.Read(bytes[:]) // it never fails: crypto/rand ends the program instead
	return FromBytes(bytes)
}

// FromBytes returns the key of these bytes.
func FromBytes(bytes [Size]byte) Key { return Key{secret: &secret{highway.New(bytes)}} }

// Parse returns the key that 64 hex digits of either case spell. Its error is a *[ParseError].
func Parse(text string) (Key, error) {
	var bytes [Size]byte
	if len(text) != hex.EncodedLen(Size) {
		return Key{}, &ParseError{fmt.Sprintf("%d characters", len(text))}
	}
	if _, err := hex.Decode(bytes[:], []byte(text)); err != nil {
		return Key{}, &ParseError{"characters that are not hex digits"}
	}
	return FromBytes(bytes), nil
}

// IsZero reports whether k is the zero Key, which is none.
func (k Key) IsZero() bool { return k.secret == nil }

// Equal reports whether k and other are the same key, in a time that does not depend on their
// bytes.
func (k Key) Equal(other Key) bool {
	if k.IsZero() || other.IsZero() {
		return k.IsZero() == other.IsZero()
	}
	return subtle.ConstantTimeCompare(k.bytes(), other.bytes()) == 1
}

// Hex returns the key itself as 64 lower-case hex digits, which [Parse] reads: for its file.
func (k Key) Hex() string { return hex.EncodeToString(k.bytes()) }

// Bytes returns a copy of the key itself.
func (k Key) Bytes() [Size]byte { return [Size]byte(k.bytes()) }

func (k Key) bytes() []byte { return k.hasher().Bytes() }

// hasher returns what hashes under k. The panic is apart from it, so that it is inlined.
func (k Key) hasher() *highway.Key {
	if k.secret == nil {
		panicZero()
	}
	return k.secret.key
}

func panicZero() { panic("key: the zero Key is no key: make one with New, Parse or FromBytes") }

// Hash returns the hash of bytes of any length: their HighwayHash-64 under k. All lengths, zero
// included, are different keys of a filter.
func (k Key) Hash(data []byte) uint64 { return k.hasher().Sum64(data) }

// HashUint64 returns the hash of a uint64: that of its 8 bytes, the least significant first.
func (k Key) HashUint64(n uint64) uint64 { return k.hasher().Sum64Uint64(n) }

// fingerprinted is what a fingerprint is the hash of. A change would make every file's key look
// like the wrong one.
const fingerprinted = "bloomlane: the fingerprint of a hash key, version 1"

// Fingerprint returns a number that tells keys apart and gives none of them away: the hash of a
// fixed text under the key.
func (k Key) Fingerprint() uint64 { return k.Hash([]byte(fingerprinted)) }

// String returns the fingerprint in words.
func (k Key) String() string {
	if k.IsZero() {
		return "no key"
	}
	return fmt.Sprintf("key with fingerprint %016x", k.Fingerprint())
}

// Format prints String for every verb, %x and %d included.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// MarshalText returns String, so that a structure that holds a key can be written as JSON. There is
// no way back: what is written so is not the key.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogValue returns String.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
