package encodings

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// churned fills a table with members, replaces all of them so many times, the oldest first, and returns the
// false-positive rate and the deletable part of the members after each of the turnovers, which ascend.
func churned(e Encoding, bitsOfLane, members int, bitsPerKey float64, turnovers []int, seed uint64) (rates, deletable []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	blocks := make([]Block, int(float64(members)*bitsPerKey/(fallback.Lanes*laneBits)))
	keys := make([]uint64, members)
	at := func(key uint64) *Block { return &blocks[fallback.Index(key, uint64(len(blocks)))] }
	come := func(i int) {
		keys[i] = rng.Uint64()
		e.Insert(at(keys[i]), fallback.Spread(keys[i]))
	}
	for i := range keys {
		come(i)
	}
	made := 0
	for _, until := range turnovers {
		for ; made < until; made++ {
			for i, key := range keys {
				e.Delete(at(key), fallback.Spread(key))
				come(i)
			}
		}
		rate := 0.0
		for i := range blocks { // a random key's positions are independent, so this is its chance
			product := 1.0
			for _, lane := range blocks[i][1:] {
				for range bitsOfLane {
					product *= float64(bits.OnesCount64(lane)) / laneBits
				}
			}
			rate += product / float64(len(blocks))
		}
		visible := 0
		for _, key := range keys {
			b := *at(key) // a copy
			if e.Delete(&b, fallback.Spread(key)) == fallback.Deleted {
				visible++
			}
		}
		rates, deletable = append(rates, rate), append(deletable, float64(visible)/float64(members))
	}
	return rates, deletable
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
		mean := func(e Encoding, bitsOfLane int) (rates, deletable [3]float64) {
			for seed := range uint64(seeds) {
				r, d := churned(e, bitsOfLane, members, test.bitsPerKey, turnovers, seed)
				for i := range turnovers {
					rates[i] += r[i] / seeds
					deletable[i] += d[i] / seeds
				}
			}
			return rates, deletable
		}
		one, oneDeletable := mean(Lanes(1), 1)
		two, twoDeletable := mean(Twice{}, 2)
		for i, n := range turnovers {
			t.Logf("%g bits per key, %d turnovers: rate %.3g %%, with two bits per lane %.3g %%; deletable %.1f %%, with two %.1f %%",
				test.bitsPerKey, n, 100*one[i], 100*two[i], 100*oneDeletable[i], 100*twoDeletable[i])
			if better := two[i] < one[i]; better != test.better[i] {
				t.Errorf("%g bits per key, %d turnovers: rate %g with two bits per lane, %g with one", test.bitsPerKey, n, two[i], one[i])
			}
		}
	}
}
