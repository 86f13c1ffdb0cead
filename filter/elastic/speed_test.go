package elastic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// BenchmarkSideBySide has ns per key of a filter that has grown from 1,000 members, and of a cuckoo
// filter that was made for as many, both of 1 % of false positives: batches, and one key at a time.
// Each delete follows an insert.
func BenchmarkSideBySide(b *testing.B) {
	const group = 512
	for _, members := range []int{10_000, 1_000_000, 10_000_000} {
		rng := rand.New(rand.NewPCG(1, 1))
		in := workload.Hashes(rng, members)
		others := workload.Hashes(rng, 1<<21) // enough that memory has to be read
		for _, subject := range []struct {
			name string
			make func() (filter.Deleter, error)
		}{
			{"elastic",
				func() (filter.Deleter, error) {
					return New(Config{Members: 1000, Rate: 0.01, Key: fixed})
				}},
			{"cuckoo", func() (filter.Deleter, error) {
				return cuckoo.New(cuckoo.Config{Members: members + group, Rate: 0.01, Key: fixed})
			}},
		} {
			f, err := subject.make()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.InsertHashBatch(in, nil); err != nil {
				b.Fatal(err)
			}
			bytes := map[string]int{"bytes": f.State().Bytes}
			if f, ok := f.(*Filter); ok {
				s := f.Stats()
				bytes = map[string]int{"fast-bytes": s.FastBytes, "slow-bytes": s.SlowBytes}
			}
			run := func(name string, call func(keys []uint64)) {
				b.Run(fmt.Sprintf("%s/%d/%s", subject.name, members, name), func(b *testing.B) {
					for n := 0; n < b.N; n += group {
						call(others[n%len(others):][:group])
					}
					for unit, bytes := range bytes {
						b.ReportMetric(float64(bytes)/float64(members), unit+"/member")
					}
				})
			}
			run("query", func(keys []uint64) { f.QueryHashBatch(keys, nil) })
			run("query one", func(keys []uint64) {
				for _, hash := range keys {
					f.QueryHash(hash)
				}
			})
			run("insert and delete", func(keys []uint64) {
				if _, err := f.InsertHashBatch(keys, nil); err != nil {
					b.Fatal(err)
				}
				f.DeleteHashBatch(keys, nil)
			})
			run("insert and delete one", func(keys []uint64) {
				for _, hash := range keys {
					if _, err := f.InsertHash(hash); err != nil {
						b.Fatal(err)
					}
				}
				for _, hash := range keys {
					f.DeleteHash(hash)
				}
			})
		}
	}
}

// BenchmarkGrowth has ns per insert of a growth from 1,000 members.
func BenchmarkGrowth(b *testing.B) {
	const members = 1_000_000
	in := workload.Hashes(rand.New(rand.NewPCG(1, 1)), members)
	for b.Loop() {
		f := newFilter(b, Config{Members: 1000, Rate: 0.01})
		if _, err := f.InsertHashBatch(in, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/members, "ns/insert")
}
