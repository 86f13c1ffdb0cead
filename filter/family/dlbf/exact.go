package dlbf

import (
	"math"
	"math/cmplx"
)

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
