package library

import (
	"fmt"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
)

// BenchmarkDLBF has ns per key of filter/family/dlbf and of the library that has the letter's
// filter too, at equal bits, regions and k, in the cache and beyond it: see fastest. Members are
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
			fastest(b, n, func() (operations []timed) {
				theirs, err := boom.Begin(n, bits).Finish()
				if err != nil {
					b.Fatal(err)
				}
				ours.Reset()
				for name, f := range map[string]peer.Deleter{"dlbf": ours,
					"boom": theirs.(peer.Deleter)} {
					operations = append(operations,
						timed{name + "-insert-ns", func() { peer.Insert(f, members) }},
						timed{name + "-members-ns", func() { f.QueryHashBatch(members, nil) }},
						timed{name + "-non-members-ns",
							func() { f.QueryHashBatch(nonMembers, nil) }},
						timed{name + "-delete-ns", func() { f.DeleteHashBatch(members, nil) }})
				}
				return operations
			})
		})
	}
}

// timed is an operation on n keys, and the unit in which it is reported.
type timed struct {
	unit string
	call func()
}

// fastest reports ns per key of operations: the fastest of b.N rounds, in which they take turns.
func fastest(b *testing.B, n int, round func() []timed) {
	least := map[string]float64{}
	for range b.N {
		for _, operation := range round() {
			start := time.Now()
			operation.call()
			took := float64(time.Since(start)) / float64(n)
			if before, found := least[operation.unit]; !found || took < before {
				least[operation.unit] = took
			}
		}
	}
	for unit, ns := range least {
		b.ReportMetric(ns, unit)
	}
}
