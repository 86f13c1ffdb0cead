package counters

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/cells"
)

// What a counter costs, beside one of a fixed width: a read, and an increment. The counters are those of keys
// that come once, or of Zipf's law; each operation is of a random one.
func BenchmarkCounters(b *testing.B) {
	for _, m := range []uint64{1 << 15} {
		for _, skew := range []float64{-1, 1} {
			if skew > 0 && m > 1<<15 {
				continue
			}
			a := filled(b, m, skew)
			name := fmt.Sprintf("%d/skew %g/", m, skew)
			rng := rand.New(rand.NewPCG(1, 1))
			hashes := make([]uint64, 1<<12)
			for i := range hashes {
				hashes[i] = rng.Uint64()
			}
			b.Run(name+"get", func(b *testing.B) {
				sum := uint64(0)
				for i := range b.N {
					sum += a.Get(a.At(hashes[i%len(hashes)] + uint64(i)<<20))
				}
				sink = sum
			})
			b.Run(name+"up and down", func(b *testing.B) {
				for i := range b.N {
					p := a.At(hashes[i%len(hashes)] + uint64(i)<<20)
					a.Raise(p, 1)
					a.Lower(p)
				}
			})
			for _, width := range []int{4, 16} {
				c := cells.New(cells.Shape{Words: m * uint64(width) / 64, Width: width, Hashes: 1})
				b.Run(fmt.Sprintf("%scells of %d/get", name, width), func(b *testing.B) {
					sum := uint64(0)
					for i := range b.N {
						word, shift := c.Cell(hashes[i%len(hashes)] + uint64(i)<<20)
						sum += *word >> shift & c.Highest
					}
					sink = sum
				})
				b.Run(fmt.Sprintf("%scells of %d/up and down", name, width), func(b *testing.B) {
					for i := range b.N {
						word, shift := c.Cell(hashes[i%len(hashes)] + uint64(i)<<20)
						*word += 1 << shift
						word, shift = c.Cell(hashes[i%len(hashes)] + uint64(i)<<20)
						*word -= 1 << shift
					}
				})
			}
		}
	}
}

var sink uint64
