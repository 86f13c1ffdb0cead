package c

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// ascending returns n bytes 00 01 … ff 00 ….
func ascending(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// HighwayHash-64 of 00 01 … under the key 00 01 … 1f, by the number of bytes: Google's test vectors
// (highwayhash_test.cc). And of any bytes under any key it is that of package key.
func TestHighwayHash(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		for n, want := range map[int]uint64{
			0: 0x907a56de22c26e53, 1: 0x7eab43aac7cddd78, 2: 0xb8d0569ab0b53d62,
			3: 0x5c6befab8a463d80, 8: 0xe1205108e55f3171, 15: 0x40793f86a449f33b,
			16: 0xcfab3489f97eb832, 31: 0x9fc7007ccf035a68, 32: 0xa0c964d9ecd580fc,
			33: 0x2c90f73ca03181fc, 63: 0xab8eebe9bf2139a0, 64: 0x75542c5d4cd2a6ff,
		} {
			got := d.number("highway %x %s", ascending(32), text(ascending(n)))
			if got != want {
				t.Errorf("%d bytes: %#x, want %#x", n, got, want)
			}
		}
		random := rand.NewChaCha8([32]byte{35})
		secret, data := make([]byte, 32), make([]byte, 200)
		for n := range data {
			_, _ = random.Read(secret)
			_, _ = random.Read(data)
			k, err := key.FromBytes(secret)
			if err != nil {
				t.Fatal(err)
			}
			got, want := d.number("highway %x %s", secret, text(data[:n])), k.Hash(data[:n])
			if got != want {
				t.Errorf("%x under %x: %#x, want %#x", data[:n], secret, got, want)
			}
			x := binary.BigEndian.Uint64(data)
			if got, want := d.number("highway_u64 %x %x", secret, x), k.HashUint64(x); got != want {
				t.Errorf("%#x under %x: %#x, want %#x", x, secret, got, want)
			}
		}
	})
}

// AES-PMAC has the tags of its author's test vectors, as internal/pmac has them, and the hashes of
// package key for keys of every length up to 1 KiB and of some beyond: with AES instructions where
// the CPU has them, and without.
func TestPMAC(t *testing.T) {
	native := cpuid.CPU.Supports(cpuid.AESNI) ||
		runtime.GOOS == "linux" && cpuid.CPU.Supports(cpuid.AESARM)
	random := rand.NewChaCha8([32]byte{36})
	secret, data := make([]byte, 16), make([]byte, 1<<14)
	_, _ = random.Read(data)
	lengths := []int{4095, 4096, 4097, 1<<14 - 1, 1 << 14}
	for n := range 1<<10 + 1 {
		lengths = append(lengths, n)
	}
	for _, test := range []struct {
		compiler compiler
		native   bool
	}{{gcc, native}, {portable, false}, {clang, native}} {
		if testing.Short() && test.compiler.feature == clang.feature {
			break
		}
		t.Run(fmt.Sprint(test.compiler.commands[0], ", native: ", test.native), func(t *testing.T) {
			d := start(t, test.compiler)
			if got := d.number("aes") == 1; got != test.native {
				t.Errorf("AES instructions run: %v", got)
			}
			for n, want := range map[int]uint64{
				0: 0x4153ead62c579943, 3: 0x1b991b3c19a56b25, 16: 0xf6da58a42f82bdeb,
				20: 0x0579bf0b15ca1204, 32: 0x99335e9e4ec07ae9, 34: 0x867c4fb25e7dba5c,
			} {
				if got := d.number("pmac %x %s", ascending(16), text(ascending(n))); got != want {
					t.Errorf("%d bytes: %#x, want %#x", n, got, want)
				}
			}
			for _, n := range lengths {
				_, _ = random.Read(secret)
				k := keytest.PMAC(secret...)
				if got, want := d.number("pmac %x %s", secret, text(data[:n])),
					k.Hash(data[:n]); got != want {
					t.Errorf("%d bytes under %x: %#x, want %#x", n, secret, got, want)
				}
				x := random.Uint64()
				if got, want := d.number("pmac_u64 %x %x", secret, x),
					k.HashUint64(x); got != want {
					t.Errorf("%#x under %x: %#x, want %#x", x, secret, got, want)
				}
			}
		})
	}
}

// SipHash-1-3 by other implementations. Under the key 00 01 … 0f those of 00 01 … are of
// SipHasher13::new_with_keys of Rust's std::hash (rustc 1.95.0), by the number of bytes; the
// authors' siphash.c, compiled with cROUNDS=1 and dROUNDS=3, has the same. The others are of
// CPython 3.11.7: hash(bytes(range(n))) with PYTHONHASHSEED=2012, from which it makes the key.
func TestSipHash(t *testing.T) {
	const (
		published = "000102030405060708090a0b0c0d0e0f"
		seeded    = "d0e92f20b3b999909a9c6af230e1c0c0"
	)
	each(t, func(t *testing.T, d *driver) {
		for secret, vectors := range map[string]map[int]uint64{
			published: {
				0: 0xabac0158050fc4dc, 1: 0xc9f49bf37d57ca93, 2: 0x82cb9b024dc7d44d,
				7: 0xd3927d989bb11140, 8: 0x369095118d299a8e, 9: 0x25a48eb36c063de4,
				15: 0xd320d86d2a519956, 16: 0xcc4fdd1a7d908b66, 63: 0x9d199062b7bbb3a8,
			},
			seeded: {
				1: 0xb305946f3ca9f881, 7: 0x8a61b93824b22126, 8: 0xe298ac8753b19258,
				63: 0x409c3219bf650b8e,
			},
		} {
			for n, want := range vectors {
				got := d.number("sip %s %s", secret, text(ascending(n)))
				if got != want {
					t.Errorf("%d bytes under %s: %#x, want %#x", n, secret, got, want)
				}
			}
		}
		// All lengths: the hashes of 0 to 1000 bytes, as 8 little-endian bytes each, are one more
		// key, whose hash Rust and the authors' program have too.
		var all []byte
		for n := range 1001 {
			all = binary.LittleEndian.AppendUint64(all,
				d.number("sip %s %s", published, text(ascending(n))))
		}
		if got, want := d.number("sip %s %s", published, text(all)),
			uint64(0x19f63251e605cd5c); got != want {
			t.Errorf("of all hashes: %#x, want %#x", got, want)
		}
		rng := rand.New(rand.NewPCG(35, 3))
		for range 100 {
			x := rng.Uint64()
			eight := hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, x))
			got, want := d.number("sip_u64 %s %x", seeded, x), d.number("sip %s %s", seeded, eight)
			if got != want {
				t.Errorf("%#x: %#x, want %#x as of its bytes", x, got, want)
			}
		}
	})
}
