package toeplitz

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	// Window is the number of key bytes that one bit of a field selects: a hash of 64 bits.
	Window = 8

	// MaxField is the length in bytes of the longest field, as in the hardware.
	MaxField = 40

	// MinKey and MaxKey bound the length of a key in bytes.
	MinKey = 1 + Window
	MaxKey = MaxField + Window
)

// KeyLengthError says that a key is too short or too long.
type KeyLengthError struct{ Length int }

func (e *KeyLengthError) Error() string {
	return fmt.Sprintf("toeplitz key of %d bytes, expected %d to %d", e.Length, MinKey, MaxKey)
}

// FieldLengthError says that a field is longer than the key can hash.
type FieldLengthError struct{ Length, Max int }

func (e *FieldLengthError) Error() string {
	return fmt.Sprintf("field of %d bytes, expected at most %d: the key's length less %d", e.Length,
		e.Max, Window)
}

// A Key hashes fields. It is immutable and safe for concurrent use. It never prints its bytes: fmt,
// encoding/json and log/slog get its length.
type Key struct{ secret *secret }

// secret holds the key behind a second pointer, as in package key, and why is said there.
type secret struct{ forms *forms }

// forms is the key in the two forms in which it is used.
type forms struct {
	words []uint32
	// What each half of each byte of the field selects, high half first, by its value.
	halves [][2][16]uint64
}

// New returns the hash with a key of 9 to 48 bytes, which hashes fields of up to 8 bytes less. The
// key's last bit takes no part. The error is a *KeyLengthError.
func New(key []byte) (*Key, error) {
	if len(key) < MinKey || len(key) > MaxKey {
		return nil, &KeyLengthError{len(key)}
	}
	k := &forms{
		words:  make([]uint32, (len(key)+3)/4),
		halves: make([][2][16]uint64, len(key)-Window),
	}
	var padded [MaxKey]byte
	copy(padded[:], key)
	for i := range k.words {
		k.words[i] = binary.BigEndian.Uint32(padded[4*i:])
	}
	for i := range k.halves {
		window, next := binary.BigEndian.Uint64(key[i:]), uint64(key[i+Window])
		for bit := range 8 {
			half := &k.halves[i][bit/4]
			selected := window<<bit | next>>(8-bit)
			for value := range half {
				if value>>(3-bit%4)&1 == 1 {
					half[value] ^= selected
				}
			}
		}
	}
	return &Key{&secret{k}}, nil
}

// String returns the length of the key in words.
func (k Key) String() string {
	if k.secret == nil {
		return "no toeplitz key"
	}
	return fmt.Sprintf("toeplitz key of %d bytes", k.MaxField()+Window)
}

// Format prints String for every verb.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// MarshalText returns String. There is no way back.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MaxField returns the length in bytes of the longest field that the key hashes.
func (k *Key) MaxField() int { return len(k.secret.forms.halves) }

// Words returns the key as the hardware is programmed with it: word i holds bytes 4i to 4i+3, the
// first the most significant, zeros behind the last. Hardware for fields of n bytes has (n+11)/4
// words, and takes the first of a longer key: more of them would be written over those.
func (k *Key) Words() []uint32 { return append([]uint32(nil), k.secret.forms.words...) }

// Hash returns the hash of a field. A field shorter than MaxField hashes like the same field with
// zeros behind it. It panics with a *FieldLengthError when the field is longer. It does not
// allocate.
func (k *Key) Hash(field []byte) uint64 {
	halves := k.secret.forms.halves
	if len(field) > len(halves) {
		panic(&FieldLengthError{len(field), len(halves)})
	}
	var hash uint64
	for i, b := range field {
		half := &halves[i]
		hash ^= half[0][b>>4] ^ half[1][b&15]
	}
	return hash
}
