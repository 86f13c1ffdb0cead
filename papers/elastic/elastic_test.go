package elastic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

// What the run finds that CI makes: filters agree with what is expected of them.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	claimtest.Holds(t, New()).FormulaHolds(t, meanField, 80)
}

// What the figures compare finds its members and as many others as its rate says, and the tightened
// filter keeps the bound of Almeida et al.
func TestSubjects(t *testing.T) {
	for i, name := range subjects {
		s, rng := newSubject(name, 8, 300), rand.New(rand.NewPCG(1, uint64(i)))
		for range 300 {
			hash := rng.Uint64()
			s.insert(hash)
			if !s.query(hash) {
				t.Fatalf("%s: a member is absent", name)
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
			t.Errorf("%s: %g of the non-members are found, the rate is %g", name, found, rate)
		}
		if want, _ := s.expected(300); name == "plain" && math.Abs(rate-want) > 0.1*want {
			t.Errorf("%s: rate %g, want %g", name, rate, want)
		}
	}
	s := newLayers(8, 2, 1, threshold)
	rng := rand.New(rand.NewPCG(2, 2))
	for len(s.all) < 7 {
		s.insert(rng.Uint64())
		last := math.Pow(threshold+float64(hashes)/256, hashes) // an insert may set k bits too many
		if bound := last / (1 - threshold - 0.02); s.rate() > bound {
			t.Fatalf("%d filters: rate %g, the bound is %g", len(s.all), s.rate(), bound)
		}
	}
}

// Par-BF has the rate of one filter at the threshold with the most members, as its formula says.
func TestParBF(t *testing.T) {
	const log, most = 12, 32_000
	s := newLayers(log, 1, 0, fullOfParBF(log, most))
	rng := rand.New(rand.NewPCG(3, 3))
	for range most {
		s.insert(rng.Uint64())
	}
	if rate := s.rate() / math.Pow(threshold, hashes); rate < 0.8 || rate > 1.25 {
		t.Errorf("with the most members the rate is %.3g times Ω^k", rate)
	}
}

// A member that two layers hold is not deleted.
func TestDynamicDeletes(t *testing.T) {
	s := newLayers(6, 1, 0, threshold)
	s.all = append(s.all, layer{make([]uint8, 1<<6), hashes, 0})
	s.all[0].add(1)
	if s.all[1].add(1); s.delete(1) != nil || !s.holds(&s.all[0], 1) {
		t.Error("a member that two filters hold is deleted")
	}
	if s.all[1].remove(1); s.delete(1) != &s.all[0] || s.query(1) {
		t.Error("a member that one filter holds is not deleted")
	}
}
