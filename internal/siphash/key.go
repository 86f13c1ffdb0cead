package siphash

// Key is a key of SipHash-1-3, and the state that it gives. It is never written.
type Key struct {
	bytes [Size]byte
	state state // after the first half of the first round, which takes no word
}

// New returns the key of these bytes.
func New(bytes [Size]byte) *Key {
	s := initial(&bytes)
	s.firstHalf()
	return &Key{bytes, s}
}

// Bytes returns the bytes of the key itself.
func (k *Key) Bytes() []byte { return k.bytes[:] }
