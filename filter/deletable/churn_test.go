package deletable

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// population is a set of members that come and go.
type population struct{ *workload.Population }

func newPopulation(members int, lifetime planning.Lifetime) *population {
	return &population{workload.NewPopulation(members, lifetime,
		rand.New(rand.NewPCG(uint64(members), 1)))}
}

// replace deletes the next leaving member from f, and inserts a new one.
func (p *population) replace(t *testing.T, f *Filter) {
	t.Helper()
	gone, come := p.Replace()
	if f.DeleteHash(gone) == Absent {
		t.Fatal("a member is absent when deleted")
	}
	f.InsertHash(come)
}

// found fails the test unless f finds every member.
func (p *population) found(t *testing.T, f *Filter) {
	t.Helper()
	for hash := range p.Live() {
		if !f.QueryHash(hash) {
			t.Fatal("a member is not found")
		}
	}
}

// churns are the ways in which members come and go.
func churns(t *testing.T) []planning.Lifetime {
	t.Helper()
	heavy, err := planning.Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	return []planning.Lifetime{planning.Oldest(), planning.Random(), heavy}
}

// above returns the largest ratio of the rate of a filter to its expectation. The error of package
// planning is 3 %, and 4 % are several standard errors between hash keys for filters of this size.
func above(t *testing.T) float64 {
	t.Helper()
	return 1 + 0.03 + 0.04*widened(t)
}

// A filter that is planned for churn keeps its rate, by its bits, to the end of its turnovers and
// not much longer. A rebuild is due at the end and not before.
func TestThePlanHoldsUntilARebuildIsDue(t *testing.T) {
	require.Once(t)
	members := scaled(100_000)
	for _, lifetime := range churns(t) {
		for _, plan := range []struct{ rate, turnovers float64 }{{0.01, 2}, {0.001, 1}, {0.05, 5}} {
			f, err := New(Config{Members: members, Rate: plan.rate, Turnovers: plan.turnovers,
				Lifetime: lifetime, Key: fixed})
			if err != nil {
				t.Fatal(err)
			}
			p := newPopulation(members, lifetime)
			for hash := range p.Live() {
				f.InsertHash(hash)
			}
			for f.Turnovers() < plan.turnovers {
				p.replace(t, f)
				if f.Turnovers() < plan.turnovers && f.Due() != nil {
					t.Fatalf("%v: due after %g of %g turnovers", lifetime, f.Turnovers(),
						plan.turnovers)
				}
			}
			end := f.Health()
			if end.PlannedRate > plan.rate || end.Rate > above(t)*end.PlannedRate ||
				end.Rate < end.PlannedRate/above(t) {
				t.Errorf("%v, %g turnovers: rate %g at the end, expected %g, planned %g",
					lifetime, plan.turnovers, end.Rate, end.PlannedRate, plan.rate)
			}
			p.replace(t, f)
			if f.Due() == nil {
				t.Errorf("%v, %g turnovers: not due after them", lifetime, plan.turnovers)
			}
			p.found(t, f)
			t.Logf("%v: rate %.4g after %g turnovers, expected %.4g", lifetime, end.Rate,
				plan.turnovers, end.PlannedRate)
		}
	}
}

// An owner who rebuilds whenever it is due keeps the planned rate.
func TestRebuildsBoundTheRate(t *testing.T) {
	require.Once(t)
	const turnovers, rate, every = 20, 0.01, 1.25
	members := scaled(50_000)
	for _, lifetime := range churns(t) {
		f, err := New(Config{Members: members, Rate: rate, Turnovers: every,
			Lifetime: lifetime, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		p := newPopulation(members, lifetime)
		for hash := range p.Live() {
			f.InsertHash(hash)
		}
		worst, rebuilds := 0.0, 0
		for range turnovers * members {
			if p.replace(t, f); f.Due() == nil {
				continue
			}
			worst = max(worst, f.Stats().Rate)
			p.found(t, f)
			if f, err = f.RebuildHash(t.Context(), filter.Infallible(p.Live())); err != nil {
				t.Fatal(err)
			}
			p.found(t, f)
			rebuilds++
		}
		if want := turnovers * members / int(every*float64(members)+1); rebuilds != want {
			t.Errorf("%v: %d rebuilds in %d turnovers, want one in %g", lifetime, rebuilds,
				turnovers, every)
		}
		if last := f.Stats().Rate; max(worst, last) > above(t)*rate {
			t.Errorf("%v: rate %g at worst, %g at the end, planned %g", lifetime, worst, last, rate)
		}
		t.Logf("%v: rate %.4g at worst in %d turnovers with %d rebuilds, planned %g", lifetime,
			worst, turnovers, rebuilds, rate)
	}
}

// The predictions of Health come true: the share of the members whose deletes clear bits, and the
// turnovers that are left.
func TestHealthPredicts(t *testing.T) {
	require.Once(t)
	const turnovers = 4
	members := scaled(100_000)
	for _, lifetime := range churns(t) {
		f, err := New(Config{Members: members, Rate: 0.02, Turnovers: turnovers,
			Lifetime: lifetime, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		if h := f.Health(); h.TurnoversLeft != turnovers || h.Deletability != 1 ||
			h.Turnovers != 0 ||
			h.PlannedTurnovers != turnovers {
			t.Errorf("empty: %+v", h)
		}
		p := newPopulation(members, lifetime)
		for hash := range p.Live() {
			f.InsertHash(hash)
		}
		for made := range turnovers + 1 {
			h := f.Health()
			copied := f.Clone()
			deletable := 0
			for hash := range p.Live() {
				if copied.DeleteHash(hash) == Deleted {
					deletable++
				}
			}
			if got := float64(deletable) / float64(members); h.Deletability < got-0.015 ||
				h.Deletability > got+0.015 {
				t.Errorf("%v, %d turnovers: deletable %.3f, expected %.3f", lifetime, made,
					got, h.Deletability)
			}
			left := float64(turnovers - made)
			if h.Turnovers != float64(made) || h.TurnoversLeft < left-0.1 ||
				h.TurnoversLeft > left+0.1 {
				t.Errorf("%v, %d turnovers: %g made, and %g left", lifetime, made, h.Turnovers,
					h.TurnoversLeft)
			}
			for made < turnovers && f.Turnovers() < float64(made+1) {
				p.replace(t, f)
			}
		}
	}
}

// Deletes without replacement remove no collision.
func TestHealthOfAFilterThatEmpties(t *testing.T) {
	members := scaled(100_000)
	for _, bits := range []float64{12, 16} {
		f, err := New(Config{Members: members, BitsPerKey: bits, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		rest := members / 10
		for n := range members {
			f.InsertUint64(uint64(n))
		}
		for n := range members - rest {
			f.DeleteUint64(uint64(rest + n))
		}
		h, deletable := f.Health(), 0
		for n := range rest {
			if f.DeleteUint64(uint64(n)) == Deleted {
				deletable++
			}
		}
		if got := float64(deletable) / float64(rest); math.Abs(h.Deletability-got) > 0.02 {
			t.Errorf("%g bits: deletable %.3f, expected %.3f", bits, got, h.Deletability)
		}
	}
}

// TurnoversLeft depends on the rate and not on the inserts: an insert of a member that never leaves
// costs more than that of a member that does.
func TestHealthGoesByTheRate(t *testing.T) {
	const turnovers = 4
	members := scaled(100_000)
	f, err := New(Config{Members: members, Rate: 0.02, Turnovers: turnovers, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(2 * members) {
		f.InsertUint64(n)
	}
	if h := f.Health(); h.Turnovers != 1 || h.TurnoversLeft > turnovers-1.2 || h.TurnoversLeft < 1 {
		t.Errorf("twice the planned members: %g turnovers left after %g of %d", h.TurnoversLeft,
			h.Turnovers, turnovers)
	}
	for n := range uint64(6 * members) {
		f.InsertUint64(n + uint64(2*members))
	}
	if h := f.Health(); h.TurnoversLeft != 0 || h.Rate <= h.PlannedRate {
		t.Errorf("eight times the planned members: %+v, want no turnovers left", h)
	}
}
