package batch_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/batch/batchtest"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/highway"
	"github.com/bloomlane/bloomlane/internal/siphash"
)

const (
	hashedKeys = 4096
	singles    = 64 // of them, which are hashed one at a time
	turns      = 32 // between two readings of the clock
)

// hash is one of those that are compared.
type hash interface {
	BatchOn(im dispatch.Implementation, keys batch.Keys, hashes []uint64)
	Sum64(data []byte) uint64
}

// BenchmarkHashes prints ns per key of every hash in one run, the least of rounds in which one
// comes after another, for keys in the second-level cache:
//
//	go test -run '^$' -bench Hashes ./internal/batch
func BenchmarkHashes(b *testing.B) {
	all := map[string]hash{
		"highway": highway.New([highway.Size]byte{1}),
		"siphash": siphash.New([siphash.Size]byte{1}),
	}
	compare := func(name string, keys int, run func(h hash)) {
		b.Run(name, func(b *testing.B) {
			least := map[string]float64{}
			for b.Loop() {
				for name, h := range all {
					start := time.Now()
					run(h)
					took := float64(time.Since(start).Nanoseconds()) / float64(keys)
					if before, ok := least[name]; !ok || took < before {
						least[name] = took
					}
				}
			}
			for name, ns := range least {
				b.ReportMetric(math.Round(100*ns)/100, name+"-ns/key")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
	rng := rand.New(rand.NewPCG(6, 16))
	keys, hashes := make([][]byte, hashedKeys), make([]uint64, hashedKeys)
	for _, width := range []int{4, 8, 12, 16, 20, 24, 32, 40, 64, 128, 256} {
		data := batchtest.Random(rng, hashedKeys*width)
		for i := range keys {
			keys[i] = data[i*width:][:width]
		}
		for _, im := range dispatch.Implementations() {
			compare(fmt.Sprintf("width/%d/%v", width, im), hashedKeys,
				func(h hash) { h.BatchOn(im, batch.Fixed(data, width, hashes), hashes) })
		}
		compare(fmt.Sprintf("single/%d", width), turns*singles, func(h hash) {
			for range turns {
				for _, key := range keys[:singles] {
					h.Sum64(key)
				}
			}
		})
	}
	for i := range keys {
		keys[i] = batchtest.Random(rng, 8+rng.IntN(57))
	}
	for _, im := range dispatch.Implementations() {
		compare(fmt.Sprintf("slices/%v", im), hashedKeys,
			func(h hash) { h.BatchOn(im, batch.Of(keys, hashes), hashes) })
	}
}
