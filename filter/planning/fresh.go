package planning

import (
	"fmt"
	"math"
)

// FreshRate returns the expected false-positive rate of a table of a number of blocks, with lanes of
// laneBits, after a number of inserts of different keys, and no deletes. It panics where an argument
// is below 1 or inserts is below 0.
//
// A key of the table lives in one block, so what matters is the load of a stranger's block, the
// number of keys in it. The n keys choose among B blocks evenly, which makes the load L binomial:
// P(L) = C(n, L) (1/B)^L (1-1/B)^(n-L), close to a Poisson distribution of mean n/B. Given L, a
// lane's bit is clear with probability (1-1/W)^L because each of the L keys set one bit of the lane
// at random; and the seven lanes are independent given L, because a key's seven positions are. So
// the rate is
//
//	sum over L of P(L) * (1 - (1-1/W)^L)^7
//
// The textbook formula for one big bit array, equation 2 of the letter, puts in the mean load for
// every block. The seventh power makes crowded blocks cost more than empty ones save, so it is too
// low: at W = 64 by a tenth at 8 bits a key, by a third at 16, and by nearly a half at 24.
func FreshRate(laneBits, inserts, blocks int) float64 {
	if laneBits < 1 || inserts < 0 || blocks < 1 {
		panic(fmt.Sprintf("planning: the fresh rate of %d inserts into %d blocks with lanes of %d bits", inserts, blocks, laneBits))
	}
	miss := math.Log1p(-1 / float64(laneBits))
	return overLoads(inserts, blocks, func(load int) float64 {
		// 1-(1-1/W)^load, without the cancellation where load is small.
		return math.Pow(-math.Expm1(float64(load)*miss), lanes)
	})
}

// FreshDeletable returns the expected part of the members that a delete clears a bit of, of a number
// of them, at least 1, that were inserted into an empty table, none deleted. The documentation of
// the package derives it. It panics where an argument is below 1.
func FreshDeletable(laneBits, members, blocks int) float64 {
	if laneBits < 1 || members < 1 || blocks < 1 {
		panic(fmt.Sprintf("planning: the deletable part of %d members in %d blocks with lanes of %d bits", members, blocks, laneBits))
	}
	in := newColumns(float64(laneBits))
	return 1 - overLoads(members-1, blocks, func(others int) float64 { return in.retained(float64(others)) })
}

// columns sums, by inclusion and exclusion, over the columns of a random key.
type columns struct {
	w float64

	// signed[s][h] is the mean number of the key's sets of s columns that hold h of its positions, as
	// a negative number where s is odd.
	signed [lanes + 1][lanes + 1]float64
}

func newColumns(w float64) *columns {
	in := &columns{w: w}
	for i := range patterns {
		p := &patterns[i]
		probability := p.probability(w)
		for subset := range 1 << len(p.groups) { // of the key's columns
			s, h, sign := 0, 0, 1.0
			for j, size := range p.groups {
				if subset>>j&1 == 1 {
					s, h, sign = s+1, h+size, -sign
				}
			}
			in.signed[s][h] += sign * probability
		}
	}
	return in
}

// retained returns the probability that all columns of a key are collided, in a block with m others.
func (in *columns) retained(m float64) (sum float64) {
	for s := 0; s <= lanes && float64(s) <= in.w; s++ {
		own := powers(atMostOnce(in.w, m, s, s-1)) // in a lane where the key is in one of s columns
		other := powers(atMostOnce(in.w, m, s, s)) // in a lane where it is in none
		for h := s; h <= lanes; h++ {
			sum += in.signed[s][h] * own[h] * other[lanes-h] // that they are all free of collisions
		}
	}
	return sum
}

// atMostOnce returns the probability that m keys, one cell of a lane each, leave all but some of s
// given cells alone, and hit each of some of them at most once.
func atMostOnce(w, m float64, s, some int) (sum float64) {
	ways := 1.0 // C(some, i) m(m-1)…(m-i+1) / W^i
	for i := 0; i <= some && float64(i) <= m; i++ {
		sum += ways * math.Pow(1-float64(s)/w, m-float64(i))
		ways *= float64(some-i) / float64(i+1) * (m - float64(i)) / w
	}
	return sum
}

// overLoads returns the mean of a value of a block's load, which rises with it to at most 1, where a
// number of keys choose among blocks.
func overLoads(keys, blocks int, value func(load int) float64) float64 {
	if blocks == 1 {
		return value(keys)
	}
	const saturated = 10_000 // a mean load at which a stranger's chance to be absent is below 1e-60
	if keys/blocks > saturated {
		return 1
	}
	n, odds := float64(keys), 1/float64(blocks-1)
	// P(L) is summed from its largest term, set to 1, outwards, and normalized at the end: so no
	// term overflows, and the sums leave out only what is too small to count. To the right that is
	// a term that is small beside the sum of the values, because the value may be close to 1; to
	// the left both factors fall.
	mode := int((n + 1) / float64(blocks))
	const negligible = 1e-18
	weights, sum := 1.0, value(mode)
	for load, weight := mode, 1.0; load < keys; load++ {
		weight *= (n - float64(load)) / float64(load+1) * odds
		weights += weight
		sum += weight * value(load+1)
		if weight < negligible*sum {
			break
		}
	}
	for load, weight := mode, 1.0; load > 0 && weight > negligible; load-- {
		weight *= float64(load) / ((n - float64(load) + 1) * odds)
		weights += weight
		sum += weight * value(load-1)
	}
	return sum / weights
}
