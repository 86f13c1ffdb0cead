package workload

import "github.com/bloomlane/bloomlane/filter/key"

// Key returns a hash key that begins with these bytes and goes on with zeros. It is known to all,
// so that runs can be repeated. It panics if no key has as many bytes.
func Key(first ...byte) key.Key {
	var bytes [32]byte
	if len(first) > len(bytes) {
		panic("workload: more bytes than a key has")
	}
	copy(bytes[:], first)
	k, err := key.FromBytes(bytes[:])
	if err != nil {
		panic(err)
	}
	return k
}
