//go:build unix

package pmac

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/batch"
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

// TestNothingIsReadBeside: nothing is read outside of keys, headers and offsets, and nothing
// written outside of hashes. All lie between pages that fault, at the start and at the end.
func TestNothingIsReadBeside(t *testing.T) {
	const most = 40 // keys
	each(t, 5, func(s subject) {
		data, headers := guarded(s.T, most*300), guarded(s.T, most*24)
		output := guarded(s.T, most*8)
		// Where pointers are stored there is nothing else: the garbage collector looks at what they
		// replace.
		numbers := guarded(s.T, (most+1)*4)
		copy(data, Random(s.rng, len(data)))
		for _, end := range []bool{false, true} {
			check := func(
				form string,
				keys batch.Keys,
				hashes []uint64,
				key func(i int) []byte,
			) {
				s.Helper()
				s.Batch(keys, hashes)
				for i, got := range hashes {
					if want := s.want(key(i)); got != want {
						s.Fatalf("%s, key %d of %d, %d bytes: %#x, want %#x", form, i, len(hashes),
							len(key(i)), got, want)
					}
				}
				clear(hashes)
			}
			for size := range 301 {
				key := atEdge[byte](data, size, end)
				if got, want := s.Sum64(key), s.want(key); got != want {
					s.Fatalf("one key of %d bytes: %#x, want %#x", size, got, want)
				}
				n := 1 + s.rng.IntN(most)
				hashes := atEdge[uint64](output, n, end)
				all := atEdge[byte](data, n*size, end)
				check("one width", batch.Fixed(all, size, hashes), hashes,
					func(i int) []byte { return all[i*size:][:size] })

				slices, strings := atEdge[[]byte](headers, n, end), make([]string, n)
				for i := range slices {
					slices[i] = atEdge[byte](data, s.rng.IntN(size+1), s.rng.IntN(2) == 0)
				}
				check("slices", batch.Of(slices, hashes), hashes,
					func(i int) []byte { return slices[i] })
				for i := range strings {
					strings[i] = unsafe.String(unsafe.SliceData(slices[i]), len(slices[i]))
				}
				inHeaders := atEdge[string](headers, n, end)
				copy(inHeaders, strings)
				check("strings", batch.Of(inHeaders, hashes), hashes,
					func(i int) []byte { return []byte(inHeaders[i]) })

				offsets := atEdge[uint32](numbers, n+1, end)
				offsets[0] = 0
				for i := range n {
					offsets[i+1] = offsets[i] + uint32(s.rng.IntN(size+1))
				}
				all = atEdge[byte](data, int(offsets[n]), end)
				check("offsets", batch.Offsets(all, offsets, hashes), hashes,
					func(i int) []byte { return all[offsets[i]:offsets[i+1]] })
			}
			for n := range most {
				keys, hashes := atEdge[uint64](data, n, end), atEdge[uint64](output, n, end)
				uint64s(s.onForm, keys, hashes)
				for i, key := range keys {
					if want := s.Sum64Uint64(key); hashes[i] != want {
						s.Fatalf("uint64 %d of %d: %#x, want %#x", i, n, hashes[i], want)
					}
				}
			}
		}
	})
}
