package cuckoo

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// BenchmarkQuery has ns per key of non-members in batches, in the cache and beyond it.
func BenchmarkQuery(b *testing.B) {
	for _, bits := range []int{8, 12, 16, 20} {
		for _, members := range []int{10_000, 16 << 20} {
			f := newFilter(b, Config{Members: members, Rate: 0.9, Fingerprint: bits})
			rng := rand.New(rand.NewPCG(1, 1))
			for range members / 4096 {
				if _, err := f.InsertHashBatch(workload.Hashes(rng, 2048), nil); err != nil {
					b.Fatal(err)
				}
			}
			keys := workload.Hashes(rng, 1<<16)
			b.Run(fmt.Sprintf("%d-bits/%d-bytes", bits, f.State().Bytes), func(b *testing.B) {
				for n := 0; n < b.N; n += 512 {
					f.QueryHashBatch(keys[n%len(keys):][:512], nil)
				}
			})
		}
	}
}
