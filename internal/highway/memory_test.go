//go:build unix

package highway

import (
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"github.com/minio/highwayhash"
	"golang.org/x/sys/unix"
)

// guarded returns size bytes, a whole number of pages, between two pages that fault on every
// access.
func guarded(t *testing.T, size int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return all[page : page+size]
}

// atEdge returns n elements of memory, whose first or last byte is beside a page that faults.
func atEdge[E any](memory []byte, n int, end bool) []E {
	start := unsafe.Pointer(unsafe.SliceData(memory))
	if end {
		start = unsafe.Add(start, len(memory)-n*int(unsafe.Sizeof(*new(E))))
	}
	return unsafe.Slice((*E)(start), n)
}

// Nothing is read outside of keys, headers and offsets, and nothing written outside of hashes: all
// lie between pages that fault, at the start and at the end.
func TestNothingIsReadBeside(t *testing.T) {
	const most = 40 // keys
	each(t, func(t *testing.T, im implementation) {
		rng := rand.New(rand.NewPCG(5, 16))
		k := New(randomKey(rng))
		data, headers, output := guarded(t, most*300), guarded(t, most*24), guarded(t, most*8)
		// Where pointers are stored there is nothing else: the garbage collector looks at what they
		// replace.
		numbers := guarded(t, (most+1)*4)
		copy(data, random(rng, len(data)))
		for _, end := range []bool{false, true} {
			check := func(form string, hashes []uint64, key func(i int) []byte) {
				t.Helper()
				for i, got := range hashes {
					if want := highwayhash.Sum64(key(i), k.Bytes()); got != want {
						t.Fatalf("%s, key %d of %d, %d bytes: %#x, want %#x", form, i, len(hashes),
							len(key(i)), got, want)
					}
				}
				clear(hashes)
			}
			for size := range 301 {
				key := atEdge[byte](data, size, end)
				check("Sum64", []uint64{im.sum64(k, key)}, func(int) []byte { return key })

				n := 1 + rng.IntN(most)
				hashes := atEdge[uint64](output, n, end)
				fixed := atEdge[byte](data, n*size, end)
				im.fixed(k, fixed, size, hashes)
				check("Fixed", hashes, func(i int) []byte { return fixed[i*size:][:size] })

				slices, strings := atEdge[[]byte](headers, n, end), make([]string, n)
				for i := range slices {
					slices[i] = atEdge[byte](data, rng.IntN(size+1), rng.IntN(2) == 0)
				}
				keysOn(im, k, slices, hashes)
				check("Slices", hashes, func(i int) []byte { return slices[i] })
				for i := range strings {
					strings[i] = unsafe.String(unsafe.SliceData(slices[i]), len(slices[i]))
				}
				inHeaders := atEdge[string](headers, n, end)
				copy(inHeaders, strings)
				keysOn(im, k, inHeaders, hashes)
				check("Strings", hashes, func(i int) []byte { return []byte(inHeaders[i]) })

				offsets := atEdge[uint32](numbers, n+1, end)
				offsets[0] = 0
				for i := range n {
					offsets[i+1] = offsets[i] + uint32(rng.IntN(size+1))
				}
				all := atEdge[byte](data, int(offsets[n]), end)
				offsetsOn(im, k, all, offsets, hashes)
				check("Offsets", hashes, func(i int) []byte { return all[offsets[i]:offsets[i+1]] })
			}
			for n := range most {
				keys, hashes := atEdge[uint64](data, n, end), atEdge[uint64](output, n, end)
				im.uint64s(k, keys, hashes)
				for i, key := range keys {
					if want := im.sum64Uint64(k, key); hashes[i] != want {
						t.Fatalf("Uint64s, key %d of %d: %#x, want %#x", i, n, hashes[i], want)
					}
				}
			}
		}
	})
}
