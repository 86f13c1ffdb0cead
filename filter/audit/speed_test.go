package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// BenchmarkAudit reports what an audit costs: the time of audited calls as a multiple of that of
// the same calls of the filter itself. Both take turns on one table of 16 bits per key, a few
// thousand keys each, and the least times count.
func BenchmarkAudit(b *testing.B) {
	const batch, stretch = 4096, 1 << 15
	for _, bytes := range []int{16 << 10, 4 << 20, 1 << 30} {
		inner, err := deletable.New(deletable.Config{Members: bytes / 2, BitsPerKey: 16})
		if err != nil {
			b.Fatal(err)
		}
		audited, err := New(inner, Config{})
		if err != nil {
			b.Fatal(err)
		}
		keys := make([]uint64, max(stretch, min(bytes/2, 1<<22)))
		hashes := make([]uint64, len(keys))
		for i := range keys {
			keys[i] = rand.Uint64N(uint64(bytes / 2)) // as many as there may be members
		}
		inner.Key().HashUint64Batch(keys, hashes)
		for _, calls := range []struct {
			name string
			keys []uint64
			call func(f filter.Deleter, k keyed, keys []uint64)
		}{
			{"hashes/insert", hashes,
				func(f filter.Deleter, _ keyed, keys []uint64) {
					_, _ = f.InsertHashBatch(keys, nil)
				}},
			{"hashes/query", hashes,
				func(f filter.Deleter, _ keyed, keys []uint64) { f.QueryHashBatch(keys, nil) }},
			{"hashes/delete", hashes,
				func(f filter.Deleter, _ keyed, keys []uint64) { f.DeleteHashBatch(keys, nil) }},
			{"uint64s/insert", keys,
				func(_ filter.Deleter, f keyed, keys []uint64) {
					_, _ = f.InsertUint64Batch(keys, nil)
				}},
			{"uint64s/query", keys,
				func(_ filter.Deleter, f keyed, keys []uint64) { f.QueryUint64Batch(keys, nil) }},
			{"uint64s/delete", keys,
				func(_ filter.Deleter, f keyed, keys []uint64) { f.DeleteUint64Batch(keys, nil) }},
			{"single/insert", hashes, func(f filter.Deleter, _ keyed, keys []uint64) {
				each(keys, func(h uint64) { _, _ = f.InsertHash(h) })
			}},
			{"single/query", hashes,
				func(f filter.Deleter, _ keyed, keys []uint64) {
					each(keys, func(h uint64) { f.QueryHash(h) })
				}},
			{"single/delete", hashes,
				func(f filter.Deleter, _ keyed, keys []uint64) {
					each(keys, func(h uint64) { f.DeleteHash(h) })
				}},
		} {
			b.Run(fmt.Sprintf("%s/%d-KiB", calls.name, bytes>>10), func(b *testing.B) {
				next := 0
				least := func(best time.Duration, f keyed) time.Duration {
					keys := calls.keys[next : next+stretch]
					// other keys than those that are in the caches now
					next = (next + stretch) % len(calls.keys)
					start := time.Now()
					for ; len(keys) > 0; keys = keys[min(batch, len(keys)):] {
						calls.call(f, f, keys[:min(batch, len(keys))])
					}
					return min(best, time.Since(start))
				}
				plain, sampled := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
				for b.Loop() {
					plain = least(plain, inner)
					sampled = least(sampled, audited)
				}
				b.ReportMetric(float64(plain)/stretch, "ns/key")
				b.ReportMetric(float64(sampled)/stretch, "audited-ns/key")
				b.ReportMetric(float64(sampled)/float64(plain), "ratio")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// keyed is a filter with batches of uint64s.
type keyed interface {
	filter.Deleter
	InsertUint64Batch(keys, present []uint64) (n int, err error)
	QueryUint64Batch(keys, present []uint64) int
	DeleteUint64Batch(keys []uint64, status []filter.Status) int
}

func each(hashes []uint64, call func(uint64)) {
	for _, hash := range hashes {
		call(hash)
	}
}
