package toeplitz

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	// Window is the number of key bytes that one bit of a field selects, 8: the hash has 64 bits.
	Window = 8

	// MaxField is the length in bytes of the longest field, the same as in the hardware.
	MaxField = 40

	// MinKey and MaxKey bound the length of a key in bytes.
	MinKey = 1 + Window
	MaxKey = MaxField + Window
)

// KeyLengthError says that a key of Length bytes is too short or too long.
type KeyLengthError struct{ Length int }

// Error has the length found and the lengths expected.
func (e *KeyLengthError) Error() string {
	return fmt.Sprintf("toeplitz key of %d bytes, expected %d to %d", e.Length, MinKey, MaxKey)
}

// FieldLengthError says that a field of Length bytes is longer than the Max bytes that the key can
// hash.
type FieldLengthError struct{ Length, Max int }

// Error has both lengths.
func (e *FieldLengthError) Error() string {
	return fmt.Sprintf("field of %d bytes, expected at most %d: the length of the key minus %d",
		e.Length, e.Max, Window)
}

// A Key hashes fields. Make one with [New]. It does not change, and any number of goroutines may
// use it. fmt, encoding/json and log/slog print its length and not its bytes.
type Key struct{ secret *secret }

// secret holds the key behind a second pointer, for the reason in filter/key/key.go.
type secret struct{ forms *forms }

// forms has the key in the two forms in which it is used.
type forms struct {
	words []uint32
	// halves[i][j][v] is what half j of byte i of the field selects if its value is v; half 0 is
	// the high one.
	halves [][2][16]uint64
}

// New returns the hash function with a key of [MinKey] to [MaxKey] bytes, for fields of up to 8
// bytes less. The last bit of the key is not used. The error is a *[KeyLengthError].
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

// String returns the length of the key, in words.
func (k Key) String() string {
	if k.secret == nil {
		return "no toeplitz key"
	}
	return fmt.Sprintf("toeplitz key of %d bytes", k.MaxField()+Window)
}

// Format prints what String returns for every verb.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// MarshalText returns what String returns. The key cannot be read back from it.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MaxField returns the length in bytes of the longest field that the key can hash.
func (k *Key) MaxField() int { return len(k.secret.forms.halves) }

// Words returns the key in the form in which the hardware is programmed: word i holds bytes 4i to
// 4i+3, the first byte the most significant, with zeros after the last byte. Hardware for fields of
// n bytes has (n+11)/4 words. Write no more words of a longer key, because more would
// overwrite them.
func (k *Key) Words() []uint32 { return append([]uint32(nil), k.secret.forms.words...) }

// Hash returns the hash of a field. A field that is shorter than MaxField has the same hash as the
// field with zero bytes after it. Hash panics with a *[FieldLengthError] if the field is longer. It
// does not allocate.
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
