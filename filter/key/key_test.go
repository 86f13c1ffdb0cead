package key

import (
	"crypto/rand"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/cryptotest"

	"github.com/bloomlane/bloomlane/kernel"
)

// published are the algorithms, with hashes by other authors.
var published = map[Algorithm]struct {
	size                int    // of a key, in bytes
	tag                 string // before a key
	fingerprint, uint64 uint64 // of the ascending key; its hash of the bytes 0 to 7
	vectors             []uint64
}{
	// The hashes of no byte, 0, 0 1, 0 1 2, … under the key 00 01 … are the test vectors of
	// Google's reference implementation (highwayhash_test.cc).
	HighwayHash64: {
		size: 32, fingerprint: 0xcd69a2a163082481, uint64: 0xE1205108E55F3171,
		vectors: []uint64{
			0x907A56DE22C26E53, 0x7EAB43AAC7CDDD78, 0xB8D0569AB0B53D62, 0x5C6BEFAB8A463D80,
			0xF205A46893007EDA, 0x2B8A1668E4A94541, 0xBD4CCC325BEFCA6F, 0x4D02AE1738F59482,
			0xE1205108E55F3171,
		},
	},
	// The hashes of no byte and of three are of the authors' test vectors: see internal/pmac. The
	// others are from crypto/aes by the words of the paper, and the fingerprint from hashlib.
	AESPMAC: {
		size: 16, tag: "pmac:", fingerprint: 0x151deca82d972261, uint64: 0xc3f8fecbf3758ac5,
		vectors: []uint64{
			0x4153ead62c579943, 0x8b134b37122c8640, 0xf3e575ec7bf1226b, 0x1b991b3c19a56b25,
			0x49f08ea21872d584, 0x62792a124f934b6b, 0x5dceebc8b619b84d, 0xbfd4a312edb38fdb,
			0xc3f8fecbf3758ac5, 0x4c52ecf8ef96690c, 0x7a12903d84a378d8, 0x8a43b4386da9f15b,
			0x3a29f113347cd85a, 0xb3076858a79551db, 0x2fbe5f8d3108801b, 0x3e860560bc6a81a6,
			0xf6da58a42f82bdeb, 0x66a271c5202a9674, 0xb93ba96416ea8332, 0x59bfde1b5455ddab,
		},
	},
	// These are those of Rust's std::hash: see internal/siphash. The fingerprint is from Python's
	// hashlib.
	SipHash13: {
		size: 16, tag: "sip13:", fingerprint: 0xb1274d2b081e16eb, uint64: 0x369095118d299a8e,
		vectors: []uint64{
			0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d, 0x8bf80ab8e7ddf7fb,
			0xcf75576088d38328, 0xdef9d52f49533b67, 0xc50d2b50c59f22a7, 0xd3927d989bb11140,
		},
	},
}

// each runs a test for every algorithm.
func each(t *testing.T, test func(t *testing.T, a Algorithm)) {
	for _, a := range Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			if _, ok := published[a]; !ok {
				t.Error("it is not tested")
			}
			test(t, a)
		})
	}
}

// ascending returns the key 00 01 … of an algorithm.
func ascending(t *testing.T, a Algorithm) Key {
	t.Helper()
	b := []byte(published[a].tag)
	for i := range published[a].size {
		b = append(b, byte(i))
	}
	k, err := FromBytes(b)
	if err != nil || k.Algorithm() != a {
		t.Fatalf("%v, error %v", k, err)
	}
	return k
}

func TestParse(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		key := ascending(t, a)
		digits := "000102030405060708090A0b0C0d0E0f101112131415161718191a1b1c1d1e1f"
		digits = digits[:2*published[a].size]
		text := published[a].tag + digits
		got, err := Parse(text)
		if err != nil || !got.Equal(key) || got.Secret() != strings.ToLower(text) {
			t.Fatalf("%v, error %v, want %v and its text in lower case", got, err, key)
		}
		want := "pmac: and 32 hex digits, or sip13: and 32 hex digits, or 64 hex digits"
		if published[a].tag != "" {
			want = published[a].tag + " and 32 hex digits"
		}
		length := func(n int) string { return fmt.Sprintf("%d characters", n) }
		const letters = "characters that are not hex digits"
		for bad, found := range map[string]string{
			published[a].tag:                                length(len(published[a].tag)),
			text[:len(text)-1]:                              length(len(text) - 1),
			text + "\n":                                     length(len(text) + 1),
			published[a].tag + "0x" + digits[2:]:            letters,
			published[a].tag + " " + digits[1:]:             letters,
			published[a].tag + digits[2:] + "\u00e9":        letters,
			published[a].tag + digits + "00112233445566778": length(len(text) + 17),
		} {
			got, err := Parse(bad)
			var e *ParseError
			if !errors.As(err, &e) || e.Found != found || e.Expected != want || !got.IsZero() {
				t.Errorf("%q: %v, want found %s, expected %s", bad, err, found, want)
			}
			if strings.Contains(fmt.Sprint(err), "0405") {
				t.Errorf("%q: the error shows a key", bad)
			}
		}
	})
}

// Keys have the hashes of the published test vectors, on hosts of both byte orders.
func TestVectors(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		key := ascending(t, a)
		var data []byte
		for n, want := range published[a].vectors {
			if got := key.Hash(data); got != want {
				t.Errorf("%d bytes: %#x, want %#x", n, got, want)
			}
			data = append(data, byte(n))
		}
		if got := key.HashUint64(0x0706050403020100); got != published[a].uint64 {
			t.Errorf("a uint64: %#x, want %#x", got, published[a].uint64)
		}
	})
}

// docs/format.md has the texts of the fingerprints, and those of the keys above.
func TestFingerprintsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	for a, text := range map[Algorithm]string{
		HighwayHash64: fingerprinted, SipHash13: labeled + "sip13:", AESPMAC: labeled + "pmac:",
	} {
		for _, row := range strings.Split(string(page), "\n") {
			prefix := fmt.Sprintf("| %v, %d bytes of key |", a, published[a].size)
			if strings.HasPrefix(row, prefix) &&
				strings.Contains(row, "`"+text+"`") &&
				strings.HasSuffix(row, fmt.Sprintf("| %#x |", published[a].fingerprint)) {
				text = ""
			}
		}
		if text != "" {
			t.Errorf("docs/format.md has no row of %v with %q and %#x", a, text,
				published[a].fingerprint)
		}
	}
}

// panicOf returns what a call panics with.
func panicOf(call func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	call()
	return ""
}

// Files hold the identity, so it must not change.
func TestIdentity(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		key := ascending(t, a)
		if got, want := key.Identity(), (Identity{a, published[a].fingerprint}); got != want {
			t.Errorf("%v, want %v", got, want)
		}
		for bit := range 8 * published[a].size {
			b := key.Bytes()
			b[len(published[a].tag)+bit/8] ^= 1 << (bit % 8)
			other, err := FromBytes(b)
			if err != nil {
				t.Fatal(err)
			}
			if other.Identity() == key.Identity() {
				t.Errorf("bit %d of the key is not in the fingerprint", bit)
			}
			if other.Equal(key) {
				t.Errorf("bit %d of the key does not count", bit)
			}
		}
	})
}

func TestEqual(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		k, equal := ascending(t, a), ascending(t, a)
		for name, test := range map[string]struct {
			a, b Key
			want bool
		}{
			"a copy":            {k, k, true},
			"the same key":      {k, equal, true},
			"other bytes":       {k, a.New(), false},
			"no key, and one":   {Key{}, k, false},
			"a key, and none":   {k, Key{}, false},
			"no keys":           {Key{}, Key{}, true},
			"an unknown key":    {k, Unknown(), false},
			"of HighwayHash-64": {k, HighwayHash64.New(), false},
			"of SipHash-1-3":    {k, SipHash13.New(), false},
			"of AES-PMAC":       {k, AESPMAC.New(), false},
		} {
			if got := test.a.Equal(test.b); got != test.want {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

func TestFromBytesRefusesOthers(t *testing.T) {
	for n := range 100 {
		for _, tag := range []string{"", "pmac:", "sip13:", "sip24:"} {
			b := append([]byte(tag), make([]byte, n)...)
			key, err := FromBytes(b)
			var e *ParseError
			want := fmt.Sprintf("hash key: found %d bytes, expected pmac: and 16 bytes, "+
				"or sip13: and 16 bytes, or 32 bytes", len(b))
			if len(b) == 32 || (tag == "pmac:" || tag == "sip13:") && n == 16 {
				if err != nil || key.IsZero() {
					t.Errorf("%d bytes: %v, error %v", len(b), key, err)
				}
			} else if !errors.As(err, &e) || err.Error() != want || !key.IsZero() {
				t.Errorf("%d bytes: %v, error %v, want %s", len(b), key, err, want)
			}
		}
	}
}

// A write to the result of Bytes, or to the argument of FromBytes, does not change the key.
func TestBytesAreCopies(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		key := ascending(t, a)
		b := key.Bytes()
		second, err := FromBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-1]++
		if !key.Equal(ascending(t, a)) || !second.Equal(key) {
			t.Error("a key changed")
		}
	})
}

// The zero Key and Unknown are no keys, are told from keys and from each other, and hash nothing.
func TestNoKeys(t *testing.T) {
	for text, k := range map[string]Key{"no key": {}, "unknown key": Unknown()} {
		for name, call := range map[string]func(){
			"Hash":        func() { k.Hash(nil) },
			"HashUint64":  func() { k.HashUint64(1) },
			"Algorithm":   func() { k.Algorithm() },
			"Identity":    func() { k.Identity() },
			"Fingerprint": func() { k.Fingerprint() },
			"Secret":      func() { k.Secret() },
			"Bytes":       func() { k.Bytes() },
			"WriteFile":   func() { _ = WriteFile("", k) },

			"HashUint64Batch":  func() { k.HashUint64Batch(make([]uint64, 9), make([]uint64, 9)) },
			"HashFixedBatch":   func() { k.HashFixedBatch(nil, 8, nil) },
			"HashBatch":        func() { k.HashBatch(nil, nil) },
			"HashStringBatch":  func() { k.HashStringBatch(nil, nil) },
			"HashOffsetsBatch": func() { HashOffsetsBatch(k, nil, []int32{0}, nil) },
		} {
			if got := panicOf(call); !strings.Contains(got, "zero Key is no key, nor is Unknown") {
				t.Errorf("%s of %s: panic %q", name, text, got)
			}
		}
		if got := fmt.Sprint(k); got != text {
			t.Errorf("%s prints %q", text, got)
		}
		if k.IsZero() == k.IsUnknown() || k.IsZero() != (text == "no key") || !k.Equal(k) {
			t.Errorf("%s is not told from the other", text)
		}
	}
	each(t, func(t *testing.T, a Algorithm) {
		if k := a.New(); k.IsZero() || k.IsUnknown() {
			t.Error("a key is none")
		}
	})
}

// Two new keys have two identities, whose words name the function, but for HighwayHash-64, of which
// all keys were.
func TestNewKeysDiffer(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		k, other := a.New(), a.New()
		if k.Identity() == other.Identity() {
			t.Errorf("two keys are each a %v", k)
		}
		want := fmt.Sprintf("key of %v with fingerprint %016x", a, k.Fingerprint())
		if a == HighwayHash64 {
			want = fmt.Sprintf("key with fingerprint %016x", k.Fingerprint())
		}
		if k.String() != want {
			t.Errorf("%q, want %q", k, want)
		}
	})
}

// A new key is the next bytes of the system's generator, all of them.
func TestKeysAreRandom(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		want := make([]byte, published[a].size)
		for seed := range uint64(3) {
			cryptotest.SetGlobalRandom(t, seed)
			_, _ = rand.Read(want)
			cryptotest.SetGlobalRandom(t, seed)
			if got := a.New().Secret(); got != published[a].tag+hex.EncodeToString(want) {
				t.Errorf("the key is %s, the generator gives %x", got, want)
			}
		}
	})
	if got := panicOf(func() { Algorithm(2).New() }); got !=
		"key: there is no hash algorithm 2" {
		t.Errorf("an unknown algorithm: %q", got)
	}
}

func TestHashAllocatesNothing(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		key := a.New()
		for name, call := range map[string]func(){
			"Hash":        func() { var data [100]byte; key.Hash(data[:]) },
			"HashUint64":  func() { key.HashUint64(1) },
			"Fingerprint": func() { key.Fingerprint() },
			"HashUint64Batch": func() {
				var keys, hashes [20]uint64
				key.HashUint64Batch(keys[:], hashes[:])
			},
		} {
			if n := testing.AllocsPerRun(10, call); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}

// A query of a key is one of its hash, for keys of every length and no key.
func TestQueryTable(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		k, table := a.New(), kernel.NewTable512(5)
		data, found := make([]byte, 100), 0
		for i := range 3000 {
			if _, err := rand.Read(data); err != nil {
				t.Fatal(err)
			}
			key := data[:i%len(data)]
			if i%10 == 0 {
				table.Insert(k.Hash(key))
			}
			got, want := k.QueryTable(table, key), table.Query(k.Hash(key))
			if got != want {
				t.Fatalf("%d bytes: %v, want %v", len(key), got, want)
			}
			if got {
				found++
			}
		}
		if found < 300 || found == 3000 {
			t.Errorf("%d of 3000 are found", found)
		}
	})
	if got := panicOf(func() { Key{}.QueryTable(kernel.NewTable512(1), nil) }); !strings.Contains(
		got, "no key") {
		t.Errorf("without a key: %q", got)
	}
}

// No way to print a key, or what has one, prints its bytes.
func TestPrintsShowNoKey(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		k := ascending(t, a)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
			for name, value := range map[string]any{
				"a key": k, "a pointer": &k, "a field": struct{ k Key }{k}, "a slice": []Key{k},
			} {
				text := strings.ToLower(fmt.Sprintf(verb, value))
				for _, secret := range []string{"030405", "3 4 5", "0x3, 0x4, 0x5"} {
					if strings.Contains(text, secret) {
						t.Errorf("%s of %s: %s", verb, name, text)
					}
				}
			}
		}
	})
}

// The JSON of a key has no key, and none is read from it; encoding/gob writes none.
func TestEncodings(t *testing.T) {
	k := New()
	into := struct{ Key Key }{k}
	for _, text := range []string{k.String(), k.Secret()} {
		var e *ParseError
		err := json.Unmarshal(fmt.Appendf(nil, `{"Key":%q}`, text), &into)
		if !errors.As(err, &e) || !into.Key.Equal(k) {
			t.Errorf("%v, and %v", err, into.Key)
		}
	}
	if err := gob.NewEncoder(io.Discard).Encode(into); err == nil {
		t.Error("gob writes a key")
	}
}
