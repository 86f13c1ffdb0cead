package planning

import (
	"fmt"

	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// FreshRate returns the expected false-positive rate of a table after the given number of inserts
// of different keys and no deletes, as a share from 0 to 1. The table has blocks of blockBits bits,
// 512 or 256. The mean over hash keys is exact: docs/theory.md has the formula. The textbook
// formula for one large bit array is too low: with blocks of 512 bits by a tenth at 8 bits per key,
// by a third at 16, and by nearly a half at 24. FreshRate panics if blockBits is another number, if
// blocks is below 1, or if inserts is below 0.
func FreshRate(blockBits, inserts, blocks int) float64 {
	if blockBits != bits512 && blockBits != bits256 || inserts < 0 || blocks < 1 {
		panic(fmt.Sprintf("planning: FreshRate: %d inserts into %d blocks of %d bits",
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

// freshSpread returns how the rate, whose mean is [FreshRate], varies over hash keys.
func freshSpread(blockBits, inserts, blocks int) expected.Spread {
	if inserts/blocks > saturated {
		return expected.Spread{Mean: 1}
	}
	return expected.RateSpread(inserts, blocks, shape(blockBits))
}

// saturated is a mean load at which a non-member is absent with a probability below 1e-60.
const saturated = 10_000

// FreshDeletability returns the expected share of the members whose delete would clear at least one
// bit, in a table into which the given number of members were inserted and from which none was
// deleted. The mean over hash keys is exact: docs/theory.md has the formula. Blocks are as in
// [FreshRate]. It panics if blockBits is not 512 or 256, or if members or blocks is below 1.
func FreshDeletability(blockBits, members, blocks int) float64 {
	if blockBits != bits512 && blockBits != bits256 || members < 1 || blocks < 1 {
		panic(fmt.Sprintf("planning: FreshDeletability: %d members in %d blocks of %d bits",
			members, blocks, blockBits))
	}
	if (members-1)/blocks > saturated {
		return 0
	}
	in := newColumns(float64(laneBits(blockBits)))
	// The terms of retained cancel, so that a result near 0 can be slightly below 0.
	return 1 -
		max(0, expected.Mean(members-1, blocks,
			func(others int) float64 { return in.retained(float64(others)) }))
}

// freshCollided returns the expected share of the regions that have collided after a number of
// inserts and no deletes: one of their cells was hit twice.
func freshCollided(blockBits, inserts, blocks int) float64 {
	if inserts/blocks > saturated {
		return 1
	}
	return expected.Mean(inserts, blocks, func(load int) float64 {
		return 1 - powers(atMostOnce(float64(laneBits(blockBits)), float64(load), 1, 1))[lanes]
	})
}

// columns sums over the columns of a random key, by inclusion and exclusion.
type columns struct {
	w float64

	// signed[s][h] is the mean number of sets of s columns of the key that hold h of its positions,
	// negative if s is odd.
	signed [lanes + 1][lanes + 1]float64
}

func newColumns(w float64) *columns {
	in := &columns{w: w}
	for i := range patterns {
		p := &patterns[i]
		probability := p.probability(w)
		for subset := range 1 << len(p.groups) { // a set of columns of the key
			s, h, sign := 0, 0, 1.0
			for j, size := range p.groups {
				if subset>>j&1 == 1 {
					s, h, sign = s+1, h+size, -sign
				}
			}
			in.signed[s][h] += float64(sign * probability)
		}
	}
	return in
}

// retained returns the probability that all columns of a key are collided, in a block with m other
// keys.
func (in *columns) retained(m float64) (sum float64) {
	for s := 0; s <= lanes && float64(s) <= in.w; s++ {
		own := powers(atMostOnce(in.w, m, s, s-1)) // in a lane where the key is in one of s columns
		other := powers(atMostOnce(in.w, m, s, s)) // in a lane where it is in none
		for h := s; h <= lanes; h++ {
			sum += float64(in.signed[s][h] * own[h] * other[lanes-h]) // all are free of collisions
		}
	}
	return sum
}

// atMostOnce returns a probability for m keys that each hit one cell of a lane, and s given cells:
// some of the cells are hit at most once each, and the other s - some are not hit.
func atMostOnce(w, m float64, s, some int) (sum float64) {
	ways := 1.0 // C(some, i) m(m-1)…(m-i+1) / W^i
	for i := 0; i <= some && float64(i) <= m; i++ {
		sum += float64(ways * elementary.Pow(1-float64(s)/w, m-float64(i)))
		ways *= float64(some-i) / float64(i+1) * (m - float64(i)) / w
	}
	return sum
}
