package elastic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
)

// What the run finds that CI makes.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found, err := claimtest.Short(New())
	if err != nil {
		t.Fatal(err)
	}
	found.Verdicts(t, 250)
	found.AlteredDiffer(t, 25, 60)
	found.TheoryHolds(t, meanField, 100, 0.01)
	found.FiguresAre(t, "overflows", "growth", "initial", "slow",
		"expansions", "loads", "forms")
}

// The bits of the buckets are those of the filter.
func TestSlowBits(t *testing.T) {
	for log := 4; log < 14; log++ {
		for branches, tree := range map[int]bool{0: false, 3: true} {
			c := original.Default()
			c.Log, c.Branches = log, branches
			f, err := original.New(c)
			if err != nil {
				t.Fatal(err)
			}
			_, slow := f.Bytes()
			if off := 8*float64(slow) - slowBits(log, tree); off < 0 ||
				off > 4*64 { // the rest of a word, and one behind
				t.Errorf("2^%d bits, branches %d: %d bytes, want %g", log, branches, slow, slowBits(log, tree)/8)
			}
		}
	}
}

// What the figures compare finds its members and as many others as its rate says, and the tightened filter
// keeps the bound of Almeida et al.
func TestSubjects(t *testing.T) {
	for i, s := range subjects(8) {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		for range 300 {
			hash := rng.Uint64()
			s.insert(hash)
			if !s.query(hash) {
				t.Fatalf("%s: a member is absent", s.name)
			}
		}
		const queries = 1 << 18
		found := 0.0
		for range queries {
			if s.query(rng.Uint64()) {
				found += 1. / queries
			}
		}
		rate := s.rate()
		if off := math.Abs(found - rate); off > 4*math.Sqrt(rate*(1-rate)/queries) {
			t.Errorf("%s: %g of the non-members are found, the rate is %g", s.name, found, rate)
		}
		if expected, _ := s.expected(300); i == plainOne && math.Abs(rate-expected) > 0.1*expected {
			t.Errorf("%s: rate %g, want %g", s.name, rate, expected)
		}
	}
	s := newLayers(8, 2, 1, false)
	rng := rand.New(rand.NewPCG(2, 2))
	for len(s.all) < 7 {
		s.insert(rng.Uint64())
		last := math.Pow(threshold+float64(hashes)/256, hashes) // an insert may set k bits too many
		if bound := last / (1 - threshold - 0.02); s.rate() > bound {
			t.Fatalf("%d filters: rate %g, the bound is %g", len(s.all), s.rate(), bound)
		}
	}
}

// A member that two layers hold is not deleted.
func TestDynamicDeletes(t *testing.T) {
	s := newLayers(6, 1, 0, false)
	s.all = append(s.all, layer{make([]uint8, 1<<6), hashes, 0})
	s.all[0].add(1)
	if s.all[1].add(1); s.delete(1) != nil || !s.holds(&s.all[0], 1) {
		t.Error("a member that two filters hold is deleted")
	}
	if s.all[1].remove(1); s.delete(1) != &s.all[0] || s.query(1) {
		t.Error("a member that one filter holds is not deleted")
	}
}
