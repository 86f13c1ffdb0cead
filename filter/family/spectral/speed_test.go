package spectral

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// BenchmarkFilters has ns per key in batches at 32 bits for each of the members, with k = 4, of
// counters of variable length and of 16 bits, in the cache and beyond it. What is inserted are
// members, so that the rate stays.
func BenchmarkFilters(b *testing.B) {
	for _, members := range []int{8000, 4 << 20} {
		for _, width := range []int{0, 16} {
			for _, r := range rules {
				f := mustNew(b, Config{Members: members, BitsPerKey: 32, Width: width, Hashes: 4},
					r)
				rng := rand.New(rand.NewPCG(1, 1))
				in := workload.Hashes(rng, min(members, 1<<16)/1024*1024)
				if _, err := f.InsertHashBatch(in, nil); err != nil {
					b.Fatal(err)
				}
				for range (members - len(in)) / 1024 {
					if _, err := f.InsertHashBatch(workload.Hashes(rng, 1024), nil); err != nil {
						b.Fatal(err)
					}
				}
				others, counts := workload.Hashes(rng, 1<<16), make([]uint64, 1024)
				each := func(what string, keys []uint64, call func(part []uint64)) {
					b.Run(fmt.Sprintf("%d-bytes/%v/width-%d/%s", 4*members, r, width, what),
						func(b *testing.B) {
							for n := 0; n < b.N; n += 1024 {
								at := n % len(keys)
								call(keys[at : at+1024])
							}
						})
				}
				each("query-others", others, func(part []uint64) { f.QueryHashBatch(part, nil) })
				each("count-others", others, func(part []uint64) { f.CountHashBatch(part, counts) })
				each("count-members", in, func(part []uint64) { f.CountHashBatch(part, counts) })
				if deleter, ok := f.(filter.Deleter); ok {
					each("insert-and-delete", others, func(part []uint64) {
						_, _ = f.InsertHashBatch(part, nil)
						deleter.DeleteHashBatch(part, nil)
					})
				}
				each("insert", in, func(part []uint64) { _, _ = f.InsertHashBatch(part, nil) })
			}
		}
	}
}
