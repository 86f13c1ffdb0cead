package letter

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// filled returns how many cells n elements are expected to set.
func filled(s dlbf.Shape, n int) float64 {
	cells := float64(s.Cells())
	return -cells * math.Expm1(float64(n*s.Hashes)*math.Log1p(-1/cells))
}

// occupied returns the exact rate of false positives of n elements: the mean of the k-th power of
// the part of the cells that is set. Equation 2 takes the power of the mean, which is less (Bose et
// al., "On the false-positive rate of Bloom filters", Information Processing Letters, 2008). It
// goes throw by throw, with the probability of each number of cells that are set.
func occupied(s dlbf.Shape, n int) (rate float64) {
	cells := s.Cells()
	probability := make([]float64, cells+1) // of each number of set cells
	probability[0] = 1
	for throw := range n * s.Hashes {
		for set := min(throw+1, cells); set > 0; set-- {
			probability[set] = (probability[set]*float64(set) +
				probability[set-1]*float64(cells-set+1)) / float64(cells)
		}
		probability[0] = 0
	}
	for set, p := range probability {
		rate += p * math.Pow(float64(set)/float64(cells), float64(s.Hashes))
	}
	return rate
}

// equation2 holds equation 2 against the exact rate.
func equation2(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	for _, p := range []struct {
		s dlbf.Shape
		n int
	}{
		{dlbf.Shape{Bits: 32, Regions: 4, Hashes: 3}, 3},
		{dlbf.Shape{Bits: 64, Regions: 8, Hashes: 5}, 6},
		{shape(120), 22}, {shape(24), 10}, {shape(24), 22}, {shape(24), 40},
		{dlbf.Shape{Bits: 2400, Regions: 240, Hashes: 5}, 220},
	} {
		number := 20_000
		if run.Short {
			number = letterly
		}
		rates := trials.Each(run, fmt.Sprint("equation 2 ", p), number,
			func(rng *rand.Rand) float64 {
				a, draw := array(p.s), perfect(rng, uint64(p.s.Cells()), p.s.Hashes)
				for range p.n {
					a.InsertAt(draw(nil))
				}
				return rate(a)
			})
		c := claim.Claim{
			Item:       "Eq. (2)",
			Where:      `section III-B: "the well-known false positive probability"`,
			Parameters: parameters(p.s, p.n), Reading: claim.Literal, Trials: number,
			Quantity: "rate of false positives, as a multiple of Eq. (2)", Unit: claim.Number,
			Published: claim.About(1),
			Theory:    claim.By("exact, by Bose et al.", occupied(p.s, p.n)/Equation2(p.s, p.n)),
			Interval: claim.Mean(rates).Map(func(v float64) float64 {
				return v /
					Equation2(p.s, p.n)
			}),
			Why: fmt.Sprintf("the mean of a k-th power is more than the power of the mean: "+
				"exactly, %s instead of %s with %d cells",
				quantity.Percent(occupied(p.s, p.n)), quantity.Percent(Equation2(p.s, p.n)),
				p.s.Cells()),
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// clearableShare returns the share of the bits that are set which a removal of all elements resets.
func clearableShare(s dlbf.Shape, n int) float64 { return s.Clearable(n) / filled(s, n) }
