package plain

import "github.com/bloomlane/bloomlane/internal/expected"

// rate returns the expected false-positive rate after a number of inserts of different keys, the mean over
// hash keys. For a blocked filter it is a mean over the loads of the blocks (Putze, Sanders and Singler,
// "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, section 3).
func (s shape) rate(inserts int) float64 {
	return expected.Mean(inserts, int(s.blocks), func(load int) float64 {
		return expected.RateOfBits(float64(load), float64(s.span), s.hashes)
	})
}
