package plain

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// BenchmarkFilters has ns per key, in the cache and beyond it.
func BenchmarkFilters(b *testing.B) {
	for _, c := range []Config{
		{Members: 10_000, BitsPerKey: 16}, {Members: 10_000, BitsPerKey: 16, Blocked: true},
		{Members: 64 << 20, BitsPerKey: 16}, {Members: 64 << 20, BitsPerKey: 16, Blocked: true},
	} {
		f := newFilter(b, c)
		rng := rand.New(rand.NewPCG(1, 1))
		for range min(c.Members, 8<<20) / 512 * 512 / 512 {
			f.InsertHashBatch(workload.Hashes(rng, 512), nil)
		}
		keys, present := workload.Hashes(rng, 1<<16), make([]uint64, 1<<10)
		name := fmt.Sprintf("%d-bytes/%s", f.State().Bytes, c.kind().Name)
		each := func(what string, call func(part []uint64)) {
			b.Run(name+"/"+what, func(b *testing.B) {
				for n := 0; n < b.N; n += 512 {
					at := n % len(keys)
					call(keys[at : at+512])
				}
			})
		}
		each("query-single", func(part []uint64) {
			for _, hash := range part {
				f.QueryHash(hash)
			}
		})
		each("query-batch", func(part []uint64) { f.QueryHashBatch(part, present) })
		each("insert-batch", func(part []uint64) { f.InsertHashBatch(part, nil) })
	}
}
