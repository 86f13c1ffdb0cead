package expected

import (
	"math"
	"sort"
	"testing"
)

// Smallest finds the size that a bisection finds, from any guess, and for rates that are no lines:
// with steps, without an end, and near 1 or 0 for most sizes.
func TestSmallest(t *testing.T) {
	const most = 1 << 20
	curves := map[string]func(size int) float64{
		"line":  func(size int) float64 { return math.Exp(-float64(size) / 5000) },
		"power": func(size int) float64 { return math.Pow(1+float64(size), -0.7) },
		"late":  func(size int) float64 { return min(1, math.Exp(float64(40_000-size)/10)) },
		"steps": func(size int) float64 { return math.Exp(-float64(size / 10_000)) },
		"one":   func(int) float64 { return 1 },
		"none":  func(int) float64 { return 0 },
	}
	for name, rate := range curves {
		for _, want := range []float64{0.5, 0.01, 1e-4, 1e-40, 0} {
			for _, guess := range []int{-5, 1, 17, 40_000, most, 2 * most} {
				tried := 0
				got, is := Smallest(guess, most, want, func(size int) float64 {
					if tried++; size < 1 || size > most {
						t.Fatalf("%s: size %d was tried", name, size)
					}
					return rate(size)
				})
				i := sort.Search(most, func(i int) bool { return rate(i+1) <= max(want, 1e-300) })
				if is != (i < most) || is && got != i+1 {
					t.Errorf("%s, %g from %d: %d, %v, want %d", name, want, guess, got, is, i+1)
				}
				if tried > 80 {
					t.Errorf("%s, %g from %d: %d sizes tried", name, want, guess, tried)
				}
			}
		}
	}
}
