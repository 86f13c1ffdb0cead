package sharded

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// BenchmarkRenew measures ns per member of a rebuild, from hashes in memory, and ns per part of
// one, which is more than others wait for.
func BenchmarkRenew(b *testing.B) {
	for _, blocks := range []int{1 << 12, 1 << 18} {
		all, f := hashes(31, 32*blocks), newFilter(b, blocks)
		_, _ = f.InsertHashBatch(all, nil)
		b.Run(fmt.Sprintf("%d-bytes/rebuild", blocks*deletable.BlockBytes), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if err := renewals["rebuild"](f, all); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/member")
		})
		b.Run(fmt.Sprintf("%d-bytes/parts", blocks*deletable.BlockBytes), func(b *testing.B) {
			t := base.Require(&f.Life)
			_, high := t.blocks.Interval(t.blocksOf(0))
			listed := slices.DeleteFunc(slices.Sorted(slices.Values(all)),
				func(h uint64) bool { return h > high })
			parts := 0
			b.ResetTimer()
			for range b.N {
				t.record(0)
				for rest, more := listed, true; more; parts++ {
					rest, more = t.renewPart(0, rest)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(parts), "ns/part")
		})
	}
}
