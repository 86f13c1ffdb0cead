package letter

import (
	"math"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// filled returns how many cells n elements are expected to set.
func filled(s dlbf.Shape, n int) float64 {
	cells := float64(s.Cells())
	return cells * expected.Fill(float64(n*s.Hashes), cells)
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
