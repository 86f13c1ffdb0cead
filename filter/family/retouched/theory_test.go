package retouched

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// Bits that are cleared at random remove the part 1 - r_s of the false positives and of the
// members, so χ is 1: within four standard deviations of the measured means over filters.
func TestRandomizedIsTheTheory(t *testing.T) {
	filters := 40
	if testing.Short() {
		filters = 12
	}
	for _, size := range []struct{ bits, members, hashes int }{
		{100_000, 10_000, 5}, {20_000, 2000, 7}, {4000, 1000, 2},
	} {
		m, k := float64(size.bits), float64(size.hashes)
		set := m * (1 - math.Pow(1-1/m, k*float64(size.members))) // bits: equation 4
		for _, share := range []float64{0.001, 0.05, 0.3, 0.9} {  // of the bits that are set
			cleared := int(share * set)
			rng := rand.New(rand.NewPCG(8, uint64(cleared)))
			var positives, negatives, chi []float64
			for range filters {
				members := workload.Hashes(rng, size.members)
				f := baseOf(t, 0, size.bits, size.hashes, members)
				found := falsePositives(rng, f, 400)
				g, r, err := New(f, Config{
					Algorithm: Randomized, Members: source(members), Troublesome: source(found),
					Bits: cleared, Seed: rng.Uint64(),
				})
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Cleared) != cleared {
					t.Fatalf("%d bits are cleared, want %d", len(r.Cleared), cleared)
				}
				_, before := scan(f)
				_, after := scan(g.table.Table().Base)
				positives = append(positives, 1-after/before) // of all false positives, exactly
				negatives = append(negatives, lost(r))
				if sampled := float64(len(r.BoughtOff)) /
					400; math.Abs(sampled-(1-after/before)) > 4*0.5/20 {
					t.Errorf("%+v, %d bits: %g of the sampled false positives are removed, %g by "+
						"the bits", size, cleared, sampled, 1-after/before)
				}
				if len(r.Lost) > 0 {
					chi = append(chi, (1-after/before)/lost(r))
				}
			}
			want := 1 - math.Pow(1-float64(cleared)/set, k) // equation 16
			for name, all := range map[string][]float64{"false positives": positives,
				"members": negatives} {
				mean, deviation := meanOf(all)
				if math.Abs(mean-want) > 4*deviation+1e-4*want {
					t.Errorf("%+v, %d bits: %g ± %g of the %s, want %g", size, cleared, mean,
						deviation, name, want)
				}
			}
			if mean, deviation := meanOf(chi); share >= 0.05 &&
				math.Abs(mean-1) > 4*deviation+0.01 {
				t.Errorf("%+v, %d bits: χ is %g ± %g", size, cleared, mean, deviation)
			}
		}
	}
}

// meanOf returns the mean, and its standard deviation.
func meanOf(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation) / float64(len(x))
}

// The selective algorithms have χ above 1, in the paper's order, and random selection above 1.4:
// section IV-C.2.
func TestChiOfTheAlgorithms(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	members := workload.Hashes(rng, 10_000)
	f := baseOf(t, 0, 100_000, 5, members)
	others := falsePositives(rng, f, 9000) // of a universe of about a million
	troublesome := others[:900]
	chi := map[Algorithm]float64{}
	for _, a := range all()[:7] {
		_, r, err := New(f, Config{
			Algorithm: a, Members: source(members), Troublesome: source(troublesome),
			Others: source(others[900:]), Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.BoughtOff) != 900 || r.Others != 8100 {
			t.Fatalf("%v: %d are bought off, of %d others %d", a, len(r.BoughtOff),
				r.Others, r.OthersGone)
		}
		chi[a] = float64(len(r.BoughtOff)+r.OthersGone) / 9000 / lost(r)
	}
	t.Log(chi)
	for _, order := range [][2]Algorithm{
		{RandomSelection, MinimumFN}, {MinimumFN, MaximumFP}, {MaximumFP, Ratio},
		{MinimumFN, ImprovedMinimumFN}, {Ratio, ImprovedRatio},
	} {
		if chi[order[0]] >= chi[order[1]] {
			t.Errorf("%v has %g, %v has %g", order[0], chi[order[0]], order[1], chi[order[1]])
		}
	}
	if chi[RandomSelection] < 1.3 || chi[Ratio] < 1.8 {
		t.Errorf("χ is %v", chi)
	}
}

// lost returns the part of the members that are lost: equations 9 and 11.
func lost(r *Report) float64 { return float64(len(r.Lost)) / float64(r.Members) }
