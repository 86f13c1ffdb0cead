package dlbf

import (
	"math"
	"math/cmplx"

	"github.com/bloomlane/bloomlane/internal/expected"
)

// Equation2 returns the false-positive rate after n elements by the letter's equation 2:
//
//	(1 - (1-1/m')^(kn))^k
//
// It takes the number of set cells for its mean. [Shape.Rate] has no such error.
func (s Shape) Equation2(n int) float64 {
	fill := expected.Fill(float64(s.Hashes)*float64(n), float64(s.Cells()))
	return math.Pow(fill, float64(s.Hashes))
}

// Rate returns the expected false-positive rate after n inserts of different elements and no
// delete. It is the mean over hash functions.
func (s Shape) Rate(n int) float64 {
	return expected.RateOfBits(float64(n), float64(s.Cells()), s.Hashes)
}

// throws returns p0 and 1-pc = p0 + p1 of section III-A of the letter: the probabilities that a
// number of throws leave a cell empty, and that they leave it without a collision.
func (s Shape) throws(number float64) (p0, free float64) {
	p0 = math.Exp(number * math.Log1p(-1/float64(s.Cells())))
	return p0, p0 * (1 + number/(float64(s.Cells())-1))
}

// Equation1Printed returns the letter's equation 1 for n elements as it is printed. It is the
// probability of the contrary: that an element is not deletable.
func (s Shape) Equation1Printed(n int) float64 {
	_, free := s.throws(float64(s.Hashes) * float64(n))
	return math.Pow(1-math.Pow(free, float64(s.Cells())/float64(s.Regions)), float64(s.Hashes))
}

// Equation1 returns the probability that an element is deletable by the letter's equation 1, as it
// is meant and as figure 2 of the letter plots it. It is too high, because the regions of an
// element are not any regions: see [Shape.OwnThrow].
func (s Shape) Equation1(n int) float64 { return 1 - s.Equation1Printed(n) }

// OwnThrow returns the probability that an element is deletable by equation 1, corrected for the
// element's own throws. It still takes the k regions of an element as independent, which they are
// not. [Shape.Deletable] is exact.
func (s Shape) OwnThrow(n int) float64 {
	kn := float64(s.Hashes) * float64(n)
	p0, _ := s.throws(kn - 1)
	_, free := s.throws(kn)
	own := p0 * math.Pow(free, float64(s.Cells())/float64(s.Regions)-1)
	return 1 - math.Pow(1-own, float64(s.Hashes))
}

// Deletable returns the probability that a member is deletable after n inserts of different
// elements, its own among them, and no delete. It is the mean over hash functions, and exact but
// for rounding.
func (s Shape) Deletable(n int) float64 {
	return s.deletable(s.Hashes, float64(s.Hashes)*float64(n-1))
}

// Clearable returns the expected number of cells that the deletes of all members would clear after
// n inserts of different elements and no delete. These are the set cells in regions without a
// collision. The value is exact but for rounding.
func (s Shape) Clearable(n int) float64 {
	kn := float64(s.Hashes) * float64(n)
	return kn * s.deletable(1, kn-1)
}

// deletable returns the probability that one of an element's k throws is in a region without a
// collision, with a number of throws of others. "The exact form" in docs/theory/dlbf.md has the
// generating function and the integral.
func (s Shape) deletable(k int, others float64) float64 {
	if others <= 0 {
		return real(1 - s.retained(k, 0))
	}
	const points = 48 // on the upper half of the arc; the lower half has the conjugates
	step := min(math.Pi, 12/math.Sqrt(others)) / points
	sum, weights := 0.0, 0.0
	for i := range points + 1 {
		angle := float64(i) * step
		// e^(M (e^iθ - 1 - iθ)): what the circle has of e^(m'y) / y^M, relative to θ = 0.
		sine := math.Sin(angle / 2)
		weight := cmplx.Exp(complex(-2*others*sine*sine, others*(math.Sin(angle)-angle)))
		if i == 0 || i == points {
			weight /= 2
		}
		y := cmplx.Rect(others/float64(s.Cells()), angle)
		sum += real(weight * s.retained(k, y))
		weights += real(weight)
	}
	return min(1, max(0, 1-sum/weights))
}

// retained returns the probability that none of an element's k throws is in a region without a
// collision, if each cell gets a Poisson number of throws of others, with the mean y.
func (s Shape) retained(k int, y complex128) complex128 {
	full, short := s.Cells()/s.RegionCells(), s.Cells()%s.RegionCells()
	// x is scaled so that the powers are neither huge nor tiny.
	scale := float64(k) / float64(s.Cells())
	all := power(region(k, s.RegionCells(), scale, y), full)
	if short > 0 {
		all = times(all, region(k, short, scale, y))
	}
	retained := all[k]
	for i := range k { // k!/k^k
		retained *= complex(float64(i+1)/float64(k), 0)
	}
	return retained
}

// region returns the coefficients of x^0 to x^k of a region's generating function, divided by
// e^(sy).
func region(k, cells int, scale float64, y complex128) []complex128 {
	s := float64(cells)
	// e^(-sy) (1+y)^s, without the cancellation where y is small.
	exponent := cmplx.Log(1+y) - y
	if cmplx.Abs(y) < 0.01 {
		exponent = 0
		term := y
		for i := 2; i < 12; i++ {
			term *= -y
			exponent += term / complex(float64(i), 0)
		}
	}
	free := cmplx.Exp(complex(s, 0) * exponent)
	coefficients := make([]complex128, k+1)
	coefficients[0] = 1
	any := complex(1, 0) // x^i of e^(sx)
	for i := 1; i <= k; i++ {
		any *= complex(s*scale/float64(i), 0)
		free *= complex(max(0, 1-float64(i-1)/s), 0) / (1 + y)
		coefficients[i] = any * (1 - free)
	}
	return coefficients
}

// power returns a polynomial to a power, up to the degree of the polynomial. It squares, because
// the recurrence of power series loses all digits if k is several times the power.
func power(base []complex128, exponent int) []complex128 {
	result := make([]complex128, len(base))
	result[0] = 1
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 != 0 {
			result = times(result, base)
		}
		base = times(base, base)
	}
	return result
}

// times returns the product of two polynomials of one degree, up to that degree.
func times(a, b []complex128) []complex128 {
	product := make([]complex128, len(a))
	for i := range a {
		for j := range len(b) - i {
			product[i+j] += a[i] * b[j]
		}
	}
	return product
}
