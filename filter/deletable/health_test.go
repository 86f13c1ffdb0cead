package deletable

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/require"
)

// TurnoversLeft of a plan for many turnovers is neither coarse nor slow.
func TestTurnoversLeftOfManyPlanned(t *testing.T) {
	require.Once(t)
	f, err := New(Config{Members: 1000, BitsPerKey: 400, Turnovers: 1000, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(3000) {
		f.InsertUint64(n)
	}
	h := f.Health()
	table := planning.Table{BlockBits: blockBits, Blocks: h.Blocks, Members: 1000}
	made, err := table.TurnoversUntil(h.Rate, 64)
	if err != nil || made <= 8 || made >= 64 || h.TurnoversLeft != 1000-made {
		t.Errorf("%g of 1000 turnovers are left, want %g (%v)", h.TurnoversLeft, 1000-made, err)
	}
}

// A rebuild is due from the first insert on that exceeds the plan.
func TestDueFlipsAtTheLastPlannedInsert(t *testing.T) {
	for _, test := range []struct {
		members   int
		turnovers float64
		inserts   int // the planned inserts
	}{
		{1, 0, 1}, {1, 1, 2}, {10, 0, 10}, {10, 0.1, 11}, {3, 1.0 / 3, 4}, {1000, 0.0001, 1000},
		{1000, 0.0006, 1001},
		{100, 2.5, 350}, {7, 3, 28},
	} {
		f, err := New(Config{Members: test.members, BitsPerKey: 40,
			Turnovers: test.turnovers, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		for n := range test.inserts {
			if err := f.Due(); err != nil {
				t.Fatalf("%+v: after %d inserts: %v", test, n, err)
			}
			f.InsertUint64(uint64(n))
			if n%2 == 1 {
				f.DeleteUint64(uint64(n)) // deletes do not count
			}
		}
		if err := f.Due(); err != nil {
			t.Errorf("%+v: after %d inserts: %v", test, test.inserts, err)
		}
		if allocs := testing.AllocsPerRun(10, func() { _ = f.Due() }); allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
		if got := f.Turnovers(); math.Abs(got-test.turnovers) > 0.5/float64(test.members) {
			t.Errorf("%+v: %g turnovers at the last planned insert", test, got)
		}
		f.InsertUint64(uint64(test.inserts))
		var e *RebuildError
		if err := f.Due(); !errors.As(err, &e) ||
			*e != (RebuildError{test.inserts + 1, test.inserts, f.Members(), test.members}) {
			t.Errorf("%+v: after %d inserts: %v", test, test.inserts+1, err)
		}
		if h := f.Health(); !errors.As(h.Due, &e) {
			t.Errorf("%+v: the health is %+v, want due", test, h)
		}
	}
}

func TestRebuildErrorSaysFoundAndExpected(t *testing.T) {
	e := &RebuildError{Inserts: 31, PlannedInserts: 30, Members: 9, PlannedMembers: 10}
	const want = "filter: a rebuild is due: found 31 inserts and 9 members, expected at most 30 " +
		"inserts for 10 members"
	if e.Error() != want {
		t.Errorf("%s, want %s", e, want)
	}
}

// Turnovers count from the moment when the planned members are in.
func TestTurnovers(t *testing.T) {
	f := newFilter(t, 4, 100)
	for n, want := range []float64{0, 0, 0, 0, 0, 0.25, 0.5, 0.75, 1, 1.25} {
		if got := f.Turnovers(); got != want || f.Stats().Turnovers != want {
			t.Errorf("%d inserts: %g turnovers, %g in the statistics, want %g", n, got,
				f.Stats().Turnovers, want)
		}
		f.InsertUint64(uint64(n))
	}
}

// With planned re-inserts, TurnoversLeft is how long the filter may go without any, until its rate
// is the planned one.
func TestTurnoversLeftWithoutReinserts(t *testing.T) {
	const members = 20_000
	f, err := New(Config{Members: members, BitsPerKey: 16, Reinserts: 0.5, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	// In an empty filter all of it is left.
	table := planning.Table{BlockBits: blockBits, Blocks: f.Shape().Blocks, Members: members}
	all, err := table.TurnoversUntil(tableOf(f).plan.rate, 2)
	if h := f.Health(); err != nil || all < 1 || h.TurnoversLeft != all || h.Due != nil {
		t.Errorf("%g turnovers left, want %g (%v)", h.TurnoversLeft, all, err)
	}
	p := newPopulation(members, planning.Oldest())
	for hash := range p.Live() {
		f.InsertHash(hash)
	}
	left := f.Health().TurnoversLeft
	made := 0
	for ; f.Stats().Rate < tableOf(f).plan.rate; made += members / 50 {
		for range members / 50 {
			p.replace(t, f)
		}
	}
	if got := float64(made) / members; math.Abs(got-left) > 0.1 || left < 1 {
		t.Errorf("the planned rate after %g turnovers, want %g", got, left)
	}
	if h := f.Health(); h.TurnoversLeft != 0 || h.Due != nil {
		t.Errorf("%+v, want nothing left, and no rebuild", h)
	}
}
