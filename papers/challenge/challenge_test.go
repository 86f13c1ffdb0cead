package challenge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

// What the run finds that CI makes.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	claimtest.Holds(t, New()).FormulaHolds(t, formula, 3)
}

// What other implementations have of a word.
func TestMurmur3(t *testing.T) {
	for _, test := range [][3]uint32{ // a seed, a word and its hash
		{0, 0, 0x2362f9de}, {0, 0xffffffff, 0x76293b50}, {0, 0x87654321, 0xf55b516b},
		{0x5082edee, 0x87654321, 0x2362f9de}, {0x9747b28c, 0x74736574, 0x704b81dc},
	} {
		if got := murmur3(test[0], mix(test[1])); got != test[2] {
			t.Errorf("murmur3(%#x, %#x) = %#x, want %#x", test[0], test[1], got, test[2])
		}
	}
}

// All 16 hashes of four bits, one after another.
func TestReduced(t *testing.T) {
	for m := 1.; m <= 20; m++ {
		for _, n := range []float64{1, 3} {
			set := 0.0
			hashes := map[float64]float64{}
			for h := 0.; h < 16; h++ {
				hashes[math.Mod(h, m)]++
			}
			for h := 0.; h < 16; h++ {
				set += (1 - math.Pow(1-hashes[math.Mod(h, m)]/16, 2*n)) / 16
			}
			if got := reduced(4, m, 2, n); math.Abs(got-set*set) > 1e-12 {
				t.Errorf("m = %g, n = %g: %g, want %g", m, n, got, set*set)
			}
		}
	}
}

// Under the contract of deletion each variant finds its members, but for the one that hides who was
// deleted; and those that leave no trace find hardly any non-member after some turnovers.
func TestVariants(t *testing.T) {
	for i, v := range variants {
		const n = 300
		rng, good, members := rand.New(rand.NewPCG(3, uint64(i))), &recorder{}, [n]uint64{}
		for turn := range 10 * n {
			at := turn % n
			if turn >= n {
				good.DeleteHash(members[at])
			}
			members[at] = rng.Uint64()
			must(good.InsertHash(members[at]))
		}
		o := good.replay(rng, v.make(n, 24))
		if i == second != (o.hidden > 0) {
			t.Errorf("%s: %g of the members are hidden", v.name, o.hidden)
		}
		if saturates := v.name == "regions as in the letter" || v.name == "filter/deletable" ||
			i == flags; saturates != (o.found > 0.1*queries) {
			t.Errorf("%s: %g of the non-members are found", v.name, o.found/queries)
		}
	}
}

// The roles of the synthetic trace: 3 in 100 are blocked, and 5 get three strikes.
func TestSynthetic(t *testing.T) {
	all := synthetic(rand.New(rand.NewPCG(8, 8)), 3000)
	for name, test := range map[string][2]float64{
		"blocked": {float64(len(all.blocked)), 0.03},
		"moved":   {float64(all.exactly().Counts().ThirdStrike), 0.05},
	} {
		if mean := 3000 * test[1]; math.Abs(test[0]-mean) > 4*math.Sqrt(mean) {
			t.Errorf("%s: %g, want about %g", name, test[0], mean)
		}
	}
	if len(all.packets) != 3000*perSource {
		t.Errorf("%d packets", len(all.packets))
	}
}

// Of the capture's sources two send the bad sequences, and not the busiest one.
func TestCaptured(t *testing.T) {
	all := captured(rand.New(rand.NewPCG(4, 4)))
	sends, busiest := map[string]int{}, ""
	for _, p := range all.packets {
		if sends[p.Source.String()] += len(p.Payload); sends[p.Source.String()] > sends[busiest] {
			busiest = p.Source.String()
		}
	}
	exact := all.exactly()
	for source := range exact.bad {
		if source.String() == busiest {
			t.Errorf("%s is bad, and sends the most", source)
		}
	}
	if len(exact.bad) != 2 || len(all.sequences) != knownPatterns {
		t.Errorf("%d sources are bad, by %d sequences", len(exact.bad), len(all.sequences))
	}
}
