package model

import (
	"encoding/binary"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/minio/highwayhash"

	"github.com/bloomlane/bloomlane/internal/require"
)

// driver has the C file hash keys in both forms, on an emulated CPU that is given no C library. It
// reads a state before the first packet, and keys.
const driver = `
enum { N = 64 };
static long call(long number, long file, void *at, long n) {
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = file, x2 __asm__("x2") = n;
	register void *x1 __asm__("x1") = at;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}
void _start(void) {
	static state s;
	static uint8_t keys[N * SIZE];
	static uint64_t hashes[2][N];
	if (call(63, 0, &s, sizeof s) == sizeof s && call(63, 0, keys, sizeof keys) == sizeof keys) {
		if (SIZE < PACKET)
			plain_resize(&s, SIZE);
		plain_hash(&s, keys, N, hashes[0]);
		neon_hash(&s, keys, N, hashes[1]);
		call(64, 1, hashes, sizeof hashes);
	}
	call(93, 0, 0, 0);
}
`

// What clang is measured by is HighwayHash.
func TestHighwayOfC(t *testing.T) {
	const clang, linker, emulator = "clang-" + llvmVersion, "aarch64-linux-gnu-ld",
		"qemu-aarch64-static"
	for _, tool := range []string{clang, linker, emulator} {
		if _, err := exec.LookPath(tool); err != nil {
			require.Skip(t, "clang", err.Error()+": .ci/setup and .ci/setup report install it")
		}
	}
	random := rand.NewChaCha8([32]byte{})
	var key [highwayhash.Size]byte
	_, _ = random.Read(key[:])
	folder := t.TempDir()
	object, program := filepath.Join(folder, "driver.o"), filepath.Join(folder, "driver")
	for _, size := range highway.sizes {
		if _, err := command(nil, highway.text+driver, clang, "--target=aarch64-linux-gnu",
			"-DSIZE="+strconv.Itoa(size), "-O3", "-ffreestanding", "-x", "c", "-c", "-", "-o",
			object); err != nil {
			t.Fatal(err)
		}
		if _, err := command(nil, "", linker, object, "-o", program); err != nil {
			t.Fatal(err)
		}
		const n = 64
		keys := make([]byte, n*size)
		_, _ = random.Read(keys)
		text, err := command(nil, string(initialState(key))+string(keys), emulator, program)
		if err != nil || len(text) != 2*8*n {
			t.Fatalf("%d bytes: %d bytes of hashes, want %d (%v)", size, len(text), 2*8*n, err)
		}
		for i := range 2 * n {
			want := highwayhash.Sum64(keys[i%n*size:][:size], key[:])
			if got := binary.LittleEndian.Uint64([]byte(text[8*i:])); got != want {
				t.Errorf("%d bytes, key %d, %s: %#x, want %#x", size, i%n,
					[]string{"plain", "neon"}[i/n], got, want)
			}
		}
	}
}

// initialState is what internal/highway begins with: v0, v1, mul0 and mul1.
func initialState(key [highwayhash.Size]byte) (state []byte) {
	mul := [8]uint64{
		0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3,
		0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c, 0x452821e638d01377,
	}
	for i, m := range mul {
		word := binary.LittleEndian.Uint64(key[i%4*8:])
		if i >= 4 {
			word = word<<32 | word>>32
		}
		state = binary.LittleEndian.AppendUint64(state, m^word)
	}
	for _, m := range mul {
		state = binary.LittleEndian.AppendUint64(state, m)
	}
	return state
}
