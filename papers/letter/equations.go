package letter

import (
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Equation2 returns the false-positive rate after n elements by the letter's equation 2:
//
//	(1 - (1-1/m')^(kn))^k
//
// It takes the number of set cells for its mean. [dlbf.Shape.Rate] has no such error.
func Equation2(s dlbf.Shape, n int) float64 {
	fill := expected.Fill(float64(s.Hashes)*float64(n), float64(s.Cells()))
	return elementary.Pow(fill, float64(s.Hashes))
}

// throws returns p0 and 1-pc = p0 + p1 of section III-A of the letter: the probabilities that a
// number of throws leave a cell empty, and that they leave it without a collision.
func throws(s dlbf.Shape, number float64) (p0, free float64) {
	p0 = elementary.Exp(number * elementary.Log1p(-1/float64(s.Cells())))
	return p0, p0 * (1 + number/(float64(s.Cells())-1))
}

// Equation1Printed returns the letter's equation 1 for n elements as it is printed. It is the
// probability of the contrary: that an element is not deletable.
func Equation1Printed(s dlbf.Shape, n int) float64 {
	_, free := throws(s, float64(s.Hashes)*float64(n))
	taken := 1 - elementary.Pow(free, float64(s.Cells())/float64(s.Regions))
	return elementary.Pow(taken, float64(s.Hashes))
}

// Equation1 returns the probability that an element is deletable by the letter's equation 1, as it
// is meant and as figure 2 of the letter plots it. It is too high, because the regions of an
// element are not any regions: see [OwnThrow].
func Equation1(s dlbf.Shape, n int) float64 { return 1 - Equation1Printed(s, n) }

// OwnThrow returns the probability that an element is deletable by equation 1, corrected for the
// element's own throws. It still takes the k regions of an element as independent, which they are
// not. [dlbf.Shape.Deletability] is exact.
func OwnThrow(s dlbf.Shape, n int) float64 {
	kn := float64(float64(s.Hashes) * float64(n))
	p0, _ := throws(s, kn-1)
	_, free := throws(s, kn)
	own := float64(p0 * elementary.Pow(free, float64(s.Cells())/float64(s.Regions)-1))
	return 1 - elementary.Pow(1-own, float64(s.Hashes))
}

// filled returns how many cells n elements are expected to set.
func filled(s dlbf.Shape, n int) float64 {
	cells := float64(s.Cells())
	return cells * expected.Fill(float64(n*s.Hashes), cells)
}

// clearable returns the part of the set cells that the removal of all n elements is expected to
// reset.
func clearable(s dlbf.Shape, n int) float64 { return s.Clearable(n) / filled(s, n) }

// uncollided returns the part of the cells that are in regions without a collision:
// (1-pc)^(m'/r).
func uncollided(s dlbf.Shape, n int) float64 {
	_, free := throws(s, float64(s.Hashes*n))
	return elementary.Pow(free, float64(s.Cells())/float64(s.Regions))
}
