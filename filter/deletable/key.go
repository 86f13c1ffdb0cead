package deletable

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/minio/highwayhash"
)

// Key is the secret key of HighwayHash. Whoever does not know it cannot choose keys that collide,
// so a filter of keys that strangers choose stays as good as its plan. Filters that are to be
// merged, and a filter that is read back from its file, need the same key.
type Key [highwayhash.Size]byte

// KeyError is the error of [ParseKey].
type KeyError struct {
	Found string // what was found, in words: it does not quote the text, which may be a key
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("hash key: found %s, expected %d hex digits", e.Found, 2*len(Key{}))
}

// NewKey returns a random key from the system's cryptographic generator.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // it never fails: crypto/rand ends the program instead
	return k
}

// ParseKey returns the key that 64 hex digits of either case spell. Its error is a *[KeyError].
func ParseKey(text string) (Key, error) {
	var k Key
	if len(text) != hex.EncodedLen(len(k)) {
		return Key{}, &KeyError{fmt.Sprintf("%d characters", len(text))}
	}
	if _, err := hex.Decode(k[:], []byte(text)); err != nil {
		return Key{}, &KeyError{"characters that are not hex digits"}
	}
	return k, nil
}

// Hex returns the key as 64 lower-case hex digits, which [ParseKey] reads.
func (k *Key) Hex() string { return hex.EncodeToString(k[:]) }

// fingerprinted is what a fingerprint is the hash of. A change would make every file's key look
// like the wrong one.
const fingerprinted = "bloomlane: the fingerprint of a hash key, version 1"

// Fingerprint returns a number that tells keys apart and gives none of them away: the hash of a
// fixed text under the key.
func (k *Key) Fingerprint() uint64 { return k.Hash([]byte(fingerprinted)) }

// String returns the fingerprint, so that a key that is printed by mistake stays secret.
func (k Key) String() string { return fmt.Sprintf("key with fingerprint %016x", k.Fingerprint()) }

// Format prints String for every verb, %x and %d included.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// Hash returns the hash of a key of bytes of any length: its HighwayHash-64 under k. All lengths,
// zero included, are different keys.
func (k *Key) Hash(key []byte) uint64 { return highwayhash.Sum64(key, k[:]) }

// HashUint64 returns the hash of a uint64: that of its 8 bytes, the least significant first.
func (k *Key) HashUint64(key uint64) uint64 {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], key)
	return k.Hash(bytes[:])
}
