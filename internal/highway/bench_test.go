package highway

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/minio/highwayhash"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// The benchmarks print ns per key of each form on each implementation, beside minio's Sum64 in the
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

// onEach runs a benchmark on each implementation in assembly, and what minio's package does for the
// same.
func onEach(b *testing.B, name string, keys int, ours func(im implementation), minio func()) {
	for _, im := range dispatch.Implementations() {
		if im.String() != "purego" {
			b.Run(fmt.Sprintf("%s/%v", name, im),
				func(b *testing.B) { perKey(b, keys, func() { ours(implementation(im)) }) })
		}
	}
	b.Run(name+"/minio", func(b *testing.B) { perKey(b, keys, minio) })
}

func BenchmarkFixed(b *testing.B) {
	k, hashes := New(ascending()), make([]uint64, benchKeys)
	for _, width := range []int{4, 8, 16, 20, 24, 32, 40} {
		data := random(rand.New(rand.NewPCG(6, 16)), benchKeys*width)
		onEach(b, fmt.Sprint(width), benchKeys,
			func(im implementation) { im.fixed(k, data, width, hashes) }, func() {
				for i := range hashes {
					hashes[i] = highwayhash.Sum64(data[i*width:(i+1)*width], k.Bytes())
				}
			})
	}
}

// BenchmarkMixed has keys of 8 to 64 bytes, in every form.
func BenchmarkMixed(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 16))
	k, hashes := New(ascending()), make([]uint64, benchKeys)
	slices, texts, offsets := make([][]byte, benchKeys), make([]string, benchKeys),
		make([]int32, benchKeys+1)
	for i := range slices {
		slices[i] = random(rng, 8+rng.IntN(57))
		texts[i] = string(slices[i])
		offsets[i+1] = offsets[i] + int32(len(slices[i]))
	}
	data := []byte(strings.Join(texts, ""))
	minio := func() {
		for i, key := range slices {
			hashes[i] = highwayhash.Sum64(key, k.Bytes())
		}
	}
	onEach(b, "slices", benchKeys, func(im implementation) { keysOn(im, k, slices, hashes) }, minio)
	onEach(b, "strings", benchKeys, func(im implementation) { keysOn(im, k, texts, hashes) }, minio)
	onEach(b, "offsets", benchKeys,
		func(im implementation) { offsetsOn(im, k, data, offsets, hashes) }, func() {
			for i := range hashes {
				hashes[i] = highwayhash.Sum64(data[offsets[i]:offsets[i+1]], k.Bytes())
			}
		})
}

func BenchmarkSingle(b *testing.B) {
	k := New(ascending())
	for _, size := range []int{3, 4, 8, 12, 16, 24, 32, 40, 64, 100, 1000, 100_000} {
		data := make([]byte, size)
		onEach(b, fmt.Sprint(size), 1, func(im implementation) { im.sum64(k, data) }, func() {
			highwayhash.Sum64(data, k.Bytes())
		})
	}
	var data [8]byte
	onEach(b, "uint64", 1, func(im implementation) { im.sum64Uint64(k, 1) },
		func() { highwayhash.Sum64(data[:], k.Bytes()) })
}
