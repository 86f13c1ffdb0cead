package deletable

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
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

// churns are the ways in which members come and go.
func churns(t *testing.T) []planning.Lifetime {
	t.Helper()
	heavy, err := planning.Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	return []planning.Lifetime{planning.Oldest(), planning.Random(), heavy}
}

// The predictions of Health come true: the share of the members whose deletes clear bits, and the
// turnovers that are left.
func TestHealthPredicts(t *testing.T) {
	const turnovers, members = 4, 20_000
	for _, lifetime := range churns(t) {
		f, err := New(Config{Members: members, Rate: 0.02, Turnovers: turnovers,
			Lifetime: lifetime, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		if h := f.Health(); h.TurnoversLeft != turnovers || h.Deletability != 1 {
			t.Errorf("empty: %+v", h)
		}
		p := newPopulation(members, lifetime)
		f.InsertHashBatch(p.Hashes(), nil)
		for made := range turnovers + 1 {
			h := f.Health()
			got := float64(f.Clone().DeleteHashBatch(p.Hashes(), nil)) / members
			if math.Abs(h.Deletability-got) > 0.03 || h.Turnovers != float64(made) ||
				math.Abs(h.TurnoversLeft-float64(turnovers-made)) > 0.2 {
				t.Errorf("%v, %d turnovers: %.3f are deletable, the health is %+v", lifetime, made,
					got, h)
			}
			for made < turnovers && f.Turnovers() < float64(made+1) {
				p.replace(t, f)
			}
		}
	}
}

// Deletes without replacement remove no collision.
func TestHealthOfAFilterThatEmpties(t *testing.T) {
	const members, rest = 20_000, 2000
	for _, bits := range []float64{12, 16} {
		f := newFilter(t, members, bits)
		hashes := workload.Hashes(rand.New(rand.NewPCG(1, 2)), members)
		f.InsertHashBatch(hashes, nil)
		f.DeleteHashBatch(hashes[rest:], nil)
		h := f.Health()
		got := float64(f.DeleteHashBatch(hashes[:rest], nil)) / rest
		if math.Abs(h.Deletability-got) > 0.04 {
			t.Errorf("%g bits: deletable %.3f, expected %.3f", bits, got, h.Deletability)
		}
	}
}

// TurnoversLeft depends on the rate and not on the inserts: an insert of a member that never leaves
// costs more than that of a member that does.
func TestHealthGoesByTheRate(t *testing.T) {
	const turnovers, members = 4, 20_000
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
