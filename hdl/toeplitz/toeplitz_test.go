package toeplitz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
)

// The key of Microsoft's "Verifying the RSS Hash Calculation".
var suiteKey = []byte{
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
	0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
	0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
}

// mustNew returns the hash function with a key, which must have a valid length.
func mustNew(t testing.TB, key []byte) *Key {
	t.Helper()
	k, err := New(key)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// byBits is the definition, one bit of the field after another.
func byBits(key, field []byte) uint64 {
	bit := func(s []byte, n int) uint64 { return uint64(s[n/8]>>(7-n%8)) & 1 }
	var hash uint64
	for n := range 8 * len(field) {
		if bit(field, n) == 0 {
			continue
		}
		var window uint64
		for j := range 64 {
			window = window<<1 | bit(key, n+j)
		}
		hash ^= window
	}
	return hash
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// The tables of the suite, IPv4 and IPv6, without and with ports. Its hashes are the upper halves
// of the hashes of this package.
func TestVerificationSuite(t *testing.T) {
	k := mustNew(t, append(bytes.Clone(suiteKey), 0, 0, 0, 0)) // room for 36 bytes
	for _, c := range []struct {
		source, destination string
		addresses, ports    uint32
	}{
		{"66.9.149.187:2794", "161.142.100.80:1766", 0x323e8fc2, 0x51ccc178},
		{"199.92.111.2:14230", "65.69.140.83:4739", 0xd718262a, 0xc626b0ea},
		{"24.19.198.95:12898", "12.22.207.184:38024", 0xd2d0a5de, 0x5c2b394a},
		{"38.27.205.30:48228", "209.142.163.6:2217", 0x82989176, 0xafc7327f},
		{"153.39.163.191:44251", "202.188.127.2:1303", 0x5d1809c5, 0x10e828a2},
		{"[3ffe:2501:200:1fff::7]:2794", "[3ffe:2501:200:3::1]:1766", 0x2cc18cd5, 0x40207d3d},
		{"[3ffe:501:8::260:97ff:fe40:efab]:14230", "[ff02::1]:4739", 0x0f0c461c, 0xdde51bbf},
		{"[3ffe:1900:4545:3:200:f8ff:fe21:67cf]:44251", "[fe80::200:f8ff:fe21:67cf]:38024",
			0x4b61e985, 0x02d1feef},
	} {
		source, destination := netip.MustParseAddrPort(c.source),
			netip.MustParseAddrPort(c.destination)
		field := append(source.Addr().AsSlice(), destination.Addr().AsSlice()...)
		if got := uint32(k.Hash(field) >> 32); got != c.addresses {
			t.Errorf("%s to %s, addresses: %#08x, want %#08x", source, destination,
				got, c.addresses)
		}
		field = binary.BigEndian.AppendUint16(field, source.Port())
		field = binary.BigEndian.AppendUint16(field, destination.Port())
		if got := uint32(k.Hash(field) >> 32); got != c.ports {
			t.Errorf("%s to %s, with ports: %#08x, want %#08x", source, destination, got, c.ports)
		}
	}
}

func TestEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= MaxField; n++ {
		key := randomBytes(r, n+Window)
		k := mustNew(t, key)
		if k.MaxField() != n {
			t.Fatalf("a key of %d bytes hashes %d, want %d", len(key), k.MaxField(), n)
		}
		for range 20 {
			field := randomBytes(r, 1+r.IntN(n))
			if got, want := k.Hash(field), byBits(key, field); got != want {
				t.Fatalf("key %x, field %x: %#016x, want %#016x", key, field, got, want)
			}
			if padded := append(bytes.Clone(field),
				make([]byte, n-len(field))...); k.Hash(padded) != k.Hash(field) {
				t.Fatalf("key %x, field %x: zeros behind it change the hash", key, field)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		length int
		words  []uint32
	}{
		{9, []uint32{0x6d5a56da, 0x255b0ec2, 0x41000000}},
		{12, []uint32{0x6d5a56da, 0x255b0ec2, 0x4167253d}},
	} {
		words := mustNew(t, suiteKey[:c.length]).Words()
		if len(words) != len(c.words) {
			t.Fatalf("%d words, want %d", len(words), len(c.words))
		}
		for i := range words {
			if words[i] != c.words[i] {
				t.Errorf("word %d of %d bytes is %#08x, want %#08x", i, c.length,
					words[i], c.words[i])
			}
		}
	}
	k := mustNew(t, suiteKey)
	k.Words()[0]++
	if got := k.Words()[0]; got != 0x6d5a56da {
		t.Errorf("a caller changed the key's first word to %#08x", got)
	}
}

func TestLengthErrors(t *testing.T) {
	for _, n := range []int{0, MinKey - 1, MaxKey + 1} {
		_, err := New(make([]byte, n))
		var length *KeyLengthError
		if !errors.As(err, &length) || length.Length != n {
			t.Errorf("a key of %d bytes: %v, want a KeyLengthError", n, err)
		}
	}
	k := mustNew(t, suiteKey[:20])
	defer func() {
		err, _ := recover().(error)
		var length *FieldLengthError
		if !errors.As(err, &length) || length.Length != 13 || length.Max != 12 {
			t.Errorf("a field of 13 bytes: %v, want a FieldLengthError", err)
		}
	}()
	k.Hash(make([]byte, 13))
}

func TestHashDoesNotAllocate(t *testing.T) {
	k, field := mustNew(t, suiteKey), make([]byte, 32)
	if n := testing.AllocsPerRun(100, func() { k.Hash(field) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The hash is linear, and equal to the definition.
func FuzzHash(f *testing.F) {
	f.Add(suiteKey, []byte("66.9.149.187"), []byte("161.142.100."))
	f.Fuzz(func(t *testing.T, key, a, b []byte) {
		k, err := New(key)
		if err != nil {
			return
		}
		n := min(len(a), len(b), k.MaxField())
		a, b = a[:n], b[:n]
		both := make([]byte, n)
		for i := range both {
			both[i] = a[i] ^ b[i]
		}
		if k.Hash(both) != k.Hash(a)^k.Hash(b) {
			t.Errorf("key %x: not linear for %x and %x", key, a, b)
		}
		if got, want := k.Hash(a), byBits(key, a); got != want {
			t.Errorf("key %x, field %x: %#016x, want %#016x", key, a, got, want)
		}
	})
}

func BenchmarkHash(b *testing.B) {
	k, field := mustNew(b, suiteKey), make([]byte, 12)
	b.SetBytes(int64(len(field)))
	for b.Loop() {
		k.Hash(field)
	}
}
