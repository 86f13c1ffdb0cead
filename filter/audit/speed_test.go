package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// BenchmarkAudit tells what an audit costs: the time of audited calls as a multiple of that of the same calls
// of the filter itself. Both take turns on one table of 16 bits per key, and the least time of each counts.
func BenchmarkAudit(b *testing.B) {
	for _, bytes := range []int{16 << 10, 4 << 20, 1 << 30} {
		of, err := deletable.New(deletable.Config{Members: bytes / 2, BitsPerKey: 16})
		if err != nil {
			b.Fatal(err)
		}
		audited, err := New(of, Config{})
		if err != nil {
			b.Fatal(err)
		}
		const batch = 4096
		keys := make([]uint64, min(bytes/2, 1<<19))
		hashes := make([]uint64, len(keys))
		for i := range keys {
			keys[i] = rand.Uint64()
		}
		of.Key().HashUint64Batch(keys, hashes)
		batches := func(of []uint64, call func([]uint64)) {
			for start := 0; start < len(of); start += batch {
				call(of[start:min(start+batch, len(of))])
			}
		}
		type calls struct {
			name string
			call func(f *deletable.Filter)
			with func(f *Filter)
		}
		for _, c := range []calls{
			{
				"hashes/insert",
				func(f *deletable.Filter) { batches(hashes, func(h []uint64) { _, _ = f.InsertHashBatch(h, nil) }) },
				func(f *Filter) { batches(hashes, func(h []uint64) { _, _ = f.InsertHashBatch(h, nil) }) },
			},
			{
				"hashes/query",
				func(f *deletable.Filter) { batches(hashes, func(h []uint64) { f.QueryHashBatch(h, nil) }) },
				func(f *Filter) { batches(hashes, func(h []uint64) { f.QueryHashBatch(h, nil) }) },
			},
			{
				"hashes/delete",
				func(f *deletable.Filter) { batches(hashes, func(h []uint64) { f.DeleteHashBatch(h, nil) }) },
				func(f *Filter) { batches(hashes, func(h []uint64) { f.DeleteHashBatch(h, nil) }) },
			},
			{
				"uint64s/insert",
				func(f *deletable.Filter) { batches(keys, func(k []uint64) { _, _ = f.InsertUint64Batch(k, nil) }) },
				func(f *Filter) { batches(keys, func(k []uint64) { _, _ = f.InsertUint64Batch(k, nil) }) },
			},
			{
				"uint64s/query",
				func(f *deletable.Filter) { batches(keys, func(k []uint64) { f.QueryUint64Batch(k, nil) }) },
				func(f *Filter) { batches(keys, func(k []uint64) { f.QueryUint64Batch(k, nil) }) },
			},
			{
				"uint64s/delete",
				func(f *deletable.Filter) { batches(keys, func(k []uint64) { f.DeleteUint64Batch(k, nil) }) },
				func(f *Filter) { batches(keys, func(k []uint64) { f.DeleteUint64Batch(k, nil) }) },
			},
			{
				"single/insert",
				func(f *deletable.Filter) {
					batches(hashes, func(h []uint64) { each(h, func(h uint64) { _, _ = f.InsertHash(h) }) })
				},
				func(f *Filter) {
					batches(hashes, func(h []uint64) { each(h, func(h uint64) { _, _ = f.InsertHash(h) }) })
				},
			},
			{
				"single/query",
				func(f *deletable.Filter) {
					batches(hashes, func(h []uint64) { each(h, func(h uint64) { f.QueryHash(h) }) })
				},
				func(f *Filter) { batches(hashes, func(h []uint64) { each(h, func(h uint64) { f.QueryHash(h) }) }) },
			},
			{
				"single/delete",
				func(f *deletable.Filter) {
					batches(hashes, func(h []uint64) { each(h, func(h uint64) { f.DeleteHash(h) }) })
				},
				func(f *Filter) { batches(hashes, func(h []uint64) { each(h, func(h uint64) { f.DeleteHash(h) }) }) },
			},
		} {
			b.Run(fmt.Sprintf("%s/%d-KiB", c.name, bytes>>10), func(b *testing.B) {
				passes := max(1, 1<<16/len(hashes)) // so that a time is well above the clock's step
				least := func(best time.Duration, call func()) time.Duration {
					start := time.Now()
					for range passes {
						call()
					}
					return min(best, time.Since(start))
				}
				plain, with := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
				for b.Loop() {
					plain = least(plain, func() { c.call(of) })
					with = least(with, func() { c.with(audited) })
				}
				n := float64(passes * len(hashes))
				b.ReportMetric(float64(plain)/n, "ns/key")
				b.ReportMetric(float64(with)/n, "audited-ns/key")
				b.ReportMetric(float64(with)/float64(plain), "ratio")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func each(hashes []uint64, call func(uint64)) {
	for _, hash := range hashes {
		call(hash)
	}
}
