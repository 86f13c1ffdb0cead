//go:build amd64 && !purego

package variants

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/bench/encodings/encoding"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/require"
)

type hitsBatch = func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int, hits *uint64) int

// sets is every variant on every instruction set.
var sets = []struct {
	name          string
	features      []string
	lanes         encoding.Lanes
	query, insert hitsBatch
	remove        func(table *[8]uint64, nblocks int, hashes *uint64, n, fetch, distance int, status *uint8) int
}{
	{"avx2", asm.FeaturesAVX2[:], 1, QueryBatch512AVX2, InsertBatch512AVX2, DeleteBatch512AVX2},
	{"avx2", asm.FeaturesAVX2[:], 2, QueryBatch512Collision2AVX2, InsertBatch512Collision2AVX2, DeleteBatch512Collision2AVX2},
	{"avx2", asm.FeaturesAVX2[:], 3, QueryBatch512Collision3AVX2, InsertBatch512Collision3AVX2, DeleteBatch512Collision3AVX2},
	{"avx512", asm.FeaturesAVX512[:], 1, QueryBatch512AVX512, InsertBatch512AVX512, DeleteBatch512AVX512},
	{"avx512", asm.FeaturesAVX512[:], 2, QueryBatch512Collision2AVX512, InsertBatch512Collision2AVX512, DeleteBatch512Collision2AVX512},
	{"avx512", asm.FeaturesAVX512[:], 3, QueryBatch512Collision3AVX512, InsertBatch512Collision3AVX512, DeleteBatch512Collision3AVX512},
}

// Every variant gives the bits and the answers of its definition, from any block, its collision lanes
// random too.
func TestVariantsEqualTheirDefinition(t *testing.T) {
	for _, set := range sets {
		t.Run(set.name+"/"+set.lanes.String(), func(t *testing.T) {
			for _, name := range set.features {
				if !cpuid.CPU.Supports(cpuid.ParseFeature(name)) {
					require.Skip(t, set.name, "this CPU has no "+name)
				}
			}
			rng := rand.New(rand.NewPCG(1, uint64(set.lanes)))
			statuses, present := [3]int{}, 0
			for n := range 150 {
				for range 10 {
					got := make([]encoding.Block, 1+rng.IntN(9))
					density := rng.IntN(5)
					for i := range got {
						for lane := range got[i] {
							got[i][lane] = rng.Uint64()
							for range density {
								got[i][lane] |= rng.Uint64()
							}
							if lane < int(set.lanes) {
								got[i][lane] &= rng.Uint64() & rng.Uint64()
							}
						}
					}
					hashes := make([]uint64, n+1)
					for i := range hashes {
						hashes[i] = rng.Uint64()
						if i > 0 && rng.IntN(4) == 0 {
							hashes[i] = hashes[rng.IntN(i)]
						}
					}
					for _, h := range hashes[:n/2] {
						set.lanes.Insert(&got[fallback.Index(h, uint64(len(got)))], fallback.Spread(h))
					}
					want := slices.Clone(got)
					distance := rng.IntN(n + 1)
					fetch := rng.IntN(n - distance + 1)
					for _, op := range []struct {
						name string
						run  hitsBatch
						on   func(b *encoding.Block, g uint64) bool
					}{{"query", set.query, set.lanes.Query}, {"insert", set.insert, set.lanes.Insert}, {"query", set.query, set.lanes.Query}} {
						hits := make([]uint64, n/64+1)
						count := op.run(&got[0], len(got), &hashes[0], n, fetch, distance, &hits[0])
						found := 0
						for i, h := range hashes[:n] {
							answer := op.on(&want[fallback.Index(h, uint64(len(want)))], fallback.Spread(h))
							if answer {
								found++
							}
							if hits[i/64]>>(i%64)&1 == 1 != answer {
								t.Fatalf("%s of key %d of %d: %v, want %v", op.name, i, n, !answer, answer)
							}
						}
						present += found
						if count != found || !slices.Equal(got, want) {
							t.Fatalf("%s of %d keys: %d present, want %d; table %x, want %x", op.name, n, count, found, got, want)
						}
					}
					status := make([]uint8, n+1)
					for i := range n / 4 { // strangers
						hashes[i*4] = rng.Uint64()
					}
					count := set.remove(&got[0], len(got), &hashes[0], n, fetch, distance, unsafe.SliceData(status))
					deleted := 0
					for i, h := range hashes[:n] {
						s := set.lanes.Delete(&want[fallback.Index(h, uint64(len(want)))], fallback.Spread(h))
						statuses[s]++
						if s == fallback.Deleted {
							deleted++
						}
						if s != status[i] {
							t.Fatalf("delete of key %d of %d: status %d, want %d", i, n, status[i], s)
						}
					}
					if count != deleted || !slices.Equal(got, want) {
						t.Fatalf("delete of %d keys: %d deleted, want %d; table %x, want %x", n, count, deleted, got, want)
					}
				}
			}
			if present == 0 || slices.Contains(statuses[:], 0) {
				t.Errorf("%d present, %v deletes by status: the test shows nothing of one", present, statuses)
			}
		})
	}
}
