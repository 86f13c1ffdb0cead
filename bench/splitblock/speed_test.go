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
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel"
	ours "github.com/bloomlane/bloomlane/kernel/parquet"
)

// sliceKeys is the number of keys of one timed slice: some microseconds, so that the minimum over
// slices is of one that nobody disturbed.
const sliceKeys = 4096

// bitsPerMember fills the tables as they are filled for 1 % of false positives.
const bitsPerMember = 10

// mix is a permutation of the integers that makes hashes of numbers (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014).
func mix(i uint64) uint64 {
	i *= 0x9E3779B97F4A7C15
	i = (i ^ i>>30) * 0xBF58476D1CE4E5B9
	i = (i ^ i>>27) * 0x94D049BB133111EB
	return i ^ i>>31
}

// tables are filters in the same memory, so that all find the same pages and the same lines in the
// caches.
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
		t.arrow = metadata.NewBloomFilter(uint32(bytes), arrowLimit,
			memory.Allocator(given(raw))).(metadata.BloomFilter)
	}
	return t
}

// arrowLimit is the size of arrow-go's largest filter.
const arrowLimit = 128 << 20

// subject is what is timed: an operation of a library, on keys.
type subject struct {
	group, name string
	run         func(keys, present []uint64)
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
	var x bloom.XXH64
	all := []subject{
		{"query batch", "floor", func(keys, _ []uint64) {
			floors.Load(lanes, len(t.ours), &keys[0], len(keys), len(keys)-distance, distance)
		}},
		{"query batch", "ours",
			func(keys, present []uint64) { sink += t.ours.QueryBatch(keys, present) }},
		{"query batch", "parquet-go", func(keys, present []uint64) { // which has no batch
			for i, key := range keys {
				word := &present[i/64]
				if i%64 == 0 {
					*word = 0
				}
				if t.parquet.Check(key) {
					*word |= 1 << (i % 64)
				}
			}
		}},
		{"query batch", "arrow-go", func(keys, _ []uint64) { sink += len(check.CheckBulk(keys)) }},
		{"query column", "ours",
			func(values, present []uint64) { sink += ours.Query(t.ours, values, present) }},
		{"query column", "parquet-go", func(values, present []uint64) {
			var hashes [1024]uint64
			for start := 0; start < len(values); start += len(hashes) {
				x.MultiSum64Uint64(hashes[:], values[start:])
				for i, hash := range hashes {
					word := &present[(start+i)/64]
					if i%64 == 0 {
						*word = 0
					}
					if t.parquet.Check(hash) {
						*word |= 1 << (i % 64)
					}
				}
			}
		}},
		{"query column", "arrow-go", func(values, _ []uint64) {
			signed := unsafe.Slice((*int64)(unsafe.Pointer(&values[0])), len(values))
			sink += len(check.CheckBulk(metadata.GetHashes(b.Hasher(), signed)))
		}},
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
			floors.Rewrite(lanes, len(t.ours), &keys[0], len(keys), len(keys)-distance,
				distance, &pattern)
		}},
		{"insert batch", "ours", func(keys, _ []uint64) { t.ours.AddBatch(keys) }},
		{"insert batch", "ours, answers",
			func(keys, present []uint64) { t.ours.QueryInsertBatch(keys, present) }},
		{"insert batch", "parquet-go", func(keys, _ []uint64) { t.parquet.InsertBulk(keys) }},
		{"insert batch", "arrow-go", func(keys, _ []uint64) { insert.InsertBulk(keys) }},
		{"insert column", "ours", func(values, _ []uint64) { ours.Insert(t.ours, values) }},
		{"insert column", "parquet-go", func(values, _ []uint64) {
			var hashes [1024]uint64
			for start := 0; start < len(values); start += len(hashes) {
				x.MultiSum64Uint64(hashes[:], values[start:])
				t.parquet.InsertBulk(hashes[:])
			}
		}},
		{"insert column", "arrow-go", func(values, _ []uint64) {
			metadata.InsertHashes(insert,
				unsafe.Slice((*int64)(unsafe.Pointer(&values[0])), len(values)))
		}},
		{"insert", "ours", func(keys, _ []uint64) {
			for _, key := range keys {
				t.ours.Add(key)
			}
		}},
		{"insert", "ours, answers", func(keys, _ []uint64) {
			for _, key := range keys {
				if t.ours.Insert(key) {
					sink++
				}
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

// interleaved times a slice of each subject in turn, b.N times, and prints the fastest of each.
// Prepare makes the keys of the next slice, so that no subject meets the keys of another.
func interleaved(
	b *testing.B,
	what string,
	subjects []subject,
	prepare func(s subject, keys []uint64),
) {
	keys, present := make([]uint64, sliceKeys), make([]uint64, sliceKeys/64)
	least := make([]float64, len(subjects))
	for i := range least {
		least[i] = math.Inf(1)
	}
	b.ResetTimer()
	for range b.N {
		for i, s := range subjects {
			// The first time wakes the parts of the processor that sleep where the subject before
			// this one did not need them, such as the upper halves of 512 bits.
			prepare(s, keys)
			s.run(keys, present)
			prepare(s, keys)
			start := time.Now()
			s.run(keys, present)
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
		fmt.Printf("%-8s  %-13s  %-13s %6.2f ns/key  %5.2f of ours\n", what, s.group, s.name,
			least[i], least[i]/ours[s.group])
	}
}

// BenchmarkSplitBlock times queries and inserts of hashes, half of which are members, and of
// columns: run it with -benchtime=1000x or so.
func BenchmarkSplitBlock(b *testing.B) {
	for _, kib := range []int{16, 256, 2 << 10, 16 << 10, 128 << 10, 512 << 10} {
		b.Run(fmt.Sprint(kib, "KiB"), func(b *testing.B) {
			t := newTables(kib << 10)
			members := uint64(kib) << 13 / bitsPerMember
			for first := uint64(0); first < members; first += sliceKeys {
				keys := make([]uint64, min(sliceKeys, members-first))
				for i := range keys {
					keys[i] = mix(first + uint64(i))
				}
				t.ours.AddBatch(keys)
			}
			draw := uint64(1) << 40
			interleaved(b, fmt.Sprint(kib, " KiB"), t.subjects(), func(s subject, keys []uint64) {
				for i := range keys {
					draw++
					keys[i] = mix(draw)
					// so that no table fills up
					if i%2 == 0 || strings.HasPrefix(s.group, "insert") {
						keys[i] = mix(keys[i] % members)
					}
				}
			})
		})
	}
}

// BenchmarkHash times hashes of columns.
func BenchmarkHash(b *testing.B) {
	words := func(keys []uint64) []uint32 {
		return unsafe.Slice((*uint32)(unsafe.Pointer(&keys[0])),
			len(keys))
	}
	signed := func(keys []uint64) []int64 {
		return unsafe.Slice((*int64)(unsafe.Pointer(&keys[0])),
			len(keys))
	}
	hashes := make([]uint64, sliceKeys)
	hasher := metadata.NewBloomFilter(32, 32, memory.DefaultAllocator).Hasher()
	var buffer [40 * sliceKeys]byte
	var x bloom.XXH64
	sized := func(group string, bytes func(i int) int) []subject {
		texts := make([][]byte, sliceKeys)
		for i := range texts {
			texts[i] = buffer[40*i:][:bytes(i)]
		}
		each := func(hash func([]byte) uint64) func(_, _ []uint64) {
			return func(_, _ []uint64) {
				for i, text := range texts {
					hashes[i] = hash(text)
				}
			}
		}
		return []subject{
			{group, "ours", func(_, _ []uint64) {
				for i, text := range texts {
					hashes[i] = ours.HashBytes(text)
				}
			}},
			{group, "parquet-go", each(x.Sum64)},
			{group, "arrow-go", each(hasher.Sum64)},
		}
	}
	subjects := []subject{
		{"8 bytes", "ours", func(keys, _ []uint64) { ours.HashBatch(keys, hashes) }},
		{"8 bytes", "portable", func(keys, _ []uint64) { fallback.HashBatch64(keys, hashes) }},
		{"8 bytes", "parquet-go", func(keys, _ []uint64) { x.MultiSum64Uint64(hashes, keys) }},
		{"8 bytes", "arrow-go",
			func(keys, _ []uint64) { sink += len(metadata.GetHashes(hasher, signed(keys))) }},
		{"4 bytes", "ours", func(keys, _ []uint64) { ours.HashBatch(words(keys), hashes) }},
		{"4 bytes", "portable",
			func(keys, _ []uint64) { fallback.HashBatch32(words(keys), hashes) }},
		{"4 bytes", "parquet-go",
			func(keys, _ []uint64) { x.MultiSum64Uint32(hashes, words(keys)) }},
	}
	subjects = append(subjects, sized("16 bytes", func(int) int { return 16 })...)
	subjects = append(subjects, sized("20 bytes", func(int) int { return 20 })...)
	subjects = append(subjects, sized("36 bytes", func(int) int { return 36 })...)
	subjects = append(subjects,
		sized("0 to 7 bytes", func(i int) int { return int(mix(uint64(i)) % 8) })...)
	subjects = append(subjects,
		sized("8 to 40 bytes", func(i int) int { return 8 + int(mix(uint64(i))%33) })...)
	interleaved(b, "", subjects, func(_ subject, keys []uint64) {
		for i := range keys {
			keys[i] = mix(uint64(i))
		}
	})
}
