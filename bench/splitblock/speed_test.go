package splitblock

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/parquet-go/parquet-go/bloom"

	"github.com/bloomlane/bloomlane/bench/floor"
	"github.com/bloomlane/bloomlane/kernel"
)

// sliceKeys is the number of keys of one timed slice: some microseconds, so that the minimum over slices is of one
// that nobody disturbed.
const sliceKeys = 4096

// bitsPerMember fills the tables as they are filled for 1 % of false positives.
const bitsPerMember = 10

// mix is a permutation of the integers that makes hashes of numbers (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014).
func mix(i uint64) uint64 {
	i *= 0x9E3779B97F4A7C15
	i = (i ^ i>>30) * 0xBF58476D1CE4E5B9
	i = (i ^ i>>27) * 0x94D049BB133111EB
	return i ^ i>>31
}

// tables are filters in the same memory, so that all find the same pages and the same lines in the caches.
type tables struct {
	ours    kernel.SplitBlockTable
	parquet bloom.SplitBlockFilter
	arrow   metadata.BloomFilter // nil where arrow-go has none so large
}

// given is an allocator that gives out one piece of memory.
type given []byte

func (g given) Allocate(size int) []byte             { return g[:size] }
func (g given) Reallocate(size int, _ []byte) []byte { return g[:size] }
func (g given) Free([]byte)                          {}

func newTables(bytes int) (t tables) {
	t.ours = kernel.NewSplitBlockTable(bytes / bloom.BlockSize)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&t.ours[0])), bytes)
	t.parquet = bloom.MakeSplitBlockFilter(raw)
	if bytes <= arrowLimit {
		t.arrow = metadata.NewBloomFilter(uint32(bytes), arrowLimit, memory.Allocator(given(raw))).(metadata.BloomFilter)
	}
	return t
}

// arrowLimit is the size of arrow-go's largest filter.
const arrowLimit = 128 << 20

// subject is what is timed: an operation of a library, on keys.
type subject struct {
	group, name string
	run         func(keys, hits []uint64)
}

var sink int

func (t tables) subjects() []subject {
	b, insert := t.arrow, metadata.BloomFilterBuilder(nil)
	check := interface{ CheckBulk([]uint64) []bool }(nil)
	if b != nil {
		insert, check = b.(metadata.BloomFilterBuilder), b.(interface{ CheckBulk([]uint64) []bool })
	}
	floors := floor.Sets[len(floor.Sets)-1].W256
	lanes := (*[8]uint32)(&t.ours[0])
	distance := 0
	if len(t.ours)*bloom.BlockSize > 1<<20 {
		distance = 128
	}
	pattern := [8]uint32{}
	all := []subject{
		{"query batch", "floor", func(keys, _ []uint64) {
			floors.Load(lanes, len(t.ours), &keys[0], len(keys), len(keys)-distance, distance)
		}},
		{"query batch", "ours", func(keys, hits []uint64) { sink += t.ours.QueryBatch(keys, hits) }},
		{"query batch", "parquet-go", func(keys, hits []uint64) { // which has no batch
			for i, key := range keys {
				word := &hits[i/64]
				if i%64 == 0 {
					*word = 0
				}
				if t.parquet.Check(key) {
					*word |= 1 << (i % 64)
				}
			}
		}},
		{"query batch", "arrow-go", func(keys, _ []uint64) { sink += len(check.CheckBulk(keys)) }},
		{"query", "ours", func(keys, _ []uint64) {
			for _, key := range keys {
				if t.ours.Query(key) {
					sink++
				}
			}
		}},
		{"query", "parquet-go", func(keys, _ []uint64) {
			for _, key := range keys {
				if t.parquet.Check(key) {
					sink++
				}
			}
		}},
		{"query", "arrow-go", func(keys, _ []uint64) {
			for _, key := range keys {
				if b.CheckHash(key) {
					sink++
				}
			}
		}},
		{"insert batch", "floor", func(keys, _ []uint64) {
			floors.Rewrite(lanes, len(t.ours), &keys[0], len(keys), len(keys)-distance, distance, &pattern)
		}},
		{"insert batch", "ours", func(keys, _ []uint64) { t.ours.AddBatch(keys) }},
		{"insert batch", "ours, answers", func(keys, hits []uint64) { t.ours.InsertBatch(keys, hits) }},
		{"insert batch", "parquet-go", func(keys, _ []uint64) { t.parquet.InsertBulk(keys) }},
		{"insert batch", "arrow-go", func(keys, _ []uint64) { insert.InsertBulk(keys) }},
		{"insert", "ours", func(keys, _ []uint64) {
			for _, key := range keys {
				t.ours.Insert(key)
			}
		}},
		{"insert", "parquet-go", func(keys, _ []uint64) {
			for _, key := range keys {
				t.parquet.Insert(key)
			}
		}},
		{"insert", "arrow-go", func(keys, _ []uint64) {
			for _, key := range keys {
				insert.InsertHash(key)
			}
		}},
	}
	var some []subject
	for _, s := range all {
		if s.name != "arrow-go" || b != nil {
			some = append(some, s)
		}
	}
	return some
}

// BenchmarkSplitBlock times a slice of each subject in turn, b.N times, and prints the fastest of each: run it with
// -benchtime=1000x or so. Half of the keys are members, and no subject meets the keys of another.
func BenchmarkSplitBlock(b *testing.B) {
	for _, bytes := range []int{16 << 10, 256 << 10, 2 << 20, 16 << 20, 128 << 20, 512 << 20} {
		b.Run(fmt.Sprintf("%dKiB", bytes>>10), func(b *testing.B) {
			t := newTables(bytes)
			members := uint64(bytes) * 8 / bitsPerMember
			keys, hits := make([]uint64, sliceKeys), make([]uint64, sliceKeys/64)
			for first := uint64(0); first < members; first += sliceKeys {
				for i := range keys {
					keys[i] = mix(first + uint64(i))
				}
				t.ours.InsertBatch(keys, nil)
			}
			subjects := t.subjects()
			least := make([]float64, len(subjects))
			for i := range least {
				least[i] = math.Inf(1)
			}
			draw := uint64(1) << 40
			b.ResetTimer()
			for range b.N {
				for i, s := range subjects {
					for j := range keys {
						draw++
						keys[j] = mix(draw)
						if j%2 == 0 && !strings.HasPrefix(s.group, "insert") {
							keys[j] = mix(keys[j] % members)
						}
					}
					if strings.HasPrefix(s.group, "insert") { // so that no table fills up
						for j := range keys {
							keys[j] = mix(keys[j] % members)
						}
					}
					start := time.Now()
					s.run(keys, hits)
					least[i] = min(least[i], float64(time.Since(start).Nanoseconds())/sliceKeys)
				}
			}
			b.StopTimer()
			if b.N == 1 {
				return
			}
			ours := map[string]float64{}
			for i, s := range subjects {
				if s.name == "ours" {
					ours[s.group] = least[i]
				}
			}
			for i, s := range subjects {
				fmt.Printf("%9d KiB  %-12s  %-10s  %6.2f ns/key  %5.2f of ours\n", bytes>>10, s.group, s.name, least[i], least[i]/ours[s.group])
			}
		})
	}
}
