package deletable

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
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
		folded, err := f.Fold(2)
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

// FoldKeeping also keeps a deletability: of fresh filters that of the plan, and of filters that have
// had deletes that of their bits.
func TestFoldKeeping(t *testing.T) {
	const members, rate = 5000, 0.02
	for _, deletes := range []uint64{0, 2 * members} {
		f := newFilter(t, 60*members, 16)
		for n := range members + deletes {
			f.InsertUint64(n)
			if n >= members {
				f.DeleteHash(f.HashUint64(n - members))
			}
		}
		last := 0
		for _, deletability := range []float64{0, 0.9, 0.99} {
			folded, err := f.FoldKeeping(rate, deletability)
			if err != nil {
				t.Fatal(err)
			}
			g := folded.(*Filter)
			h := g.Health()
			if h.Blocks < last || h.Rate > 1.05*rate || h.Deletability < deletability-0.005 ||
				g.Members() != members || h.Due != nil {
				t.Errorf("%d deletes, %g deletable: %+v", deletes, deletability, h)
			}
			last = h.Blocks
			deleted := 0
			for n := deletes; n < deletes+members; n++ {
				if g.DeleteHash(g.HashUint64(n)) == Deleted {
					deleted++
				}
			}
			// some are deleted more easily when others are gone
			if share := float64(deleted) / members; share < deletability-0.02 {
				t.Errorf("%d deletes, %g deletable: %g were", deletes, deletability, share)
			}
		}
		if last <= 100 {
			t.Errorf("%d blocks", last)
		}
		var e *filter.SizingError
		if _, err := f.FoldKeeping(rate, 1.1); !errors.As(err, &e) || e.Field != "Deletability" {
			t.Errorf("a deletability that no size has: %v", err)
		}
	}
}

// What deletes leave makes a filter seem to have more members, by the numbers of
// docs/theory/counting.md.
func TestEstimateAfterDeletes(t *testing.T) {
	const members = 20_000
	f := newFilter(t, members, 16)
	for n := range uint64(6 * members) {
		f.InsertUint64(n)
		if n >= members {
			f.DeleteHash(f.HashUint64(n - members))
		}
		for turnovers, want := range map[uint64]float64{0: 0, 1: 0.66, 5: 4.33} {
			if n+1 != (1+turnovers)*members {
				continue
			}
			if more := f.Estimate().Members/members - 1; math.Abs(more-want) > 0.02+0.02*want {
				t.Errorf("after %d turnovers %.3f more members, want %.2f", turnovers, more, want)
			}
		}
	}
}
