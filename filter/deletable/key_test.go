package deletable

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseKey(t *testing.T) {
	const text = "000102030405060708090A0B0C0D0E0F101112131415161718191a1b1c1d1e1f"
	key, err := ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range key {
		if int(b) != i {
			t.Errorf("byte %d is %#x", i, b)
		}
	}
	if got := key.Hex(); got != strings.ToLower(text) {
		t.Errorf("%s, want it in lower case: %s", got, text)
	}
	for bad, want := range map[string]string{
		"":                   "hash key: found 0 characters, expected 64 hex digits",
		text[1:]:             "hash key: found 63 characters, expected 64 hex digits",
		text + "\n":          "hash key: found 65 characters, expected 64 hex digits",
		"0x" + text[2:]:      "hash key: found characters that are not hex digits, expected 64 hex digits",
		" " + text[1:]:       "hash key: found characters that are not hex digits, expected 64 hex digits",
		text[:62] + "\u00e9": "hash key: found characters that are not hex digits, expected 64 hex digits",
	} {
		key, err := ParseKey(bad)
		var e *KeyError
		if !errors.As(err, &e) || err.Error() != want || key != (Key{}) {
			t.Errorf("%q: %v, want %s", bad, err, want)
		}
	}
}

// HighwayHash-64 of the bytes 0, 1, 2, … under the key 00 01 … 1f: the test vectors of Google's
// reference implementation (highwayhash_test.cc), which must hold on a host of any byte order.
func TestHashIsHighwayHash64(t *testing.T) {
	var key Key
	var data []byte
	for i := range key {
		key[i] = byte(i)
	}
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

// Files hold the fingerprint, so it may never change.
func TestFingerprint(t *testing.T) {
	var key Key
	for i := range key {
		key[i] = byte(i)
	}
	if got, want := key.Fingerprint(), uint64(0xcd69a2a163082481); got != want {
		t.Errorf("fingerprint %#x, want %#x", got, want)
	}
	for bit := range 8 * len(key) {
		other := key
		other[bit/8] ^= 1 << (bit % 8)
		if other.Fingerprint() == key.Fingerprint() {
			t.Errorf("bit %d of the key is not in the fingerprint", bit)
		}
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	key := NewKey()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
		for what, value := range map[string]any{"the key": key, "a pointer": &key} {
			text := fmt.Sprintf(verb, value)
			if strings.Contains(strings.ToLower(text), key.Hex()[:16]) || strings.Contains(text, fmt.Sprintf("%d %d %d", key[0], key[1], key[2])) {
				t.Errorf("%s prints %s", verb, what)
			}
		}
	}
}

func TestKeysAreRandom(t *testing.T) {
	if first, second := NewKey(), NewKey(); first == second || first == (Key{}) {
		t.Error("new keys are not random")
	}
	config := Config{Members: 1, BitsPerKey: 16}
	f, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	if f.Key() == g.Key() {
		t.Error("two filters have one key")
	}
	if f.HashUint64(1) == g.HashUint64(1) {
		t.Error("two keys give one hash")
	}
}
