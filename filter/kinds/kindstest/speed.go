package kindstest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// Benchmark times the operations on hashes of each kind, one at a time and in batches, in a
// table that the cache holds: ns for a hash. Inserts and deletes leave the members as they were,
// where a kind deletes.
func (suite Suite) Benchmark(b *testing.B) {
	const members, batch = 10_000, 512
	for _, kind := range suite.Kinds {
		if kind.From != "" {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: members, BitsPerKey: 20})
		if err != nil {
			b.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		hashes := workload.Hashes(rng, members/2/batch*batch)
		if _, err := f.InsertHashBatch(hashes, nil); err != nil {
			b.Fatal(err)
		}
		each := func(name string, call func(part []uint64)) {
			b.Run(kind.Name+"/"+name, func(b *testing.B) {
				for n := 0; n < b.N; n += batch {
					call(hashes[n%len(hashes):][:batch])
				}
			})
		}
		// Calls on the type itself, as programs make them, cost a little less than these.
		each("query", func(part []uint64) {
			for _, h := range part {
				f.QueryHash(h)
			}
		})
		each("query-batch", func(part []uint64) { f.QueryHashBatch(part, nil) })
		deleter, deletes := f.(filter.Deleter)
		if !deletes {
			each("insert", func(part []uint64) {
				for _, h := range part {
					_, _ = f.InsertHash(h)
				}
			})
			each("insert-batch", func(part []uint64) { _, _ = f.InsertHashBatch(part, nil) })
			continue
		}
		each("insert-delete", func(part []uint64) {
			for _, h := range part {
				_, _ = f.InsertHash(h)
				deleter.DeleteHash(h)
			}
		})
		each("insert-delete-batch", func(part []uint64) {
			_, _ = f.InsertHashBatch(part, nil)
			deleter.DeleteHashBatch(part, nil)
		})
	}
}

// BenchmarkState times State in tables of 1 MiB and 64 MiB, fresh and after a delete.
func (suite Suite) BenchmarkState(b *testing.B) {
	for _, kind := range suite.Kinds {
		for _, size := range []int{1 << 20, 64 << 20} {
			if kind.From != "" {
				continue
			}
			const bits = 20
			f, err := kind.New(filter.Sizing{Members: 8 * size / bits, BitsPerKey: bits})
			if err != nil {
				b.Fatal(err)
			}
			hashes := spread(1000)
			if _, err := f.InsertHashBatch(hashes, nil); err != nil {
				b.Fatal(err)
			}
			state := func(when string) {
				b.Run(fmt.Sprintf("%s/%d-MiB/%s", kind.Name, size>>20, when), func(b *testing.B) {
					for b.Loop() {
						f.State()
					}
				})
			}
			state("fresh")
			if deleter, deletes := f.(filter.Deleter); deletes {
				deleter.DeleteHash(hashes[0])
				state("deleted")
			}
		}
	}
}
