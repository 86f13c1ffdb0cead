package key

import (
	"bytes"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/bloomlane/bloomlane/internal/highway"
	"github.com/bloomlane/bloomlane/internal/siphash"
)

// Key is a secret key of a hash function, its [Algorithm]. Make one with [New], [Algorithm.New],
// [Parse] or [FromBytes]. The zero Key and [Unknown] are no keys, and their hash methods panic. A
// copy of a Key is the same key. Compare keys with [Key.Equal].
//
// fmt, encoding/json and log/slog print the fingerprint of a Key and not its bytes, also if it is
// in an unexported field of a struct, where fmt can call no method. [Key.Secret] and [Key.Bytes]
// return the key itself.
type Key struct {
	_      [0]func() // makes it not comparable, because == would compare pointers
	secret *secret
}

// secret holds the key behind a second pointer. For a verb that does not fit, such as %s, fmt
// follows the first pointer in an unexported field and prints what is there, but it follows no
// second one. One of the three pointers is not nil, but in the key of [Unknown].
type secret struct {
	sip      *siphash.Key
	highway  *highway.Key
	process  *process
	identity Identity
}

// ParseError is the error of [Parse] and [FromBytes].
type ParseError struct {
	// What was found and what was expected, in words, without the text itself, which may be a key.
	Found, Expected string
}

// Error says what was found and what was expected.
func (e *ParseError) Error() string {
	return fmt.Sprintf("hash key: found %s, expected %s", e.Found, e.Expected)
}

// New returns a random key of SipHash-1-3 from the system's cryptographic generator. Files that
// show hashes need one of HighwayHash-64: see [Algorithm.New], and docs/decisions/hash.md.
func New() Key { return SipHash13.New() }

// Unknown returns what stands for the key of a filter whose file is read without it: the filter
// takes hashes only, and its operations by keys panic. The zero Key, which may be a key that was
// forgotten, does not read a file.
func Unknown() Key { return Key{secret: unknown} }

// unknown has the hash function of no key.
var unknown = new(secret)

// IsUnknown reports whether k is that of [Unknown].
func (k Key) IsUnknown() bool { return k.secret == unknown }

// ErrProcess is the error of what would keep a key of [Process], or the file of a filter with such
// a key.
var ErrProcess = errors.New("a hash key of this process: no other process has its hash function")

// sipTag is what the text and the bytes of a key of SipHash-1-3 begin with.
const sipTag = "sip13:"

// FromBytes returns the key that [Key.Bytes] returned: 32 bytes of HighwayHash-64, or sip13: and
// 16 bytes of SipHash-1-3. They should be random and secret. For other bytes the error is a
// *[ParseError].
func FromBytes(b []byte) (Key, error) {
	if sip, ok := bytes.CutPrefix(b, []byte(sipTag)); ok && len(sip) == siphash.Size {
		return sipKey([siphash.Size]byte(sip)), nil
	}
	if len(b) != highway.Size {
		return Key{}, &ParseError{fmt.Sprintf("%d bytes", len(b)),
			fmt.Sprintf("%d, or %s and %d", highway.Size, sipTag, siphash.Size)}
	}
	return highwayKey([highway.Size]byte(b)), nil
}

func highwayKey(b [highway.Size]byte) Key {
	h := highway.New(b)
	return Key{secret: &secret{highway: h,
		identity: Identity{HighwayHash64, h.Sum64([]byte(fingerprinted))}}}
}

func sipKey(b [siphash.Size]byte) Key {
	k := Key{secret: &secret{sip: siphash.New(b)}}
	k.secret.identity = Identity{SipHash13, digest(k.Bytes())}
	return k
}

// Parse returns the key that [Key.Secret] wrote: 64 hex digits of HighwayHash-64, or sip13: and 32
// of SipHash-1-3. Digits are of either case. Its error is a *[ParseError].
func Parse(text string) (Key, error) {
	hexadecimal, sip := strings.CutPrefix(text, sipTag)
	size, tag := highway.Size, ""
	if sip {
		size, tag = siphash.Size, sipTag
	}
	digits := hex.EncodedLen(size)
	expected := fmt.Sprintf("%d hex digits, or %s and %d", digits, sipTag,
		hex.EncodedLen(siphash.Size))
	if sip {
		expected = fmt.Sprintf("%s and %d hex digits", sipTag, digits)
	}
	if len(hexadecimal) != digits {
		return Key{}, &ParseError{fmt.Sprintf("%d characters", len(text)), expected}
	}
	b, err := hex.DecodeString(hexadecimal)
	if err != nil {
		return Key{}, &ParseError{"characters that are not hex digits", expected}
	}
	return FromBytes(append([]byte(tag), b...))
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.secret == nil }

// none reports whether k has no hash function.
func (k Key) none() bool { return k.secret == nil || k.secret == unknown }

// Equal reports whether k and other are the same key. Its time does not depend on their bytes.
func (k Key) Equal(other Key) bool {
	if k.none() || other.none() || k.Algorithm() == Process || other.Algorithm() == Process {
		return k.secret == other.secret
	}
	return subtle.ConstantTimeCompare(k.Bytes(), other.Bytes()) == 1
}

// Algorithm returns the hash function of k. It panics if k is no key.
func (k Key) Algorithm() Algorithm { return k.Identity().Algorithm }

// Identity returns what tells k from other keys without giving it away. It panics if k is no key.
func (k Key) Identity() Identity {
	if k.none() {
		panicNone()
	}
	return k.secret.identity
}

// Fingerprint returns that of the [Identity]. It panics if k is no key.
func (k Key) Fingerprint() uint64 { return k.Identity().Fingerprint }

// Secret returns the key itself as a text for the file in which it is kept, in lower case. [Parse]
// reads it. It panics if k is no key, or one of [Process].
func (k Key) Secret() string {
	tag, b := k.tagged()
	return tag + hex.EncodeToString(b)
}

// Bytes returns a copy of the key itself, for [FromBytes]. It panics if k is no key, or one of
// [Process].
func (k Key) Bytes() []byte {
	tag, b := k.tagged()
	return append([]byte(tag), b...)
}

// tagged returns the bytes of k alone, and what stands before them.
func (k Key) tagged() (tag string, b []byte) {
	switch {
	case k.none():
		panicNone()
	case k.secret.process != nil:
		panic("key: " + ErrProcess.Error())
	case k.secret.sip != nil:
		return sipTag, k.secret.sip.Bytes()
	}
	return "", k.secret.highway.Bytes()
}

func panicNone() {
	panic("key: the zero Key is no key, nor is Unknown: make one with New, Parse or FromBytes")
}

// The switches of Hash, HashUint64 and batch are no method of an interface, because arguments of
// such a method escape to the heap.

// Hash returns the hash of data under k. data may have any length, also 0. It panics if k is the
// zero Key, and so do the other hash methods.
func (k Key) Hash(data []byte) uint64 {
	switch s := k.secret; {
	case s == nil:
	case s.sip != nil:
		return s.sip.Sum64(data)
	case s.highway != nil:
		return s.highway.Sum64(data)
	case s.process != nil:
		return s.process.Sum64(data)
	}
	panicNone()
	return 0
}

// HashUint64 returns the hash of the 8 bytes of n, the least significant first.
func (k Key) HashUint64(n uint64) uint64 {
	switch s := k.secret; {
	case s == nil:
	case s.sip != nil:
		return s.sip.Sum64Uint64(n)
	case s.highway != nil:
		return s.highway.Sum64Uint64(n)
	case s.process != nil:
		return s.process.Sum64Uint64(n)
	}
	panicNone()
	return 0
}

// String returns the identity in words, "no key" or "unknown key".
func (k Key) String() string {
	switch {
	case k.IsZero():
		return "no key"
	case k.IsUnknown():
		return "unknown key"
	}
	return k.Identity().String()
}

// Format prints what String returns for every verb, %x and %d included.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// MarshalText returns what String returns, so that a structure with a key can be written as JSON.
// The key cannot be read back from it.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText returns an error: the text of MarshalText has no key. [Parse] and [ReadFile] read
// one.
func (k *Key) UnmarshalText([]byte) error {
	return &ParseError{"a text in a structure", "a key that Parse or ReadFile reads"}
}

// LogValue returns what String returns.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
