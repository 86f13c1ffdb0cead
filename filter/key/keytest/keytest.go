// Package keytest makes hash keys for tests, and for studies that anyone can repeat.
package keytest

import "github.com/bloomlane/bloomlane/filter/key"

// Fixed is a key for tests that need no other: every run is the same.
var Fixed = Key(1, 2, 3)

// Key returns a key of HighwayHash-64 that begins with these bytes and goes on with zeros. It is no
// secret. It panics if no key has as many bytes.
func Key(first ...byte) key.Key { return padded(nil, 32, first) }

// Sip is Key for SipHash-1-3, and PMAC for AES-PMAC.
func Sip(first ...byte) key.Key  { return padded([]byte("sip13:"), 16, first) }
func PMAC(first ...byte) key.Key { return padded([]byte("pmac:"), 16, first) }

func padded(tag []byte, size int, first []byte) key.Key {
	bytes := make([]byte, size)
	if len(first) > size {
		panic("keytest: more bytes than a key has")
	}
	copy(bytes, first)
	k, err := key.FromBytes(append(tag, bytes...))
	if err != nil {
		panic(err)
	}
	return k
}
