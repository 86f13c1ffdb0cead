package a2

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// BenchmarkFilters has ns per key beside a plain filter of as many bits per member, in the cache
// and beyond it. Keys that are inserted are new ones, as far as the batch of them lasts; the turns
// that they make are in the time.
func BenchmarkFilters(b *testing.B) {
	for _, members := range []int{10_000, 4 << 20} {
		b.Run(fmt.Sprintf("%d-bytes", 2*members), func(b *testing.B) { benchmark(b, members) })
	}
}

func benchmark(b *testing.B, members int) {
	p, err := plain.New(plain.Config{Members: members, BitsPerKey: 16, Key: fixed})
	if err != nil {
		b.Fatal(err)
	}
	a := newFilter(b, Config{Members: members, BitsPerKey: 16})
	rng := rand.New(rand.NewPCG(1, 1))
	var last []uint64
	for i := range 2 * members / 1024 {
		hashes := workload.Hashes(rng, 1024)
		mustInsert(b, a, hashes...)
		if i%2 == 0 { // half of the keys fill it
			last = hashes
			p.InsertHashBatch(last, nil)
		}
	}
	others, present := workload.Hashes(rng, 1<<18), make([]uint64, 16)
	for _, f := range []struct {
		name string
		filter.Set
	}{{"plain", p}, {"a2", a}} {
		each := func(what string, keys []uint64, call func(part []uint64)) {
			b.Run(what+"/"+f.name, func(b *testing.B) {
				for n := 0; n < b.N; n += 1024 {
					at := n % len(keys)
					call(keys[at : at+1024])
				}
			})
		}
		each("query-single", others, func(part []uint64) {
			for _, hash := range part {
				f.QueryHash(hash)
			}
		})
		each("query-others", others, func(part []uint64) { f.QueryHashBatch(part, present) })
		each("query-members", last, func(part []uint64) { f.QueryHashBatch(part, present) })
	}
	// Inserts come last, because a plain filter of more keys is another.
	for name, f := range map[string]filter.Set{"plain": p, "a2": a} {
		b.Run("insert/"+name, func(b *testing.B) {
			for n := 0; n < b.N; n += 1024 {
				at := n % len(others)
				f.InsertHashBatch(others[at:at+1024], present)
			}
		})
	}
}
