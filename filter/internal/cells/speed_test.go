package cells

import (
	"fmt"
	"testing"

	"github.com/bloomlane/bloomlane/internal/probe"
)

// BenchmarkCells has what a cell costs in the cache and beyond it: a read, and an increment with
// its decrement, of random cells. BenchmarkCounters of filter/internal/counters has the
// same for counters of variable length.
func BenchmarkCells(b *testing.B) {
	for _, m := range []uint64{1 << 15, 1 << 25} {
		for _, width := range []int{4, 16} {
			c := New(Shape{Words: m * uint64(width) / 64, Width: width, Hashes: 1})
			name := fmt.Sprintf("%d/%d bits/", m, width)
			x := uint64(1)
			b.Run(name+"read", func(b *testing.B) {
				for range b.N {
					x = probe.Next(x)
					word, shift := c.Cell(x)
					sink += *word >> shift & c.Highest
				}
			})
			b.Run(name+"up and down", func(b *testing.B) {
				for range b.N {
					x = probe.Next(x)
					word, shift := c.Cell(x)
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
