package planning

import "math"

// node is a point of a quadrature and its weight.
type node struct{ x, weight float64 }

// binomialNodes returns the Gauss quadrature of a binomial distribution with the given mean, whose
// trials succeed with probability p. It is exact for the expectations of all polynomials up to
// degree 2*count-1. The number of trials need not be an integer. More than 8 nodes are not stable
// if the mean is well below 1.
//
// The orthogonal polynomials are Krawtchouk's (for small p, Charlier's), and the nodes are the
// eigenvalues of the tridiagonal matrix of their recurrence (Golub and Welsch, "Calculation of
// Gauss quadrature rules", Mathematics of Computation 1969).
func binomialNodes(mean, p float64, count int) []node {
	if mean == 0 || p == 1 {
		return []node{{mean, 1}}
	}
	// off[k] is the square of the element at k-1 and k
	diagonal, off := make([]float64, count), make([]float64, count)
	for k := range count {
		n := float64(k)
		diagonal[k] = mean - float64(p*n) + float64(n*(1-p))
		off[k] = float64(n * (1 - p) * (mean - float64(p*(n-1))))
		if k > 0 && off[k] < 1e-9*mean { // the distribution has no more values
			count = k
			break
		}
	}
	// The number of eigenvalues below x is the number of negative pivots (Sturm).
	below := func(x float64) (negative int) {
		pivot := 1.0
		for k := range count {
			pivot = diagonal[k] - x - off[k]/pivot
			if pivot == 0 {
				pivot = -1e-300
			}
			if pivot < 0 {
				negative++
			}
		}
		return negative
	}
	most := 0.0 // Gershgorin's bound
	for k := range count {
		next := 0.0
		if k+1 < count {
			next = math.Sqrt(off[k+1])
		}
		most = max(most, diagonal[k]+math.Sqrt(off[k])+next)
	}
	nodes := make([]node, count)
	for i := range nodes {
		low, high := -1.0, most+1
		for range 80 {
			middle := float64((low + high) / 2)
			if middle == low || middle == high {
				break
			}
			if below(middle) > i {
				high = middle
			} else {
				low = middle
			}
		}
		x := max(0, float64((low+high)/2))
		// The weight is 1 over the sum of the squares of the orthonormal polynomials at x.
		last, this, sum := 0.0, 1.0, 1.0
		for k := range count - 1 {
			next := float64((x-diagonal[k])*this) - float64(math.Sqrt(off[k])*last)
			last, this = this, next/math.Sqrt(off[k+1])
			sum += float64(this * this)
		}
		nodes[i] = node{x, 1 / sum}
	}
	return nodes
}
