// Package expected predicts what a blocked Bloom filter answers from how many keys its blocks hold.
//
// Everything here is a mean over the load of a block, the number of keys in it. The n keys choose
// among B blocks evenly, which makes the load L binomial:
//
//	P(L) = C(n, L) (1/B)^L (1-1/B)^(n-L)
//
// close to a Poisson distribution of mean n/B. The textbook formula for one big bit array, equation 2
// of the letter, puts in the mean load for every block; crowded blocks cost more than empty ones save,
// so it is too low.
package expected

import (
	"fmt"
	"math"
)

// Lanes is the shape of a block: a number of lanes of Bits bits, in each of which a key owns one bit,
// at random.
type Lanes struct{ Count, Bits int }

// Rate returns the expected false-positive rate of a table of nblocks blocks after a number of inserts
// of different keys. It panics where nblocks is below 1 or keys is below 0.
//
// Given its load L, a lane's bit is clear with probability (1-1/W)^L, W being the lane's bits; and the
// lanes are independent given L, because a key's positions are. So the rate is, for k lanes,
//
//	sum over L of P(L) * (1 - (1-1/W)^L)^k
func Rate(keys, nblocks int, shape Lanes) float64 {
	return Mean(keys, nblocks, func(load int) float64 {
		// 1-(1-1/W)^load, without the cancellation where load is small.
		fill := -math.Expm1(float64(load) * math.Log1p(-1/float64(shape.Bits)))
		return math.Pow(fill, float64(shape.Count))
	})
}

// Deletable returns the expected share of the members of a deletable table of nblocks blocks that a
// delete of one of them, of the full table, makes invisible. It panics where an argument is below 1.
//
// A member shares its block with L others, L binomial for n-1 keys. It becomes invisible when one of
// its k bits lies in a region, a column of the block, in which no bit was set more than once. Take s
// columns, in which the member has t of its k bits, in each column one at least. All s are such when,
// in each of the t lanes, no other key is where the member's bit is, and in the other s-1 columns one
// at most; and in each of the k-t lanes, one at most in all s columns: so with the probability
//
//	a^t * b^(k-t)
//	a = sum over j of C(s-1, j) * L!/(L-j)! * W^-j * (1-s/W)^(L-j)
//	b = sum over j of C(s, j)   * L!/(L-j)! * W^-j * (1-s/W)^(L-j)
//
// By inclusion and exclusion over the sets of columns, of which C(W, s) have s, and in which a random
// key has t bits and leaves no column out with the probability that C(k, t) onto(t, s) counts, the
// share for a load is
//
//	sum over s from 1 of -(-1)^s * C(W, s) * sum over t of C(k, t) * onto(t, s) * W^-t * (1-s/W)^(k-t) * a^t * b^(k-t)
//
// onto(t, s) being the ways to map t things onto s.
func Deletable(keys, nblocks int, shape Lanes) float64 {
	if keys < 1 {
		panic(fmt.Sprintf("expected: the deletable share of %d keys", keys))
	}
	width, k := float64(shape.Bits), shape.Count
	return Mean(keys-1, nblocks, func(others int) float64 {
		share, sign := 0.0, 1.0
		for s := 1; s <= k; s++ {
			a, b := atMostOne(others, s-1, s, width), atMostOne(others, s, s, width)
			sum := 0.0
			for t := s; t <= k; t++ {
				sum += choose(k, t) * onto(t, s) * math.Pow(a/width, float64(t)) * math.Pow(b*(1-float64(s)/width), float64(k-t))
			}
			share += sign * choose(shape.Bits, s) * sum
			sign = -sign
		}
		return share
	})
}

// atMostOne returns the probability that of the bits that a number of keys set in a lane, one each,
// none or one is in each of the first columns, and none in the rest of so many columns.
func atMostOne(keys, first, columns int, width float64) (p float64) {
	arranged := 1.0 // keys!/(keys-j)! / width^j
	for j := 0; j <= min(first, keys); j++ {
		p += choose(first, j) * arranged * math.Pow(1-float64(columns)/width, float64(keys-j))
		arranged *= float64(keys-j) / width
	}
	return p
}

// choose returns the number of ways to choose k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

// onto returns the number of ways to map n things onto k.
func onto(n, k int) (ways float64) {
	sign := 1.0
	for left := range k + 1 { // out
		ways += sign * choose(k, left) * math.Pow(float64(k-left), float64(n))
		sign = -sign
	}
	return ways
}

// Mean returns the mean of a quantity of a block over the loads that the blocks have when a number of
// keys chose among nblocks of them. The quantity is from 0 to 1, and does not jump. Mean panics where
// nblocks is below 1 or keys is below 0.
func Mean(keys, nblocks int, of func(load int) float64) float64 {
	if keys < 0 || nblocks < 1 {
		panic(fmt.Sprintf("expected: a mean over the load of %d keys in %d blocks", keys, nblocks))
	}
	if nblocks == 1 {
		return of(keys)
	}
	n, odds := float64(keys), 1/float64(nblocks-1)
	// P(L) is summed from its largest term, set to 1, outwards, and normalized at the end: so no
	// term overflows, and the sums leave out only what is too small to count. To the right that is
	// a term that is small beside both sums, because the quantity may grow; to the left, one that is
	// small beside the largest.
	mode := min(int((n+1)/float64(nblocks)), keys)
	const negligible = 1e-18
	weights, sum := 1.0, of(mode)
	for load, weight := mode, 1.0; load < keys; load++ {
		weight *= (n - float64(load)) / float64(load+1) * odds
		weights += weight
		sum += weight * of(load+1)
		if weight < negligible*min(sum, 1) {
			break
		}
	}
	for load, weight := mode, 1.0; load > 0 && weight > negligible; load-- {
		weight *= float64(load) / ((n - float64(load) + 1) * odds)
		weights += weight
		sum += weight * of(load-1)
	}
	return sum / weights
}
