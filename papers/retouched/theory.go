package retouched

import "math"

// rate is Eq. (5): the rate of false positives of n elements.
func rate(m, n, k int) float64 {
	return math.Pow(-math.Expm1(float64(k*n)*math.Log1p(-1/float64(m))), float64(k))
}
