package encodings

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// The rate of a block is the share of random keys that are present.
func TestRate(t *testing.T) {
	const queries = 200_000
	rng := rand.New(rand.NewPCG(21, 22))
	for _, e := range all {
		for _, members := range []int{8, 16, 40} {
			var b Block
			for range members {
				e.Insert(&b, fallback.Spread(rng.Uint64()))
			}
			found := 0.0
			for range queries {
				if e.Query(&b, fallback.Spread(rng.Uint64())) {
					found++
				}
			}
			rate := e.Rate(&b)
			if off := math.Abs(found/queries-rate) /
				math.Sqrt(max(rate, 1./queries)*(1-rate)/queries); off > 4.5 {
				t.Errorf("%v with %d members: rate %.3g, and %.3g of the queries find: %.1f "+
					"standard errors", e, members, rate, found/queries, off)
			}
		}
	}
}

// What docs/decisions/collision-lanes.md says of two bits per lane; -v prints its table.
func TestTwoBitsPerLane(t *testing.T) {
	const members, seeds = 100_000, 5
	turnovers := []int{0, 1, 3}
	for _, test := range []struct {
		bitsPerKey float64
		better     [3]bool // after each of the turnovers
	}{
		{12, [3]bool{}}, {16, [3]bool{}}, {20, [3]bool{}}, {24, [3]bool{true}}, {32, [3]bool{true}},
		{48, [3]bool{true}}, {64, [3]bool{true, true}},
	} {
		mean := func(e *Encoding) (sums [3]State) {
			for seed := range uint64(seeds) {
				for i, s := range Churn(rand.New(rand.NewPCG(seed, 1)), e, members,
					test.bitsPerKey, turnovers) {
					sums[i].Rate += s.Rate / seeds
					sums[i].Deletability += s.Deletability / seeds
				}
			}
			return sums
		}
		one, two := mean(Lanes(1)), mean(Twice())
		for i, n := range turnovers {
			t.Logf("%g bits per key, %d turnovers: rate %.3g %%, with two bits per lane %.3g %%; "+
				"deletable %.1f %%, with two %.1f %%",
				test.bitsPerKey, n, 100*one[i].Rate, 100*two[i].Rate, 100*one[i].Deletability,
				100*two[i].Deletability)
			if better := two[i].Rate < one[i].Rate; better != test.better[i] {
				t.Errorf("%g bits per key, %d turnovers: rate %g with two bits per lane, %g "+
					"with one", test.bitsPerKey, n, two[i].Rate, one[i].Rate)
			}
		}
	}
}
