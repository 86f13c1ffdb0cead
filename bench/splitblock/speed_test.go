package splitblock

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/parquet-go/parquet-go/bloom"

	"github.com/bloomlane/bloomlane/bench/floor"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
	ours "github.com/bloomlane/bloomlane/kernel/parquet"
)

// sliceKeys is the number of keys of a call.
const sliceKeys = 4096

// bitsPerMember fills the tables as they are filled for 1 % of false positives.
const bitsPerMember = 10

// arrowLimit is the size of arrow-go's largest filter.
const arrowLimit = 128 << 20

// mix is a permutation of the integers that makes hashes of numbers.
func mix(i uint64) uint64 { return workload.Mix(i * workload.Step) }

// given is an allocator that gives out one piece of memory.
type given []byte

func (g given) Allocate(size int) []byte             { return g[:size] }
func (g given) Reallocate(size int, _ []byte) []byte { return g[:size] }
func (g given) Free([]byte)                          {}

// subject is what is timed: an operation of a library, on keys.
type subject struct {
	operation, library string
	run                func(keys, present []uint64)
}

var sink int

// subjects are operations of filters in the memory of a table, so that all find the same pages and
// the same lines in the caches. Floors are bare loops over the lines.
func subjects(table kernel.SplitBlockTable) []subject {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&table[0])), len(table)*bloom.BlockSize)
	filter, floors := bloom.MakeSplitBlockFilter(raw), floor.Sets[len(floor.Sets)-1].W256
	lanes, pattern, x := (*[8]uint32)(&table[0]), [8]uint32{}, bloom.XXH64{}
	distance := 0
	if len(raw) > 1<<20 {
		distance = 128
	}
	// check is the loop of parquet-go, which has no query of a batch.
	check := func(hashes, present []uint64) {
		for i, hash := range hashes {
			word := &present[i/64]
			if i%64 == 0 {
				*word = 0
			}
			if filter.Check(hash) {
				*word |= 1 << (i % 64)
			}
		}
	}
	// hashed calls do with hashes of values, some at a time.
	var hashes [1024]uint64
	hashed := func(values []uint64, do func(start int)) {
		for start := 0; start < len(values); start += len(hashes) {
			x.MultiSum64Uint64(hashes[:], values[start:])
			do(start)
		}
	}
	all := []subject{
		{"query batch", "floor", func(keys, _ []uint64) {
			floors.Load(lanes, len(table), &keys[0], len(keys), len(keys)-distance, distance)
		}},
		{"query batch", "ours",
			func(keys, present []uint64) { sink += table.QueryBatch(keys, present) }},
		{"query batch", "parquet-go", check},
		{"query column", "ours",
			func(values, present []uint64) { sink += ours.Query(table, values, present) }},
		{"query column", "parquet-go", func(values, present []uint64) {
			hashed(values, func(start int) { check(hashes[:], present[start/64:]) })
		}},
		{"query", "ours", func(keys, _ []uint64) {
			for _, key := range keys {
				if table.Query(key) {
					sink++
				}
			}
		}},
		{"query", "parquet-go", func(keys, _ []uint64) {
			for _, key := range keys {
				if filter.Check(key) {
					sink++
				}
			}
		}},
		{"insert batch", "floor", func(keys, _ []uint64) {
			floors.Rewrite(lanes, len(table), &keys[0], len(keys), len(keys)-distance, distance,
				&pattern)
		}},
		{"insert batch", "ours", func(keys, _ []uint64) { table.AddBatch(keys) }},
		{"insert batch", "ours, answers",
			func(keys, present []uint64) { table.QueryInsertBatch(keys, present) }},
		{"insert batch", "parquet-go", func(keys, _ []uint64) { filter.InsertBulk(keys) }},
		{"insert column", "ours", func(values, _ []uint64) { ours.Insert(table, values) }},
		{"insert column", "parquet-go", func(values, _ []uint64) {
			hashed(values, func(int) { filter.InsertBulk(hashes[:]) })
		}},
		{"insert", "ours", func(keys, _ []uint64) {
			for _, key := range keys {
				table.Add(key)
			}
		}},
		{"insert", "parquet-go", func(keys, _ []uint64) {
			for _, key := range keys {
				filter.Insert(key)
			}
		}},
	}
	if len(raw) > arrowLimit {
		return all
	}
	insert := metadata.NewBloomFilter(uint32(len(raw)), arrowLimit, given(raw))
	arrow := insert.(interface {
		metadata.BloomFilter
		CheckBulk([]uint64) []bool
	})
	signed := func(values []uint64) []int64 {
		return unsafe.Slice((*int64)(unsafe.Pointer(&values[0])), len(values))
	}
	return append(all,
		subject{"query batch", "arrow-go",
			func(keys, _ []uint64) { sink += len(arrow.CheckBulk(keys)) }},
		subject{"query column", "arrow-go", func(values, _ []uint64) {
			sink += len(arrow.CheckBulk(metadata.GetHashes(arrow.Hasher(), signed(values))))
		}},
		subject{"query", "arrow-go", func(keys, _ []uint64) {
			for _, key := range keys {
				if arrow.CheckHash(key) {
					sink++
				}
			}
		}},
		subject{"insert batch", "arrow-go", func(keys, _ []uint64) { insert.InsertBulk(keys) }},
		subject{"insert column", "arrow-go",
			func(values, _ []uint64) { metadata.InsertHashes(insert, signed(values)) }},
		subject{"insert", "arrow-go", func(keys, _ []uint64) {
			for _, key := range keys {
				insert.InsertHash(key)
			}
		}})
}

// BenchmarkSplitBlock has ns per key of queries of hashes, half of which are members, of inserts of
// members, and of both of columns, whose values are hashed first.
func BenchmarkSplitBlock(b *testing.B) {
	for _, kib := range []int{16, 256, 2 << 10, 16 << 10, 128 << 10, 512 << 10} {
		table := kernel.NewSplitBlockTable(kib << 10 / bloom.BlockSize)
		members, hits := uint64(kib)<<13/bitsPerMember, make([]uint64, 1<<20)
		mixed := make([]uint64, len(hits))
		for i := range members {
			table.Add(mix(i))
		}
		for i := range hits {
			hits[i] = mix(mix(uint64(i)) % members)
			if mixed[i] = hits[i]; mix(hits[i])%2 == 0 {
				mixed[i] = mix(1<<40 + uint64(i))
			}
		}
		present := make([]uint64, sliceKeys/64)
		for _, s := range subjects(table) {
			keys := mixed
			if strings.HasPrefix(s.operation, "insert") { // so that no table fills up
				keys = hits
			}
			b.Run(fmt.Sprintf("%dKiB/%s/%s", kib, s.operation, s.library), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					s.run(keys[i*sliceKeys%len(keys):][:sliceKeys], present)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/sliceKeys, "ns/key")
			})
		}
	}
}
