package sharded

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// BenchmarkBuild measures ns per key of a filter that two goroutines build: they share one, or each
// has a filter of its own and these are merged. The memory is allocated before.
func BenchmarkBuild(b *testing.B) {
	const goroutines, batch = 2, 512
	for _, blocks := range []int{1 << 12, 1 << 18} {
		all := hashes(9, 32*blocks)
		f := newFilter(b, blocks)
		var parts [goroutines]*deletable.Filter
		for g := range parts {
			part, err := deletable.New(config(blocks))
			if err != nil {
				b.Fatal(err)
			}
			parts[g] = part
		}
		for _, way := range []struct {
			name  string
			empty func()
			build func(g int, hashes []uint64)
			end   func()
		}{
			{"shared, one by one", func() { clear(base.Require(&f.Life).blocks) },
				func(_ int, hashes []uint64) {
					for _, h := range hashes {
						_, _ = f.InsertHash(h)
					}
				}, func() {}},
			{"shared, batches", func() { clear(base.Require(&f.Life).blocks) },
				func(_ int, hashes []uint64) {
					for ; len(hashes) > 0; hashes = hashes[batch:] {
						_, _ = f.InsertHashBatch(hashes[:batch], nil)
					}
				}, func() {}},
			{"merged, batches", func() {
				for _, part := range parts {
					part.Reset()
				}
			}, func(g int, hashes []uint64) {
				for ; len(hashes) > 0; hashes = hashes[batch:] {
					_, _ = parts[g].InsertHashBatch(hashes[:batch], nil)
				}
			}, func() {
				if err := parts[0].Merge(parts[1]); err != nil {
					b.Fatal(err)
				}
			}},
		} {
			b.Run(fmt.Sprintf("%d-bytes/%s", blocks*deletable.BlockBytes, way.name),
				func(b *testing.B) {
					part := len(all) / goroutines
					for range b.N {
						b.StopTimer()
						way.empty()
						b.StartTimer()
						together(goroutines, func(g int) { way.build(g, all[g*part:][:part]) })
						way.end()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)),
						"ns/key")
				})
		}
	}
}

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
