package key

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/bloomlane/bloomlane/internal/highway"
)

// Key is a secret key of HighwayHash-64. Make one with [New], [Parse] or [FromBytes]. The zero Key
// and [Unknown] are no keys, and their hash methods panic. A copy of a Key is the same key. Compare
// keys with [Key.Equal].
//
// fmt, encoding/json and log/slog print the fingerprint of a Key and not its bytes, also if it is
// in an unexported field of a struct, where fmt can call no method. [Key.Hex] and [Key.Bytes]
// return the key itself.
type Key struct {
	_      [0]func() // makes it not comparable, because == would compare pointers
	secret *secret
}

// secret holds the key behind a second pointer. For a verb that does not fit, such as %s, fmt
// follows the first pointer in an unexported field and prints what is there, but it follows no
// second one.
type secret struct{ key *highway.Key }

// ParseError is the error of [Parse] and [FromBytes].
type ParseError struct {
	// What was found and what was expected, in words, without the text itself, which may be a key.
	Found, Expected string
}

// Error says what was found and what was expected.
func (e *ParseError) Error() string {
	return fmt.Sprintf("hash key: found %s, expected %s", e.Found, e.Expected)
}

// New returns a random key from the system's cryptographic generator.
func New() Key {
	var bytes [highway.Size]byte
	_, _ = rand.Read(bytes[:]) // it returns no error: crypto/rand ends the program instead
	return of(bytes)
}

// Unknown returns what stands for the key of a filter whose file is read without it: the filter
// takes hashes only, and its operations by keys panic. The zero Key, which may be a key that was
// forgotten, does not read a file.
func Unknown() Key { return Key{secret: unknown} }

// unknown has the hash function of no key.
var unknown = new(secret)

// IsUnknown reports whether k is that of [Unknown].
func (k Key) IsUnknown() bool { return k.secret == unknown }

// FromBytes returns the key with these 32 bytes, which should be random and secret. For another
// number of bytes the error is a *[ParseError].
func FromBytes(b []byte) (Key, error) {
	if len(b) != highway.Size {
		return Key{}, &ParseError{fmt.Sprintf("%d bytes", len(b)),
			fmt.Sprintf("%d", highway.Size)}
	}
	return of([highway.Size]byte(b)), nil
}

func of(bytes [highway.Size]byte) Key { return Key{secret: &secret{highway.New(bytes)}} }

// Parse returns the key that [Key.Hex] wrote: 64 hex digits, of either case. Its error is a
// *[ParseError].
func Parse(text string) (Key, error) {
	var bytes [highway.Size]byte
	digits := hex.EncodedLen(len(bytes))
	expected := fmt.Sprintf("%d hex digits", digits)
	if len(text) != digits {
		return Key{}, &ParseError{fmt.Sprintf("%d characters", len(text)), expected}
	}
	if _, err := hex.Decode(bytes[:], []byte(text)); err != nil {
		return Key{}, &ParseError{"characters that are not hex digits", expected}
	}
	return of(bytes), nil
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.secret == nil }

// none reports whether k has no bytes.
func (k Key) none() bool { return k.secret == nil || k.secret.key == nil }

// Equal reports whether k and other are the same key. Its time does not depend on their bytes.
func (k Key) Equal(other Key) bool {
	if k.none() || other.none() {
		return k.secret == other.secret
	}
	return subtle.ConstantTimeCompare(k.bytes(), other.bytes()) == 1
}

// Hex returns the key itself as 64 lower-case hex digits, for the file in which it is kept. [Parse]
// reads them. It panics if k is no key.
func (k Key) Hex() string { return hex.EncodeToString(k.bytes()) }

// Bytes returns a copy of the key itself, for [FromBytes]. It panics if k is no key.
func (k Key) Bytes() []byte { return slices.Clone(k.bytes()) }

func (k Key) bytes() []byte { return k.hasher().Bytes() }

// hasher returns the hash function of k. It calls panicNone so that it is small enough to be
// inlined.
func (k Key) hasher() *highway.Key {
	if k.none() {
		panicNone()
	}
	return k.secret.key
}

func panicNone() {
	panic("key: the zero Key is no key, nor is Unknown: make one with New, Parse or FromBytes")
}

// Hash returns the HighwayHash-64 of data under k. data may have any length, also 0. It panics if k
// is the zero Key, and so do the other hash methods.
func (k Key) Hash(data []byte) uint64 { return k.hasher().Sum64(data) }

// HashUint64 returns the hash of the 8 bytes of n, the least significant first.
func (k Key) HashUint64(n uint64) uint64 { return k.hasher().Sum64Uint64(n) }

// fingerprinted is the text whose hash is the fingerprint. If it changed, the key of every existing
// file would look wrong.
const fingerprinted = "bloomlane: the fingerprint of a hash key, version 1"

// Fingerprint returns the hash of a fixed text under the key. It tells keys apart without giving
// them away. Files of filters hold it. It panics if k is no key.
func (k Key) Fingerprint() uint64 { return k.Hash([]byte(fingerprinted)) }

// String returns the fingerprint in words, "no key" or "unknown key".
func (k Key) String() string {
	switch {
	case k.IsZero():
		return "no key"
	case k.IsUnknown():
		return "unknown key"
	}
	return fmt.Sprintf("key with fingerprint %016x", k.Fingerprint())
}

// Format prints what String returns for every verb, %x and %d included.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// MarshalText returns what String returns, so that a structure with a key can be written as JSON.
// The key cannot be read back from it.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogValue returns what String returns.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
