package expected

import (
	"math"
	"testing"
)

// occupancyRate is the slow reference of RateOfBits: the distribution of the number of bits that
// are set, throw by throw.
func occupancyRate(n, m, k int) float64 {
	p := make([]float64, m+1)
	p[0] = 1
	for range n * k {
		for x := m; x >= 0; x-- {
			p[x] *= float64(x) / float64(m)
			if x > 0 {
				p[x] += p[x-1] * float64(m-x+1) / float64(m)
			}
		}
	}
	rate := 0.0
	for x, share := range p {
		rate += share * math.Pow(float64(x)/float64(m), float64(k))
	}
	return rate
}

func TestRateOfBits(t *testing.T) {
	for _, test := range []struct {
		n, m, k int
		within  float64
	}{
		{1, 512, 1, 1e-12}, {10, 1, 3, 1e-12}, {10, 64, 4, 0.005}, {50, 512, 1, 1e-12},
		{50, 512, 7, 5e-4},
		{20, 512, 16, 0.004}, {1, 512, 8, 0.01}, {200, 512, 4, 1e-4}, {100, 1000, 7, 2e-4},
		{30, 512, 12, 0.001},
	} {
		want := occupancyRate(test.n, test.m, test.k)
		if got := RateOfBits(float64(test.n), float64(test.m),
			test.k); math.Abs(got/want-1) > test.within {
			t.Errorf("%+v: %.6g, want %.6g: off by %.2g", test, got, want, got/want-1)
		}
	}
	for _, n := range []float64{0, 1e18} {
		if got, want := RateOfBits(n, 1e6, 7), min(1, n); got != want {
			t.Errorf("%g keys: %g, want %g", n, got, want)
		}
	}
}
