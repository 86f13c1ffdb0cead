package planning

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/internal/expected"
)

// FreshRate returns the expected false-positive rate of a table of a number of blocks of blockBits,
// 512 or 256, after a number of inserts of different keys, and no deletes. It panics where there is
// no such table.
//
// A key of the table lives in one block, so what matters is the load of a non-member's block, the
// number of keys in it, which is binomial. Given the load L, a lane's bit is clear with probability
// (1-1/W)^L because each of the L keys set one bit of the lane at random; and the seven lanes are
// independent given L, because a key's seven positions are. So the rate is
//
//	sum over L of P(L) * (1 - (1-1/W)^L)^7
//
// The textbook formula for one big bit array, equation 2 of the letter, puts in the mean load for
// every block. The seventh power makes crowded blocks cost more than empty ones save, so it is too
// low: at W = 64 by a tenth at 8 bits per key, by a third at 16, and by nearly a half at 24.
func FreshRate(blockBits, inserts, blocks int) float64 {
	if blockBits != bits512 && blockBits != bits256 || inserts < 0 || blocks < 1 {
		panic(fmt.Sprintf("planning: the fresh rate of %d inserts into %d blocks of %d bits",
			inserts, blocks, blockBits))
	}
	if inserts/blocks > saturated {
		return 1
	}
	return expected.Rate(inserts, blocks, shape(blockBits))
}

func shape(blockBits int) expected.Lanes {
	return expected.Lanes{Count: lanes, Bits: laneBits(blockBits)}
}

// freshSpread returns how the rate whose mean is [FreshRate] varies over hash keys.
func freshSpread(blockBits, inserts, blocks int) expected.Spread {
	if inserts/blocks > saturated {
		return expected.Spread{Mean: 1}
	}
	return expected.RateSpread(inserts, blocks, shape(blockBits))
}

// saturated is a mean load at which a non-member's chance to be absent is below 1e-60.
const saturated = 10_000

// FreshDeletable returns the expected part of the members that a delete clears a bit of, of a
// number of them, at least 1, that were inserted into an empty table, none deleted. The
// documentation of the package derives it. Blocks are as in [FreshRate]. It panics where there is
// no such table.
func FreshDeletable(blockBits, members, blocks int) float64 {
	if blockBits != bits512 && blockBits != bits256 || members < 1 || blocks < 1 {
		panic(fmt.Sprintf("planning: the deletable part of %d members in %d blocks of %d bits",
			members, blocks, blockBits))
	}
	if (members-1)/blocks > saturated {
		return 0
	}
	in := newColumns(float64(laneBits(blockBits)))
	// The sums of retained cancel, so that next to 0 its error can be below.
	return 1 -
		max(0, expected.Mean(members-1, blocks,
			func(others int) float64 { return in.retained(float64(others)) }))
}

// freshCollided returns the expected part of the regions that so many inserts, and no deletes, make
// collide: those of which a cell was hit twice.
func freshCollided(blockBits, inserts, blocks int) float64 {
	if inserts/blocks > saturated {
		return 1
	}
	return expected.Mean(inserts, blocks, func(load int) float64 {
		return 1 - powers(atMostOnce(float64(laneBits(blockBits)), float64(load), 1, 1))[lanes]
	})
}

// columns sums, by inclusion and exclusion, over the columns of a random key.
type columns struct {
	w float64

	// signed[s][h] is the mean number of the key's sets of s columns that hold h of its positions,
	// as a negative number where s is odd.
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

// retained returns the probability that all columns of a key are collided, in a block with m
// others.
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
