package cells

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Of words with any bits, also in the bits of no cell, the masks are what a look at each cell
// gives.
func TestMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := 1; width <= 16; width++ {
		a := New(Shape{Words: 3, Width: width, Hashes: 1})
		per := int(a.PerWord())
		for range 300 {
			used, saturated := 0, 0
			for i := range a.Packed {
				a.Packed[i] = rng.Uint64() & rng.Uint64()
				if rng.IntN(2) == 0 {
					a.Packed[i] |= ^rng.Uint64() | rng.Uint64()
				}
				above := uint64(0)
				for cell := range per {
					switch a.Packed[i] >> (cell * width) & a.Highest {
					case a.Highest:
						saturated++
						fallthrough
					default:
						used++
						above |= 1 << (cell * width)
					case 0:
					}
				}
				if got := a.Above(a.Packed[i]); got != above {
					t.Fatalf("width %d: of %016x above 0 is %016x, want %016x", width,
						a.Packed[i], got, above)
				}
			}
			if u, s := a.Count(); u != used || s != saturated {
				t.Fatalf("width %d: %d used, %d at their highest; want %d and %d", width, u, s,
					used, saturated)
			}
		}
		for first := range per {
			for end := first; end <= per; end++ {
				got := a.Lows(uint64(first), uint64(end))
				if bits.OnesCount64(got) != end-first || end > first &&
					(bits.TrailingZeros64(got) != first*width ||
						bits.Len64(got) != (end-1)*width+1) {
					t.Errorf("width %d: cells %d to %d are %016x", width, first, end, got)
				}
			}
		}
	}
}

// Every cell is that of as many hashes, and of no hash there is another.
func TestCellsAreUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{1, 3, 4, 7} {
		a := New(Shape{Words: 5, Width: width, Hashes: 1})
		counts := make([]int, a.Cells())
		draws := 400 * len(counts)
		for range draws {
			word, cell := a.At(rng.Uint64())
			counts[word*a.PerWord()+cell]++
		}
		chi := 0.0
		for _, count := range counts {
			chi += float64((count-400)*(count-400)) / 400
		}
		if freedom := float64(len(counts) - 1); chi > freedom+5*1.5*float64(len(counts)) {
			t.Errorf("width %d: chi square %.0f of %.0f", width, chi, freedom)
		}
	}
}
