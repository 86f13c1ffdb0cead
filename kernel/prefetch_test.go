package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Queries of a table beyond the caches: one key at a time, one at a time after a Prefetch some keys
// ahead, and in batches. docs/measurements/kernel.md has results.
func BenchmarkAnnounced(b *testing.B) {
	const keys, most = 1 << 20, 32
	table := NewTable512(1 << 24)
	for i := range table {
		table[i][1] = 1 // so that its pages are resident
	}
	rng := rand.New(rand.NewPCG(1, 2))
	hashes, present := make([]uint64, keys+most), make([]uint64, keys/64)
	count := 0
	run := func(name string, query func()) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				for i := range hashes {
					hashes[i] = rng.Uint64()
				}
				b.StartTimer()
				query()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/key")
		})
	}
	run("batch", func() { count += table.QueryBatch(hashes[:keys], present) })
	run("single", func() {
		for _, h := range hashes[:keys] {
			if table.Query(h) {
				count++
			}
		}
	})
	for ahead := 4; ahead <= most; ahead *= 2 {
		run(fmt.Sprintf("announced=%d", ahead), func() {
			for i, h := range hashes[:keys] {
				table.Prefetch(hashes[i+ahead])
				if table.Query(h) {
					count++
				}
			}
		})
	}
}

// Prefetch changes nothing, allocates nothing, and accepts a table of any length.
func TestPrefetch(t *testing.T) {
	table, narrow, split := NewTable512(100), NewTable256(100), NewSplitBlockTable(100)
	if n := testing.AllocsPerRun(10, func() {
		for h := range uint64(1000) {
			table.Prefetch(h << 54)
			narrow.Prefetch(h << 54)
			split.Prefetch(h << 54)
		}
		Table512(nil).Prefetch(1)
		Table256{}.Prefetch(1)
		SplitBlockTable{}.Prefetch(1)
	}); n != 0 {
		t.Errorf("it allocates %g times", n)
	}
	if ones, collided := table.Count(); ones != 0 || collided != 0 {
		t.Errorf("after prefetches the table has %d bits and %d collided regions",
			ones, collided)
	}
}
