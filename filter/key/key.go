package key

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/pmac"
	"github.com/bloomlane/bloomlane/internal/siphash"
	"github.com/bloomlane/bloomlane/kernel"
)

// Key is a secret key of a hash function, its [Algorithm]. Make one with [New], [Algorithm.New],
// [Parse] or [FromBytes]. The zero Key and [Unknown] are no keys, and their hash methods panic. A
// copy of a Key is the same key. Compare keys with [Key.Equal].
//
// fmt, encoding/json and log/slog print the fingerprint of a Key and not its bytes, also if it is
// in an unexported field of a struct, where fmt can call no method. [Key.Secret] and [Key.Bytes]
// return the key itself.
type Key struct {
	_      [0]func()      // makes it not comparable, because == would compare pointers
	secret unsafe.Pointer // *secret, which fmt does not follow
}

// secret is a key, and what it gives. A pointer to it is one to its first field: so the hash of a
// key is one call for every algorithm, which is inlined.
type secret struct {
	pmac     pmac.Key // the zero value for other algorithms
	sip      *siphash.Key
	highway  *highway
	identity Identity
}

func init() {
	pmac.Foreign = func(k *pmac.Key, data []byte) uint64 {
		return (*secret)(unsafe.Pointer(k)).other(data)
	}
}

func (k Key) content() *secret { return (*secret)(k.secret) }

// ParseError is the error of [Parse] and [FromBytes].
type ParseError struct {
	// What was found and what was expected, in words, without the text itself, which may be a key.
	Found, Expected string
}

// Error says what was found and what was expected.
func (e *ParseError) Error() string {
	return fmt.Sprintf("hash key: found %s, expected %s", e.Found, e.Expected)
}

// New returns a random key of [AESPMAC] from the system's cryptographic generator.
func New() Key { return AESPMAC.New() }

// Unknown returns what stands for the key of a filter whose file is read without it: the filter
// takes hashes only, and its operations by keys panic. The zero Key, which may be a key that was
// forgotten, does not read a file.
func Unknown() Key { return Key{secret: unsafe.Pointer(unknown)} }

// unknown has the hash function of no key.
var unknown = new(secret)

// IsUnknown reports whether k is that of [Unknown].
func (k Key) IsUnknown() bool { return k.content() == unknown }

// FromBytes returns the key that [Key.Bytes] returned: pmac: and 16 bytes of AES-PMAC, sip13: and
// 16 bytes of SipHash-1-3, or 32 bytes of HighwayHash-64. They should be random and secret. For
// other bytes the error is a *[ParseError].
func FromBytes(b []byte) (Key, error) {
	var expected []string
	for _, a := range Algorithms() {
		f := functions[a]
		if rest, ok := bytes.CutPrefix(b, []byte(f.tag)); ok && len(rest) == f.size {
			return a.keyOf(rest), nil
		}
		expected = append(expected, fmt.Sprintf("%s%d bytes", spaced(f.tag), f.size))
	}
	return Key{}, &ParseError{fmt.Sprintf("%d bytes", len(b)), strings.Join(expected, ", or ")}
}

// spaced returns what stands before the number of bytes or digits behind a tag.
func spaced(tag string) string {
	if tag == "" {
		return ""
	}
	return tag + " and "
}

// keyOf returns the key of as many bytes as the algorithm has.
func (a Algorithm) keyOf(b []byte) Key {
	s := new(secret)
	s.identity.Algorithm = a
	k := Key{secret: unsafe.Pointer(s)}
	switch a {
	case AESPMAC:
		s.pmac.Init([pmac.Size]byte(b))
	case SipHash13:
		s.sip = siphash.New([siphash.Size]byte(b))
	default:
		s.highway = newHighway(b)
		s.identity.Fingerprint = s.highway.Sum64([]byte(fingerprinted))
		return k
	}
	s.identity.Fingerprint = digest(k.Bytes())
	return k
}

// Parse returns the key that [Key.Secret] wrote: pmac: and 32 hex digits of AES-PMAC, sip13: and 32
// of SipHash-1-3, or 64 of HighwayHash-64. Digits are of either case. Its error is a *[ParseError].
func Parse(text string) (Key, error) {
	var expected []string
	for _, a := range Algorithms() {
		f := functions[a]
		digits, ok := strings.CutPrefix(text, f.tag)
		expected = append(expected, fmt.Sprintf("%s%d hex digits", spaced(f.tag), 2*f.size))
		if !ok {
			continue
		}
		this := expected[len(expected)-1]
		if f.tag == "" {
			this = strings.Join(expected, ", or ")
		}
		if len(digits) != hex.EncodedLen(f.size) {
			return Key{}, &ParseError{fmt.Sprintf("%d characters", len(text)), this}
		}
		b, err := hex.DecodeString(digits)
		if err != nil {
			return Key{}, &ParseError{"characters that are not hex digits", this}
		}
		return a.keyOf(b), nil
	}
	panic("key: every text begins with nothing, the last tag")
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.secret == nil }

// none reports whether k has no hash function.
func (k Key) none() bool { return k.secret == nil || k.content() == unknown }

// Equal reports whether k and other are the same key. Its time does not depend on their bytes.
func (k Key) Equal(other Key) bool {
	if k.none() || other.none() {
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
	return k.content().identity
}

// Fingerprint returns that of the [Identity]. It panics if k is no key.
func (k Key) Fingerprint() uint64 { return k.Identity().Fingerprint }

// Secret returns the key itself as a text for the file in which it is kept, in lower case. [Parse]
// reads it. It panics if k is no key.
func (k Key) Secret() string {
	return functions[k.Algorithm()].tag + hex.EncodeToString(k.alone())
}

// Bytes returns a copy of the key itself, for [FromBytes]. It panics if k is no key.
func (k Key) Bytes() []byte {
	b := k.alone()
	return append([]byte(functions[k.content().identity.Algorithm].tag), b...)
}

// alone returns the bytes of k without a tag.
func (k Key) alone() []byte {
	switch s := k.content(); {
	case k.none():
	case s.sip != nil:
		return s.sip.Bytes()
	case s.highway != nil:
		return s.highway.bytes[:]
	default:
		return s.pmac.Bytes()
	}
	panicNone()
	return nil
}

func panicNone() {
	panic("key: the zero Key is no key, nor is Unknown: make one with New, Parse or FromBytes")
}

// Hash returns the hash of data under k. data may have any length, also 0. It panics if k is the
// zero Key, and so do the other hash methods.
func (k Key) Hash(data []byte) uint64 {
	if !pmac.HandsBack && (k.none() || k.content().identity.Algorithm != AESPMAC) {
		return k.content().other(data)
	}
	return (*pmac.Key)(k.secret).Sum64(data)
}

// HashUint64 returns the hash of the 8 bytes of n, the least significant first.
func (k Key) HashUint64(n uint64) uint64 {
	if !pmac.HandsBack {
		var data [8]byte
		binary.LittleEndian.PutUint64(data[:], n)
		return k.Hash(data[:])
	}
	return (*pmac.Key)(k.secret).Sum64Uint64(n)
}

// QueryTable reports whether a key is present in a table of blocks: what t.Query of the hash of
// data is, in one call. The table is not empty.
func (k Key) QueryTable(t kernel.Table512, data []byte) bool {
	if !pmac.HandsBack {
		return t.Query(k.Hash(data))
	}
	return (*pmac.Key)(k.secret).Query512((*[8]uint64)(unsafe.SliceData(t)), len(t), data)
}

// other is Hash for the algorithms that are not the default, and for no key.
func (s *secret) other(data []byte) uint64 {
	switch {
	case s == nil:
	case s.sip != nil:
		return s.sip.Sum64(data)
	case s.highway != nil:
		return s.highway.Sum64(data)
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
