package fallback

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// Published hashes: those of the tests of github.com/cespare/xxhash, of which some are xxHash's
// own.
func TestXXHash(t *testing.T) {
	for _, test := range []struct {
		text string
		want uint64
	}{
		{"", 0xef46db3751d8e999},
		{"a", 0xd24ec4f1a98c6e5b},
		{"as", 0x1c330fb2d66be179},
		{"asd", 0x631c37ce72a97393},
		{"asdf", 0x415872f599cea71e},
		{"Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2e85470d6fd96},
	} {
		if got := XXHash([]byte(test.text)); got != test.want {
			t.Errorf("%q: %#x, want %#x", test.text, got, test.want)
		}
	}
}

// specXXHash is the text of xxHash's specification, step by step and a byte at a time.
func specXXHash(b []byte) uint64 {
	word := func(b []byte, bytes int) (x uint64) {
		for i := range bytes {
			x |= uint64(b[i]) << (8 * i)
		}
		return x
	}
	rotate := func(x uint64, n int) uint64 { return x<<n | x>>(64-n) }
	round := func(acc, lane uint64) uint64 { return rotate(acc+lane*Prime2, 31) * Prime1 }
	var seed, acc uint64
	length := len(b)
	if length < 32 {
		acc = seed + Prime5
	} else {
		accs := [4]uint64{seed, seed, seed, seed}
		accs[0] += Prime1
		accs[0] += Prime2
		accs[1] += Prime2
		accs[3] -= Prime1
		for ; len(b) >= 32; b = b[32:] {
			for i := range accs {
				accs[i] = round(accs[i], word(b[8*i:], 8))
			}
		}
		for i, n := range [4]int{1, 7, 12, 18} {
			acc += rotate(accs[i], n)
		}
		for _, a := range accs {
			acc ^= round(0, a)
			acc = acc*Prime1 + Prime4
		}
	}
	acc += uint64(length)
	for ; len(b) >= 8; b = b[8:] {
		acc ^= round(0, word(b, 8))
		acc = rotate(acc, 27)*Prime1 + Prime4
	}
	if len(b) >= 4 {
		acc ^= word(b, 4) * Prime1
		acc = rotate(acc, 23)*Prime2 + Prime3
		b = b[4:]
	}
	for _, x := range b {
		acc ^= uint64(x) * Prime5
		acc = rotate(acc, 11) * Prime1
	}
	acc ^= acc >> 33
	acc *= Prime2
	acc ^= acc >> 29
	acc *= Prime3
	return acc ^ acc>>32
}

func TestXXHashForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 50))
	random := func(n int) []byte {
		var b strings.Builder
		for range n {
			b.WriteByte(byte(rng.Uint32()))
		}
		return []byte(b.String())
	}
	for n := range 301 {
		for range 5 {
			b := random(n)
			if got, want := XXHash(b), specXXHash(b); got != want {
				t.Fatalf("%x: %#x, want %#x", b, got, want)
			}
		}
	}
	for range 1000 {
		b := random(8)
		if got, want := XXHash64(binary.LittleEndian.Uint64(b)), specXXHash(b); got != want {
			t.Fatalf("8 bytes %x: %#x, want %#x", b, got, want)
		}
		if got, want := XXHash32(binary.LittleEndian.Uint32(b)), specXXHash(b[:4]); got != want {
			t.Fatalf("4 bytes %x: %#x, want %#x", b[:4], got, want)
		}
	}
}
