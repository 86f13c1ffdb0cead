// Package expected computes the false-positive rates of blocked Bloom filters from the number of
// keys, for blocks of several shapes. Package planning also covers deletes, for the blocks of this
// project. docs/theory.md has the formulas in one place.
//
// Everything here is a mean over the load of a block, the number of keys in it. The n keys choose
// among B blocks evenly, which makes the load L binomial:
//
//	P(L) = C(n, L) (1/B)^L (1-1/B)^(n-L)
//
// close to a Poisson distribution of mean n/B. The textbook formula for one big bit array uses the
// mean load for every block. It is too low, because crowded blocks add more to the rate than empty
// ones take away.
package expected

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Lanes is the shape of a block: a number of lanes of Bits bits, in each of which a key owns one
// bit, at random.
type Lanes struct{ Count, Bits int }

// Rate returns the expected false-positive rate of a table of nblocks blocks after a number of
// inserts of different keys, the mean over hash keys. [RateSpread] says how far single tables are
// from it. It panics if nblocks is below 1 or keys is below 0.
//
// Given its load L, a lane's bit is clear with probability (1-1/W)^L, W being the lane's bits; and
// the lanes are independent given L, because a key's positions are. So the rate is, for k lanes,
//
//	sum over L of P(L) * (1 - (1-1/W)^L)^k
func Rate(keys, nblocks int, shape Lanes) float64 {
	known, is := memos.Load(shape)
	if !is {
		known, _ = memos.LoadOrStore(shape, new(Memo))
	}
	memo := known.(*Memo)
	return Mean(keys, nblocks, func(load int) float64 {
		return memo.Of(load, func(load int) float64 {
			return elementary.Pow(Fill(float64(load), float64(shape.Bits)), float64(shape.Count))
		})
	})
}

// memos has the rates of blocks, a *[Memo] for each [Lanes].
var memos sync.Map

// Memo remembers a quantity of a block above 0 by its load: a plan asks hundreds of times for that
// of a few small loads.
type Memo [512]atomic.Uint64

// Of returns the quantity for a load, which compute computes.
func (m *Memo) Of(load int, compute func(load int) float64) float64 {
	if load >= len(m) {
		return compute(load)
	}
	if known := m[load].Load(); known != 0 {
		return math.Float64frombits(known)
	}
	value := compute(load)
	m[load].Store(math.Float64bits(value))
	return value
}

// Mean returns the mean of a quantity of a block over the loads that the blocks have when a number
// of keys chose among nblocks of them. The quantity is from 0 to 1 and does not jump. Mean computes
// it for a few thousand loads at most. It panics where nblocks is below 1 or keys is below 0.
func Mean(keys, nblocks int, of func(load int) float64) float64 {
	sum := 0.0
	weights := overLoads(keys, nblocks, func(load int, weight float64) float64 {
		sum += float64(weight * of(load))
		return sum
	})
	return sum / weights
}

// overLoads calls add with loads and their probabilities, times a constant, and returns the sum of
// these weights. Add returns its weighted sum so far, which decides when the remaining loads are
// negligible.
func overLoads(
	keys, nblocks int,
	add func(load int, weight float64) (sum float64),
) (weights float64) {
	if keys < 0 || nblocks < 1 {
		panic(fmt.Sprintf("expected: a mean over the load of %d keys in %d blocks", keys, nblocks))
	}
	if nblocks == 1 {
		add(keys, 1)
		return 1
	}
	n, odds := float64(keys), 1/float64(nblocks-1)
	// If there are many more loads than this per standard deviation, only some of them are summed.
	const perDeviation = 64
	deviation := math.Sqrt(n / float64(nblocks) * (1 - 1/float64(nblocks)))
	step := max(1, int(deviation/perDeviation))
	// P(L+step) / P(L): the ratio of neighbours in the middle, to the power of the step.
	ratio := func(load int) float64 {
		if step == 1 {
			return (n - float64(load)) / (float64(load) + 1) * odds
		}
		middle := float64(load) + float64(float64(step-1)/2)
		return elementary.Pow((n-middle)/(middle+1)*odds, float64(step))
	}
	// P(L) is summed outwards from its largest term, which is set to 1, and normalized at the end,
	// so no term overflows. To the right the sum ends at a term that is small beside both sums,
	// because the quantity may grow; to the left, at one that is small beside the largest.
	mode := min(int((n+1)/float64(nblocks)), keys)
	const negligible, nothing = 1e-18, 1e-290
	weights = 1
	add(mode, 1)
	for load, weight := mode, 1.0; load <= keys-step; {
		weight = float64(weight * ratio(load))
		load += step
		weights += weight
		sum := add(load, weight)
		if weight < max(nothing, negligible*min(sum, 1)) {
			break
		}
	}
	for load, weight := mode, 1.0; load >= step && weight > negligible; {
		load -= step
		weight /= ratio(load)
		weights += weight
		add(load, weight)
	}
	return weights
}
