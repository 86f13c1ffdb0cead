package a2

import (
	"math"

	"github.com/bloomlane/bloomlane/filter/internal/bloom"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// either returns the rate of two buffers of which either may show a key (equation 1).
func either(first, second float64) float64 { return first + second - float64(first*second) }

// arrivals returns how many different keys have come to a buffer that has counted the given number
// (equation 5 in docs/theory/a2.md). The keys that it did not count were false positives, whose
// bits it has.
//
// The keys counted after x arrivals are g(x) = x less the integral of the rate from 0 to x. g
// rises, and ever more slowly, so Newton's iteration from below stays below and ends at the root.
func arrivals(s bloom.Shape, counted int) int {
	const panels = 32
	rate := func(x float64) float64 {
		fill := expected.Fill(x*float64(s.Hashes), float64(s.Bits()))
		return elementary.Pow(fill, float64(s.Hashes))
	}
	x := float64(counted)
	for range 64 {
		missed := 0.0 // by Simpson's rule
		for i := range panels {
			a, b := float64(x*float64(i)/panels), float64(x*float64(i+1)/panels)
			missed += float64((b - a) / 6 * (rate(a) + float64(4*rate((a+b)/2)) + rate(b)))
		}
		step := (float64(counted) - x + missed) / (1 - rate(x))
		if !(step >= 0.5) { // NaN ends it too
			break
		}
		x += step
	}
	return int(min(math.Round(x), math.MaxInt/2))
}
