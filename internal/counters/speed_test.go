package counters

import (
	"fmt"
	"testing"

	"github.com/bloomlane/bloomlane/internal/cells"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// BenchmarkCounters has what a counter costs beside one of a fixed width, in the cache and beyond
// it: a read, and an increment with its decrement, of random counters. The counters are those of
// keys that come once, or by Zipf's law.
func BenchmarkCounters(b *testing.B) {
	for _, test := range []struct {
		m    uint64
		skew float64
	}{{1 << 15, -1}, {1 << 15, 1}, {1 << 25, -1}} {
		a := filled(b, test.m, test.skew)
		name := fmt.Sprintf("%d/skew %g/", test.m, test.skew)
		x := uint64(1)
		next := func() uint64 {
			x = probe.Next(x)
			return x
		}
		b.Run(name+"variable/read", func(b *testing.B) {
			for range b.N {
				sink += a.Get(a.At(next()))
			}
		})
		b.Run(name+"variable/up and down", func(b *testing.B) {
			for range b.N {
				p := a.At(next())
				a.Raise(p, 1)
				a.Lower(p)
			}
		})
		for _, width := range []int{4, 16} {
			c := cells.New(cells.Shape{Words: test.m * uint64(width) / 64, Width: width, Hashes: 1})
			b.Run(fmt.Sprintf("%s%d bits/read", name, width), func(b *testing.B) {
				for range b.N {
					word, shift := c.Cell(next())
					sink += *word >> shift & c.Highest
				}
			})
			b.Run(fmt.Sprintf("%s%d bits/up and down", name, width), func(b *testing.B) {
				for range b.N {
					word, shift := c.Cell(next())
					*word += 1 << shift
					sink += *word
					word, shift = c.Cell(x)
					*word -= 1 << shift
				}
			})
		}
	}
}

var sink uint64
