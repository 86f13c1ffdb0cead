package bitwise

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// BenchmarkFilters has ns per key beside a counting filter of as many bits and the same k, in the
// cache and beyond it. Members come by Zipf's law; half of the cells are in use.
func BenchmarkFilters(b *testing.B) {
	for _, members := range []int{4_000, 2 << 20} {
		b.Run(fmt.Sprintf("%d-bytes", 4*members), func(b *testing.B) { benchmark(b, members) })
	}
}

func benchmark(b *testing.B, members int) {
	f := newFilter(b, Config{Members: members, BitsPerKey: 32})
	c, err := counting.New(counting.Config{Members: members, BitsPerKey: 32,
		Hashes: f.Shape().Hashes, Width: 4, Key: fixed})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	all, counts, present := workload.Hashes(rng, members&^1023), make([]uint64, 1024),
		make([]uint64, 16)
	for _, hash := range all {
		n := times(rng, 1)
		if err := f.AddHash(hash, n); err != nil {
			b.Fatal(err)
		}
		for range min(n, 15) {
			if _, err := c.InsertHash(hash); err != nil {
				b.Fatal(err)
			}
		}
	}
	others, ones := workload.Hashes(rng, 1<<18), make([]uint64, 1024)
	for i := range ones {
		ones[i] = 1
	}
	each := func(what string, keys []uint64, call func(part []uint64)) {
		b.Run(what, func(b *testing.B) {
			for n := 0; n < b.N; n += 1024 {
				at := n % len(keys)
				call(keys[at:min(at+1024, len(keys))])
			}
		})
	}
	for _, s := range []struct {
		name string
		filter.Deleter
	}{{"bitwise", f}, {"counting", c}} {
		each("query-single/"+s.name, others, func(part []uint64) {
			for _, hash := range part {
				s.QueryHash(hash)
			}
		})
		each("query-others/"+s.name, others,
			func(part []uint64) { s.QueryHashBatch(part, present) })
		each("query-members/"+s.name, all, func(part []uint64) { s.QueryHashBatch(part, present) })
		each("insert-delete/"+s.name, all, func(part []uint64) {
			_, _ = s.InsertHashBatch(part, nil)
			s.DeleteHashBatch(part, nil)
		})
		each("insert-present/"+s.name, all,
			func(part []uint64) { _, _ = s.InsertHashBatch(part, present) })
	}
	each("count-members/bitwise", all, func(part []uint64) { f.CountHashBatch(part, counts) })
	each("count-others/bitwise", others, func(part []uint64) { f.CountHashBatch(part, counts) })
	each("add/bitwise", all, func(part []uint64) { _, _ = f.AddHashBatch(part, ones) })
}
