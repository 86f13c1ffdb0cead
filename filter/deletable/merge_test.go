package deletable

import (
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// A merge has the larger of the two plans, in both orders, and the inserts of both count against
// it.
func TestMergeTakesThePlanForMore(t *testing.T) {
	planned := func(members int, turnovers float64) *Filter {
		f, err := New(Config{Members: members, BitsPerKey: 512 / float64(members),
			Turnovers: turnovers, Lifetime: planning.Random(), Key: fixed})
		if err != nil || f.Shape().Blocks != 1 {
			t.Fatal(err)
		}
		return f
	}
	for _, test := range []struct{ less, more *Filter }{
		{planned(30, 0), planned(32, 0)},
		{planned(30, 2), planned(32, 0)},
		{planned(32, 0), planned(32, 1)},
		{planned(32, 0.5), planned(32, 1)},
		{planned(32, 1), planned(32, 1)},
	} {
		want := tableOf(test.more).plan
		less := tableOf(test.less).plan
		if err := test.less.Merge(test.more); err != nil || tableOf(test.less).plan != want {
			t.Errorf("%+v into %+v: %+v (%v)", want, less, tableOf(test.less).plan, err)
		}
		tableOf(test.less).plan = less
		if err := test.more.Merge(test.less); err != nil || tableOf(test.more).plan != want {
			t.Errorf("%+v into %+v: %+v (%v)", less, want, tableOf(test.more).plan, err)
		}
	}
	forEver, err := New(Config{Members: 32, BitsPerKey: 16, Reinserts: 1, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	for _, less := range []*Filter{planned(30, 2), planned(32, 1)} {
		if err := less.Merge(forEver); err != nil || tableOf(less).plan != tableOf(forEver).plan {
			t.Errorf("a plan without limit into %+v (%v)", tableOf(less).plan, err)
		}
	}
	a, b := planned(10, 1), planned(10, 1)
	for n := range uint64(20) {
		a.InsertUint64(n)
	}
	b.InsertUint64(20)
	if a.Due() != nil || b.Due() != nil {
		t.Fatal("due before the merge")
	}
	if err := a.Merge(b); err != nil || a.Due() == nil {
		t.Errorf(
			"after 21 inserts of 20 planned, 20 in one filter and 1 in the other: not due (%v)",
			err)
	}
}

func TestMergeAndResetEndARound(t *testing.T) {
	f, members := aged(t, Config{Members: 2000, BitsPerKey: 16, Turnovers: 1, Key: fixed}, 3000,
		2000)
	if err := f.RefreshUint64(t.Context(), 0, 9, numbers(members)); err != nil {
		t.Fatal(err)
	}
	g := f.Clone()
	if tableOf(g).round != tableOf(f).round || tableOf(g).round.next != 9 {
		t.Errorf("the round of a clone is %+v", tableOf(g).round)
	}
	err := g.Merge(f)
	if f.Reset(); err != nil || tableOf(g).round != (round{}) || tableOf(f).round != (round{}) {
		t.Errorf("rounds %+v after a merge (%v), %+v after a reset", tableOf(g).round, err,
			tableOf(f).round)
	}
}
