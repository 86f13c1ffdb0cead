package spectral

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// BenchmarkFilters has ns per key at 24 bits for each of the members, in the cache and beyond it. The inserts are of
// members, so that the load stays, and are deleted again where they can be.
func BenchmarkFilters(b *testing.B) {
	for _, members := range []int{10_000, 8 << 20} {
		for _, kind := range []filter.Kind{Selection, Increase, Recurring} {
			f, err := kind.New(filter.Sizing{Members: members, BitsPerKey: 24, Key: fixedKey})
			if err != nil {
				b.Fatal(err)
			}
			c := f.(filter.Counter)
			rng := rand.New(rand.NewPCG(1, 1))
			var in []uint64
			for range members / 1024 {
				in = randomHashes(rng, 1024)
				if _, err := c.InsertHashBatch(in, nil); err != nil {
					b.Fatal(err)
				}
			}
			others, counts := randomHashes(rng, 1<<18), make([]uint64, 1024)
			each := func(what string, keys []uint64, call func(part []uint64)) {
				b.Run(fmt.Sprintf("%d-bytes/%s/%s", 3*members, kind.Name, what), func(b *testing.B) {
					for n := 0; n < b.N; n += 1024 {
						at := n % len(keys)
						call(keys[at : at+1024])
					}
				})
			}
			each("query-others", others, func(part []uint64) { c.QueryHashBatch(part, nil) })
			each("count-others", others, func(part []uint64) { c.CountHashBatch(part, counts) })
			each("count-members", in, func(part []uint64) { c.CountHashBatch(part, counts) })
			each("count-single", in, func(part []uint64) {
				for _, hash := range part {
					c.CountHash(hash)
				}
			})
			if deleter, ok := f.(filter.Deleter); ok {
				each("insert-and-delete", others, func(part []uint64) {
					_, _ = deleter.InsertHashBatch(part, nil)
					deleter.DeleteHashBatch(part, nil)
				})
			}
			each("insert", in, func(part []uint64) { _, _ = c.InsertHashBatch(part, nil) })
		}
	}
}
