package library

import (
	"fmt"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter/dlbf"
)

// BenchmarkDLBF has ns per key of filter/dlbf and of the library that has the letter's filter too, at equal bits,
// regions and k, in the cache and beyond it: the fastest of its rounds, in which the two take turns. Members are
// inserted into an empty filter, queried and deleted.
func BenchmarkDLBF(b *testing.B) {
	const bits, hashes = 16, 12 // as the library has them: k = ceil(b ln 2)
	boom := boomDeletable()
	for _, n := range []int{10_000, 2 << 20} {
		members, nonMembers := randomKeys(1, n), randomKeys(2, n)
		ours, err := dlbf.New(dlbf.Config{Members: n, BitsPerKey: bits, Hashes: hashes})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d-bytes", ours.State().Bytes), func(b *testing.B) {
			fastest := map[string]float64{}
			for range b.N {
				theirs, err := boom.Begin(n, bits).Finish()
				if err != nil {
					b.Fatal(err)
				}
				ours.Reset()
				for name, f := range map[string]peer.Deleter{"dlbf": ours, "boom": theirs.(peer.Deleter)} {
					for _, operation := range []struct {
						name string
						call func()
					}{
						{"insert", func() { peer.Insert(f, members) }},
						{"members", func() { f.QueryHashBatch(members, nil) }},
						{"non-members", func() { f.QueryHashBatch(nonMembers, nil) }},
						{"delete", func() { f.DeleteHashBatch(members, nil) }},
					} {
						start := time.Now()
						operation.call()
						took, unit := float64(time.Since(start))/float64(n), name+"-"+operation.name+"-ns"
						if before, timed := fastest[unit]; !timed || took < before {
							fastest[unit] = took
						}
					}
				}
			}
			for unit, ns := range fastest {
				b.ReportMetric(ns, unit)
			}
		})
	}
}
