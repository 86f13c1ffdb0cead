package expected

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Smallest returns the smallest size from 1 to most at which a rate is at most the wanted one, and
// whether there is such a size. The rate does not rise with the size. It is a share, and its
// logarithm is nearly a line, so that few sizes are tried: it begins at a guess, and goes on where
// a line through the last two bounds, or through no size and a rate of 1, has the wanted rate.
func Smallest(guess, most int, want float64, rate func(size int) float64) (size int, is bool) {
	if most < 1 {
		return 0, false
	}
	const least = 1e-300
	want = max(want, least)
	// over is how far a rate is above the wanted one, as a logarithm
	over := func(rate float64) float64 { return elementary.Log(max(rate, least) / want) }
	low, high := 0, most+1 // high keeps the rate, and low does not
	overLow, overHigh := over(1), math.NaN()
	kept, tries := false, 0 // at the size before, and between two bounds
	for next := min(max(guess, 1), most); high-low > 1; next = min(max(next, low+1), high-1) {
		now := rate(next)
		switch { // Illinois: a bound that stays twice counts for less, so that it moves too
		case now <= want:
			if high, overHigh = next, over(now); kept {
				overLow /= 2
			}
		default:
			if low, overLow = next, over(now); !kept {
				overHigh /= 2
			}
		}
		kept = now <= want
		if math.IsNaN(overHigh) { // none keeps the rate yet
			line := float64(low) * over(1) / max(over(1)-overLow, 1e-3)
			next = int(min(max(line, 1.05*float64(low)), 8*float64(low), float64(most)))
			continue
		}
		share := overLow / (overLow - overHigh)
		if tries++; tries > 30 || !(share <= 1) { // of no use here, or not a number
			share = 0.5
		}
		next = low + int(math.Round(float64(high-low)*share))
	}
	return high, high <= most
}

// Needed returns about how many bits a Bloom filter of a number of keys needs for a rate, a guess
// for [Smallest].
func Needed(keys int, rate float64) int {
	const perHalving = 1 / (math.Ln2 * math.Ln2)
	return int(min(float64(keys)*perHalving*-elementary.Log(rate), math.MaxInt/2))
}

// SmallestPart returns the smallest divisor of a size that keeps what is asked for, and whether
// there is one. A larger part keeps what a smaller one does.
func SmallestPart(size int, keeps func(part int) bool) (part int, is bool) {
	root := int(math.Sqrt(float64(size)))
	for d := 1; d <= root; d++ {
		if size%d == 0 && keeps(d) {
			return d, true
		}
	}
	for d := root; d > 0; d-- {
		if size%d == 0 && keeps(size/d) {
			return size / d, true
		}
	}
	return size, false
}
