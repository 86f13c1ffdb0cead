package splitblock

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/parquet-go/parquet-go/bloom"

	ours "github.com/bloomlane/bloomlane/kernel/parquet"
)

// Our hashes are xxhash's: those of parquet-go, and those of arrow-go, which is
// github.com/cespare/xxhash.
func TestHashes(t *testing.T) {
	arrow := metadata.NewBloomFilter(32, 32, memory.DefaultAllocator).Hasher()
	var x bloom.XXH64
	for length := range 301 {
		for round := range 20 {
			b := make([]byte, length+8)
			for i := range b {
				b[i] = byte(mix(uint64(length*1000+round*100_000_000+i)) >> 13)
			}
			b = b[round%8:][:length] // wherever it begins
			got := ours.HashBytes(b)
			if want := x.Sum64(b); got != want || want != arrow.Sum64(b) {
				t.Fatalf("%x: %#x, want %#x of parquet-go and %#x of arrow-go", b, got, want,
					arrow.Sum64(b))
			}
		}
	}
	for n := range 300 {
		wide, narrow := make([]uint64, n), make([]uint32, n)
		for i := range wide {
			wide[i], narrow[i] = mix(uint64(i+n*1000)), uint32(mix(uint64(i+n*2000)))
		}
		hashes := make([]uint64, n)
		ours.HashBatch(wide, hashes)
		for i, got := range hashes {
			if want := x.Sum64Uint64(wide[i]); got != want || ours.Hash(wide[i]) != want {
				t.Fatalf("value %d of %d: %#x and %#x, want %#x", i, n, got,
					ours.Hash(wide[i]), want)
			}
		}
		ours.HashBatch(narrow, hashes)
		for i, got := range hashes {
			if want := x.Sum64Uint32(narrow[i]); got != want || ours.Hash(narrow[i]) != want {
				t.Fatalf("value %d of %d: %#x and %#x, want %#x", i, n, got,
					ours.Hash(narrow[i]), want)
			}
		}
	}
}
