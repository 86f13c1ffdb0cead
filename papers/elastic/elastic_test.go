package elastic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What the run finds that CI makes.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found := claimtest.Run(t, New(), 250, 60)
	found.TheoryHolds(t, meanField, 100, 0.01)
}

// Trials have the parameters that a row says, or it is refused.
func TestRefused(t *testing.T) {
	claimtest.Refuses(t, New(), [][3]string{
		{rateOfPositives, "filter=par-bf; peak=2", "found filter=par-bf"},
		{rateOfPositives, "filter=" + subjectNames[0] + "; peak=3", "at 7 points"},
		{rateOfPositives, "filter=" + subjectNames[0] + "; peak=2; zzz=4", "nothing reads zzz"},
		{"non-members that are found, as a multiple of Ω^k", "k=4", "found k=4, expected 5"},
	})
}

// What the figures compare finds its members and as many others as its rate says, and the tightened
// filter keeps the bound of Almeida et al.
func TestSubjects(t *testing.T) {
	for i, name := range subjectNames {
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

// The lines by formula go between the peaks that are simulated.
func TestBetweenPeaks(t *testing.T) {
	growth := study{&trials.Run{Short: true}}.growth()
	for _, name := range subjectNames[1:] {
		before := 0.0
		for peak := 32; peak < 41; peak++ {
			rate, _ := growth.expected(claim.Parameters{"filter": name, "peak": peak})
			if rate <= before {
				t.Errorf("%s: rate %g at %d times the members, and %g before", name, rate, peak,
					before)
			}
			before = rate
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

// The formulas of an Aleph filter are what its authors' code does: at commit 3e1aa5f a filter of
// 2^11 slots that expands by itself, java.util.Random(1)'s members, and 2^23 others of Random(2)
// (OpenJDK 17).
func TestAleph(t *testing.T) {
	for _, test := range []struct {
		field, n       int
		bits           float64 // per member
		found, queries float64
	}{
		{15, 1 << 10, 36.387, 266, 1 << 23},
		{15, 1 << 13, 36.062, 902, 1 << 23},
		{15, 1 << 18, 36.003, 1885, 1 << 23},
		{10, 1 << 10, 26.279, 8185, 1 << 23},
		{10, 1 << 14, 26.024, 34489, 1 << 23},
		{10, 1 << 18, 26.002, 60436, 1 << 23},
	} {
		bits, rate := aleph{11, test.field}.grown(test.n)
		// The members differ from filter to filter too: as many pairs of them and of others
		// coincide.
		sigma := math.Sqrt(rate * test.queries * (1 + rate*test.queries/float64(test.n)))
		if got := bits / float64(test.n); math.Abs(got-test.bits) > 5e-4 ||
			math.Abs(rate*test.queries-test.found) > 4*sigma {
			t.Errorf("field %d, %d members: %.3f bits each and %.0f found, want %.3f and %.0f",
				test.field, test.n, got, rate*test.queries, test.bits, test.found)
		}
	}
	a := alephFor(1<<10, 1<<18, 0.00032)
	if _, rate := a.grown(1 << 18); a != (aleph{11, 15}) || rate > 0.00032 {
		t.Errorf("%+v for a rate of 0.032 %%, with %g", a, rate)
	}
	if grown, _ := a.grown(1638); grown <= 18*(1<<12) { // 0.8 of the slots
		t.Errorf("%g bits with 0.8 of the slots used", grown)
	}
	if small, _ := a.grown(1637); small > 19*(1<<11) {
		t.Errorf("%g bits with fewer", small)
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
