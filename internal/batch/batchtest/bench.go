package batchtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// The benchmarks print ns per key of each form on each implementation, beside the reference in the
// same run, for keys in the second-level cache:
//
//	go test -run '^$' -bench . -benchtime 20ms -count 20 ./internal/highway
const benchKeys = 4096

// perKey reports what one of the keys takes.
func perKey(b *testing.B, keys int, call func()) {
	for b.Loop() {
		call()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(keys), "ns/key")
	b.ReportMetric(0, "ns/op")
}

// benchmark runs a benchmark on each implementation, and what the reference does for the same keys.
func (h Hash) benchmark(b *testing.B, name string, keys [][]byte, ours func(k Key)) {
	key := Ascending(h.Size)
	for _, im := range dispatch.Implementations() {
		b.Run(fmt.Sprintf("%s/%v", name, im), func(b *testing.B) {
			k := h.New(im, key)
			perKey(b, len(keys), func() { ours(k) })
		})
	}
	b.Run(name+"/reference", func(b *testing.B) {
		perKey(b, len(keys), func() {
			for _, data := range keys {
				h.Reference(key, data)
			}
		})
	})
}

// BenchmarkFixed has keys of one width.
func (h Hash) BenchmarkFixed(b *testing.B) {
	hashes, keys := make([]uint64, benchKeys), make([][]byte, benchKeys)
	for _, width := range []int{4, 8, 16, 20, 24, 32, 40, 64, 128} {
		data := Random(rand.New(rand.NewPCG(6, 16)), benchKeys*width)
		for i := range keys {
			keys[i] = data[i*width:][:width]
		}
		h.benchmark(b, fmt.Sprint(width), keys,
			func(k Key) { k.Batch(batch.Fixed(data, width, hashes), hashes) })
	}
}

// BenchmarkMixed has keys of 8 to 64 bytes, in every form.
func (h Hash) BenchmarkMixed(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 16))
	hashes, keys := make([]uint64, benchKeys), make([][]byte, benchKeys)
	texts, offsets := make([]string, benchKeys), make([]int32, benchKeys+1)
	for i := range keys {
		keys[i] = Random(rng, 8+rng.IntN(57))
		texts[i] = string(keys[i])
		offsets[i+1] = offsets[i] + int32(len(keys[i]))
	}
	data := []byte(strings.Join(texts, ""))
	h.benchmark(b, "slices", keys, func(k Key) { k.Batch(batch.Of(keys, hashes), hashes) })
	h.benchmark(b, "strings", keys, func(k Key) { k.Batch(batch.Of(texts, hashes), hashes) })
	h.benchmark(b, "offsets", keys,
		func(k Key) { k.Batch(batch.Offsets(data, offsets, hashes), hashes) })
}

// BenchmarkSingle has one key at a time.
func (h Hash) BenchmarkSingle(b *testing.B) {
	for _, size := range []int{3, 4, 8, 12, 16, 24, 32, 40, 64, 100, 1000, 100_000} {
		data := make([]byte, size)
		h.benchmark(b, fmt.Sprint(size), [][]byte{data}, func(k Key) { k.Sum64(data) })
	}
	h.benchmark(b, "uint64", [][]byte{make([]byte, 8)}, func(k Key) { k.Sum64Uint64(1) })
}
