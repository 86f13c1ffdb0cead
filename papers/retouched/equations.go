package retouched

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Shape is a Bloom filter of the paper, with m bits, n members and k hash functions. Its methods
// are the paper's equations. Rate of a plain.Shape is the mean over fills, where equation 5
// has the rate of the mean fill.
type Shape struct{ Bits, Members, Hashes int }

// Zero returns p0, the probability that a bit is not set: equation 2.
func (s Shape) Zero() float64 {
	zero := elementary.Log1p(-1 / float64(s.Bits))
	return elementary.Exp(float64(s.Hashes) * float64(s.Members) * zero)
}

// One returns p1, the probability that a bit is set: equation 4.
func (s Shape) One() float64 { return 1 - s.Zero() }

// Rate returns fP, the false-positive rate: equation 5.
func (s Shape) Rate() float64 { return elementary.Pow(s.One(), float64(s.Hashes)) }

// BestHashes returns the k of the lowest rate, which need not be a whole number: equation 6.
func (s Shape) BestHashes() float64 { return float64(s.Bits) * math.Ln2 / float64(s.Members) }

// BestRate returns the rate with BestHashes: equation 7.
func (s Shape) BestRate() float64 { return elementary.Pow(0.5, s.BestHashes()) }

// Kept returns r_s, the expected part of the false positives, and of the members, that are still
// present after the given number of bits was cleared at random: equation 16, and with one bit
// equation 13. 1 - r_s is the part of the false positives that are removed and that of the members
// that are lost: equations 14 and 15. So χ is 1.
func (s Shape) Kept(cleared int) float64 {
	return elementary.Pow(max(0, 1-float64(cleared)/(s.One()*float64(s.Bits))), float64(s.Hashes))
}
