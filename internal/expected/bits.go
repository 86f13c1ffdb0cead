package expected

import "github.com/bloomlane/bloomlane/internal/elementary"

// Fill returns the expected share of cells that a number of independent throws hit.
func Fill(throws, cells float64) float64 {
	if throws == 0 {
		return 0 // in a single cell 0 * log 0 is none
	}
	return -elementary.Expm1(throws * elementary.Log1p(-1/cells))
}

// RateOfBits returns the expected false-positive rate of n keys with k random bits each among m,
// which may coincide.
//
// Let X of the m bits be set. Its mean is m*p with p = 1-(1-1/m)^(kn), and a non-member is present
// with the probability (X/m)^k. The classical formula p^k replaces X by its mean, and is too low
// (Bose et al., "On the false-positive rate of Bloom filters", Information Processing Letters,
// 2008). Here X is taken as normal, with the variance of an occupancy problem,
//
//	m e^-c (1 - (1+c) e^-c),   c = kn/m
//
// and with v = variance / mean^2 the mean of X^k, relative to its mean's power, is
//
//	sum over j of C(k, 2j) (2j-1)!! v^j
//
// That is 0.6 % above the classical formula for 1000 bits, k = 7 and half of the bits set, and 6 in
// a million for a million bits.
func RateOfBits(n, m float64, k int) float64 {
	p := Fill(n*float64(k), m)
	if !(p > 0) { // nothing is in
		return 0
	}
	c := n * float64(k) / m
	empty := elementary.Exp(-c)
	v := max(0, empty*(-elementary.Expm1(-c)-float64(c*empty))) / (m * p * p)
	sum, term := 1.0, 1.0
	for j := 1; 2*j <= k; j++ {
		// C(k,2j) (2j-1)!! from the term before it: times (k-2j+2)(k-2j+1) / 2j.
		term = float64(term * v * float64((k-2*j+2)*(k-2*j+1)) / float64(2*j))
		sum += term
	}
	return min(1, elementary.Pow(p, float64(k))*sum)
}
