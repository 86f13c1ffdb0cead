package dlbf

import "github.com/bloomlane/bloomlane/internal/expected"

// Rate returns the expected false-positive rate after n inserts of different elements and no
// delete. It is the mean over hash functions.
func (s Shape) Rate(n int) float64 {
	return expected.RateOfBits(float64(n), float64(s.Cells()), s.Hashes)
}

// Deletability returns the probability that a member is deletable after n inserts of different
// elements, its own among them, and no delete. It is the mean over hash functions, and exact but
// for rounding.
func (s Shape) Deletability(n int) float64 {
	return s.deletable(s.Hashes, float64(s.Hashes)*float64(n-1))
}

// Clearable returns the expected number of cells that the deletes of all members would clear after
// n inserts of different elements and no delete. These are the set cells in regions without a
// collision. The value is exact but for rounding.
func (s Shape) Clearable(n int) float64 {
	kn := float64(float64(s.Hashes) * float64(n))
	return kn * s.deletable(1, kn-1)
}
