package trials

import "gonum.org/v1/gonum/stat/distuv"

// Tail returns the probability that of n throws, each with the chance p, j or more hit.
func Tail(j int, n, p float64) float64 {
	switch {
	case j <= 0:
		return 1
	case float64(j) > n:
		return 0
	}
	return distuv.Beta{Alpha: float64(j), Beta: n - float64(j) + 1}.CDF(p)
}
