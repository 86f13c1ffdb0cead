package key

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/cryptotest"
)

func TestParse(t *testing.T) {
	const text = "000102030405060708090A0B0C0D0E0F101112131415161718191a1b1c1d1e1f"
	key, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range key.Bytes() {
		if int(b) != i {
			t.Errorf("byte %d is %#x", i, b)
		}
	}
	if got := key.Hex(); got != strings.ToLower(text) {
		t.Errorf("%s, want it in lower case: %s", got, text)
	}
	for bad, want := range map[string]string{
		"":          "hash key: found 0 characters, expected 64 hex digits",
		text[1:]:    "hash key: found 63 characters, expected 64 hex digits",
		text + "\n": "hash key: found 65 characters, expected 64 hex digits",
		"0x" + text[2:]: "hash key: found characters that are not hex digits, expected 64 " +
			"hex digits",
		" " + text[1:]: "hash key: found characters that are not hex digits, expected 64 " +
			"hex digits",
		text[:62] + "\u00e9": "hash key: found characters that are not hex digits, expected 64 " +
			"hex digits",
	} {
		key, err := Parse(bad)
		var e *ParseError
		if !errors.As(err, &e) || err.Error() != want || !key.IsZero() {
			t.Errorf("%q: %v, want %s", bad, err, want)
		}
	}
}

// The hashes of the bytes 0, 1, 2, … under the key 00 01 … 1f are the test vectors of Google's
// reference implementation (highwayhash_test.cc), on hosts of both byte orders.
func TestHashIsHighwayHash64(t *testing.T) {
	key := ascending()
	var data []byte
	for n, want := range []uint64{
		0x907A56DE22C26E53, 0x7EAB43AAC7CDDD78, 0xB8D0569AB0B53D62, 0x5C6BEFAB8A463D80,
		0xF205A46893007EDA, 0x2B8A1668E4A94541, 0xBD4CCC325BEFCA6F, 0x4D02AE1738F59482,
		0xE1205108E55F3171,
	} {
		if got := key.Hash(data); got != want {
			t.Errorf("%d bytes: %#x, want %#x", n, got, want)
		}
		data = append(data, byte(n))
	}
	if got, want := key.HashUint64(0x0706050403020100), uint64(0xE1205108E55F3171); got != want {
		t.Errorf("a uint64 of the same 8 bytes: %#x, want %#x", got, want)
	}
}

// ascending returns the key 00 01 … 1f.
func ascending() Key {
	var bytes [32]byte
	for i := range bytes {
		bytes[i] = byte(i)
	}
	return of(bytes)
}

// Files hold the fingerprint, so it must not change.
func TestFingerprint(t *testing.T) {
	key := ascending()
	if got, want := key.Fingerprint(), uint64(0xcd69a2a163082481); got != want {
		t.Errorf("fingerprint %#x, want %#x", got, want)
	}
	for bit := range 8 * 32 {
		bytes := key.Bytes()
		bytes[bit/8] ^= 1 << (bit % 8)
		other := of([32]byte(bytes))
		if other.Fingerprint() == key.Fingerprint() {
			t.Errorf("bit %d of the key is not in the fingerprint", bit)
		}
		if other.Equal(key) {
			t.Errorf("bit %d of the key does not count", bit)
		}
	}
}

func TestEqual(t *testing.T) {
	a, b := ascending(), ascending()
	for _, test := range []struct {
		name string
		a, b Key
		want bool
	}{
		{"a copy", a, a, true},
		{"the same bytes elsewhere", a, b, true},
		{"other bytes", a, New(), false},
		{"no key, and one", Key{}, a, false},
		{"a key, and none", a, Key{}, false},
		{"no keys", Key{}, Key{}, true},
	} {
		if got := test.a.Equal(test.b); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestFromBytesRefusesOtherLengths(t *testing.T) {
	for n := range 100 {
		key, err := FromBytes(make([]byte, n))
		var e *ParseError
		want := fmt.Sprintf("hash key: found %d bytes, expected 32", n)
		if n == 32 {
			if err != nil || key.IsZero() {
				t.Errorf("%d bytes: %v, error %v", n, key, err)
			}
		} else if !errors.As(err, &e) || err.Error() != want || !key.IsZero() {
			t.Errorf("%d bytes: %v, error %v, want %s", n, key, err, want)
		}
	}
}

// A write to the result of Bytes, or to the argument of FromBytes, does not change the key.
func TestBytesAreCopies(t *testing.T) {
	key := ascending()
	bytes := key.Bytes()
	again, err := FromBytes(bytes)
	if err != nil {
		t.Fatal(err)
	}
	bytes[0]++
	if !key.Equal(ascending()) || !again.Equal(key) {
		t.Error("a key changed")
	}
}

func TestTheZeroKeyHashesNothing(t *testing.T) {
	for name, call := range map[string]func(){
		"Hash":        func() { Key{}.Hash(nil) },
		"HashUint64":  func() { Key{}.HashUint64(1) },
		"Fingerprint": func() { Key{}.Fingerprint() },
		"Hex":         func() { Key{}.Hex() },
		"Bytes":       func() { Key{}.Bytes() },

		"HashUint64Batch":  func() { Key{}.HashUint64Batch(nil, nil) },
		"HashFixedBatch":   func() { Key{}.HashFixedBatch(nil, 8, nil) },
		"HashBatch":        func() { Key{}.HashBatch(nil, nil) },
		"HashStringBatch":  func() { Key{}.HashStringBatch(nil, nil) },
		"HashOffsetsBatch": func() { HashOffsetsBatch(Key{}, nil, []int32{0}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "the zero Key is no key") {
					t.Errorf("panic %q", got)
				}
			}()
			call()
		})
	}
	if got := fmt.Sprint(Key{}); got != "no key" {
		t.Errorf("it prints %q", got)
	}
}

// A new key is the next 32 bytes of the system's generator, all of them.
func TestKeysAreRandom(t *testing.T) {
	var want [32]byte
	for seed := range uint64(3) {
		cryptotest.SetGlobalRandom(t, seed)
		_, _ = rand.Read(want[:])
		cryptotest.SetGlobalRandom(t, seed)
		if got := [32]byte(New().Bytes()); got != want {
			t.Errorf("the key is %x, the generator gives %x", got, want)
		}
	}
}

func TestHashAllocatesNothing(t *testing.T) {
	key, data := New(), make([]byte, 100)
	for name, call := range map[string]func(){
		"Hash":        func() { key.Hash(data) },
		"HashUint64":  func() { key.HashUint64(1) },
		"Fingerprint": func() { key.Fingerprint() },
	} {
		if n := testing.AllocsPerRun(10, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Unknown is no key, and not the zero Key.
func TestUnknown(t *testing.T) {
	k := Unknown()
	if !k.IsUnknown() || k.IsZero() || (Key{}).IsUnknown() || New().IsUnknown() {
		t.Error("it is not told from a key and from the zero Key")
	}
	if !k.Equal(Unknown()) || k.Equal(Key{}) || k.Equal(New()) || New().Equal(k) {
		t.Error("it is equal to itself only")
	}
	if k.String() != "unknown key" {
		t.Errorf("it prints %s", k)
	}
	for name, call := range map[string]func(){
		"Hash": func() { k.Hash(nil) }, "HashUint64": func() { k.HashUint64(1) },
		"Fingerprint": func() { k.Fingerprint() }, "Hex": func() { k.Hex() },
		"Bytes":           func() { k.Bytes() },
		"HashUint64Batch": func() { k.HashUint64Batch(make([]uint64, 9), make([]uint64, 9)) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "nor is Unknown") {
					t.Errorf("%s: %q", name, got)
				}
			}()
			call()
		}()
	}
}
