// Package keytest makes hash keys for tests, and for studies that anyone can repeat.
package keytest

import "github.com/bloomlane/bloomlane/filter/key"

// Key returns a hash key that begins with these bytes and goes on with zeros. It is no secret. It
// panics if no key has as many bytes.
func Key(first ...byte) key.Key {
	var bytes [32]byte
	if len(first) > len(bytes) {
		panic("keytest: more bytes than a key has")
	}
	copy(bytes[:], first)
	k, err := key.FromBytes(bytes[:])
	if err != nil {
		panic(err)
	}
	return k
}
