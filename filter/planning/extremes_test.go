package planning

import (
	"errors"
	"math"
	"testing"
)

// Every legal input has a prediction, also if every block is full, and quickly: a prediction that
// loops over the keys of a block would not end before the test's deadline.
func TestExtremes(t *testing.T) {
	probability := func(p float64) bool { return p >= 0 && p <= 1 } // NaN is no probability
	for blockBits, life := range map[int]Lifetime{512: Oldest(), 256: Random()} {
		for _, blocks := range []int{1, 2, 1000, MaxBlocks} {
			if testing.Short() && (blocks == 2 || blocks == 1000) {
				continue
			}
			for _, members := range []int{1, 2, 30_001, 100_000_000, MaxMembers} {
				for _, turnovers := range []float64{0, math.SmallestNonzeroFloat64, 1,
					MaxTurnovers} {
					table := Table{blockBits, blocks, members, turnovers, life, 0}
					p, err := table.Predict()
					if err != nil || !probability(p.Rate) || !probability(p.Rate99) ||
						p.Rate99 < p.Rate || !probability(p.Deletability) ||
						!probability(p.Collided) {
						t.Errorf("%+v: %+v (%v)", table, p, err)
					}
					if members == MaxMembers && blocks <= 1000 &&
						(p.Rate != 1 || p.Deletability != 0) {
						t.Errorf("%+v: %+v, want a full table", table, p)
					}
				}
			}
			for _, reinserts := range []float64{MinReinserts, 1, MaxReinserts} {
				for _, table := range []Table{
					{blockBits, blocks, 10_000, 1 / reinserts, Oldest(), reinserts},
					{blockBits, blocks, MaxMembers, 1e-12, Random(), reinserts},
					{blockBits, blocks, 1, MaxTurnovers, Random(), reinserts},
				} {
					p, err := table.Predict()
					if err != nil || !probability(p.Rate) || !probability(p.Rate99) ||
						p.Rate99 < p.Rate || !probability(p.Deletability) ||
						!probability(p.Collided) {
						t.Errorf("%+v: %+v (%v)", table, p, err)
					}
				}
			}
			for _, inserts := range []int{0, 1, MaxMembers, math.MaxInt} {
				if rate := FreshRate(blockBits, inserts, blocks); !probability(rate) ||
					(inserts == 0) != (rate == 0) {
					t.Errorf("%d inserts into %d blocks: rate %g", inserts, blocks, rate)
				}
				part := FreshDeletability(blockBits, max(1, inserts), blocks)
				if !probability(part) {
					t.Errorf("%d members in %d blocks: deletable %g", inserts, blocks, part)
				}
			}
		}
	}
}

// Every function that takes a number of members returns an error if it is above MaxMembers.
func TestMaxMembers(t *testing.T) {
	tooMany := MaxMembers
	if tooMany++; tooMany < 0 {
		return // here every int is a number of members
	}
	table := Table{Blocks: 1, Members: tooMany}
	plan := Plan{Members: tooMany, Bytes: 64}
	_, predicted := table.Predict()
	_, solved := plan.Solve()
	_, sized := BlocksFor(512, tooMany, 1e-9)
	_, until := table.TurnoversUntil(0.5, 1)
	for name, err := range map[string]error{
		"Check": table.Check(), "Predict": predicted, "Solve": solved, "BlocksFor": sized,
		"TurnoversUntil": until,
	} {
		var e *InputError
		if !errors.As(err, &e) || e.Field != "Members" || e.Found != tooMany {
			t.Errorf("%s: %v, want an *InputError of Members", name, err)
		}
	}
	if blocks, err := BlocksFor(512, MaxMembers, 1e-9); err != nil || blocks < 1 {
		t.Errorf("%d members: %d blocks (%v)", MaxMembers, blocks, err)
	}
}

// How far Rate99 is above the mean, as docs/churn.md and the documentation of the package say.
func TestRate99OfTheDocumentation(t *testing.T) {
	for _, test := range []struct {
		members int
		want    float64
	}{{100, 2.04}, {1000, 1.246}, {10_000, 1.068}, {1_000_000, 1.006}} {
		blocks, err := BlocksFor(512, test.members, 16)
		if err != nil {
			t.Fatal(err)
		}
		p := (&Table{Blocks: blocks, Members: test.members}).predict()
		if got := p.Rate99 / p.Rate; math.Abs(got-test.want) > 0.002*test.want {
			t.Errorf("%d members: Rate99 is %.4f of Rate, want %g", test.members, got, test.want)
		}
	}
}
