package c

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// SHA-256 has the sums of the examples of NIST (FIPS 180-4), and for messages of every length up to
// some blocks those of Go.
func TestSHA256(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		for message, want := range map[string]string{
			"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": "" +
				"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
			"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq" +
				"klmnopqrlmnopqrsmnopqrstnopqrstu": "" +
				"cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
		} {
			if got := d.call("sha256 %s", text([]byte(message))); got != want {
				t.Errorf("%q: %s, want %s", message, got, want)
			}
		}
		random := rand.NewChaCha8([32]byte{50})
		message := make([]byte, 30_000)
		_, _ = random.Read(message)
		lengths := []int{8191, 8192, 30_000} // from 8192 on a length in bits has 3 bytes
		for n := range 330 {
			lengths = append(lengths, n)
		}
		for _, n := range lengths {
			want := fmt.Sprintf("%x", sha256.Sum256(message[:n]))
			if got := d.call("sha256 %s", text(message[:n])); got != want {
				t.Errorf("%d bytes: %s, want %s", n, got, want)
			}
		}
	})
}

// everyKey returns a key of each algorithm that begins with these bytes.
func everyKey(first ...byte) []key.Key {
	short := first[:min(16, len(first))]
	return []key.Key{keytest.Key(first...), keytest.Sip(short...), keytest.PMAC(short...)}
}

// identity is the answer for a key that Go has read, or not.
func identity(k key.Key, err error) string {
	if err != nil {
		return "not a hash key"
	}
	return fmt.Sprintf("%d %x", k.Algorithm(), k.Fingerprint())
}

// Texts and bytes are keys in C if they are in Go, and these have the same algorithm and the same
// fingerprint.
func TestKeys(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		keys := 0
		parse := func(s string) {
			want := identity(key.Parse(s))
			if got := d.call("key_text %s", s); got != want {
				t.Errorf("the text %s: %s, want %s", s, got, want)
			} else if got != "not a hash key" {
				keys++
			}
		}
		take := func(b []byte) {
			want := identity(key.FromBytes(b))
			if got := d.call("key_bytes %s", text(b)); got != want {
				t.Errorf("the bytes %q: %s, want %s", b, got, want)
			} else if got != "not a hash key" {
				keys++
			}
		}
		random := rand.NewChaCha8([32]byte{51})
		for range 100 {
			b := make([]byte, 32)
			_, _ = random.Read(b)
			for _, k := range everyKey(b...) {
				parse(k.Secret())
				take(k.Bytes())
			}
		}
		if keys != 600 {
			t.Errorf("%d keys, want 600", keys)
		}
		first := ascending(32)
		for i := range first {
			first[i] += 0xa3 // digits and letters
		}
		for _, k := range everyKey(first...) {
			secret, b := k.Secret(), k.Bytes()
			upper, tag := strings.ToUpper(secret), strings.TrimRight(secret, "0123456789abcdef")
			parse(upper)
			parse(tag + strings.TrimPrefix(upper, strings.ToUpper(tag)))
			parse(secret + "0")
			parse(secret + "00")
			parse("sip13:" + secret)
			parse("pmac:" + secret)
			parse(strings.Replace(secret, "pmac:", "pmac", 1))
			parse("sip13:" + strings.TrimPrefix(secret, tag))
			parse("pmac:" + strings.TrimPrefix(secret, tag))
			parse(secret[:1] + " " + secret[1:])
			for i := 1; i <= len(secret); i++ {
				parse(secret[:i])
				for _, c := range "/0:@AFG`fgs\x00\x80\xff" { // the digits' ends and neighbours
					if c != 0 {
						parse(secret[:i-1] + string(c) + secret[i:])
					}
				}
			}
			for n := range 70 {
				take(append(slices.Clone(b), ascending(n)...)[:n])
			}
			for i := range b {
				b[i]++
				take(b)
				b[i]--
			}
		}
		take([]byte("sip13:, and 26 bytes of key")[:22])
		take([]byte("sip13:, of HighwayHash-64's 32 bytes")[:32])
		take([]byte("pmac:, and 26 bytes of key")[:21])
		take([]byte("pmac:, of HighwayHash-64's 32 bytes")[:32])
		take([]byte("pmac:, and 22 bytes, as of SipHash")[:22])
		take([]byte("sip13:, and 21 bytes, as of PMAC")[:21])
	})
}
