package deletable

import (
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// A fold has the plan of a filter of its size, and merges with such a filter.
func TestFoldIsAFilterOfItsSize(t *testing.T) {
	for _, config := range []Config{
		{Members: 1024, BitsPerKey: 32, Key: fixed},
		{Members: 1024, BitsPerKey: 32, Turnovers: 1.5, Lifetime: planning.Random(), Key: fixed},
		{Members: 1024, BitsPerKey: 32, Reinserts: 0.5, Key: fixed},
	} {
		f, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		config.BitsPerKey /= 2
		small, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(1000) {
			f.InsertUint64(n)
			small.InsertUint64(n)
		}
		folded, err := f.Fold()
		if err != nil {
			t.Fatal(err)
		}
		half := folded.(*Filter)
		same(t, half, small)
		if err := small.Merge(half); err != nil {
			t.Error(err)
		}
		if s := half.Stats(); s.PlannedRate <= f.Stats().PlannedRate {
			t.Errorf("the planned rate is %g, of the whole filter it was %g", s.PlannedRate,
				f.Stats().PlannedRate)
		}
	}
}

// The estimate of the members that two filters have in common is within 1 % of the members of both,
// at the planned fill. That is more than ten times its standard deviation.
func TestIntersectEstimatesItsMembers(t *testing.T) {
	const members = 100_000
	for _, common := range []uint64{0, 1000, 30_000, members} {
		a, b := newFilter(t, members, 16), newFilter(t, members, 16)
		for n := range uint64(members) {
			a.InsertUint64(n)
			b.InsertUint64(n + members - common)
		}
		inserts := a.Inserts()
		tableOf(a).round.next = 3
		if err := a.Intersect(b); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(a.Members())-float64(common)) > 0.01*members ||
			a.Inserts() != inserts || tableOf(a).round != (round{}) {
			t.Errorf("%d members of both: %d are estimated, after %d inserts", common,
				a.Members(), a.Inserts())
		}
		if s := a.State(); common < members && (!s.Scanned ||
			math.Abs(s.Fill-a.Stats().Fill) > 1e-12) {
			t.Errorf("%d members of both: the state %+v is not that of the bits", common, s)
		}
	}
}
