package counters

import (
	"fmt"
	"testing"

	"github.com/bloomlane/bloomlane/internal/probe"
)

// BenchmarkCounters has what a counter costs in the cache and beyond it: a read, and an increment
// with its decrement, of random counters. The counters are those of keys that come once, or by
// Zipf's law. BenchmarkCells of filter/internal/cells has the same for counters of a fixed width.
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
		b.Run(name+"read", func(b *testing.B) {
			for range b.N {
				sink += a.Get(a.At(next()))
			}
		})
		b.Run(name+"up and down", func(b *testing.B) {
			for range b.N {
				p := a.At(next())
				a.Raise(p, 1)
				a.Lower(p)
			}
		})
	}
}

var sink uint64
