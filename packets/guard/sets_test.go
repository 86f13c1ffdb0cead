package guard

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

func TestSizing(t *testing.T) {
	plan := Sizing{Sources: 1000, Blocked: 50, Sequences: 3, GoodRate: 1e-3, BadRate: 1e-6,
		SequenceRate: 1e-9}
	filters, err := NewFilters(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		filter  *deletable.Filter
		planned int
		rate    float64
	}{
		{"good", filters.Good.Filter, 1000, 1e-3},
		{"bad", filters.Bad, 1050, 1e-6},
		{"sequences", filters.Sequences, 3, 1e-9},
	} {
		if s := test.filter.Stats(); s.Planned != test.planned || s.PlannedRate > test.rate ||
			s.Members != 0 {
			t.Errorf("%s filter: planned for %d members with %g, want %d with %g", test.name,
				s.Planned, s.PlannedRate, test.planned, test.rate)
		}
	}
	// Sources never to block have the blocked ones in a filter of their own, with half the rate.
	plan.NeverBlock = 1
	if filters, err = NewFilters(plan); err != nil {
		t.Fatal(err)
	}
	if s := filters.Bad.Stats(); s.Planned != 1000 || s.PlannedRate > 5e-7 {
		t.Errorf("bad filter beside another: planned for %d members with %g", s.Planned,
			s.PlannedRate)
	}
	for _, rate := range []float64{1, 1.5} { // the half would do
		plan.BadRate = rate
		if _, err := NewFilters(plan); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("--bad-rate is %g,", rate)) {
			t.Errorf("a rate of %g beside another filter: %v", rate, err)
		}
	}
	// As large and as small as may be, and no sequences.
	for _, plan := range []Sizing{
		{Sources: MaxSources, GoodRate: 0.99, BadRate: 0.99, SequenceRate: 0.99},
		{Sources: 1, GoodRate: MinRate, GoodTurnovers: MinTurnovers, BadRate: MinRate,
			SequenceRate: MinRate},
		{Sources: 1, GoodRate: MinRate, BadRate: MinRate, SequenceRate: MinRate, NeverBlock: 1},
	} {
		filters, err := NewFilters(plan)
		if err != nil {
			t.Fatal(err)
		}
		if n, m := filters.Good.Stats().Planned,
			filters.Sequences.Stats().Planned; n != plan.Sources || m != 1 {
			t.Errorf("planned for %d sources and %d sequences, want %d and 1", n, m, plan.Sources)
		}
	}
}

// TestFalsePositives measures a filter whose rate is known.
func TestFalsePositives(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 1000, Rate: 0.01,
		Key: keytest.Key(1)})
	if err != nil {
		t.Fatal(err)
	}
	const nonMembers = 200_000
	if n := falsePositives(f, nonMembers); n != 0 {
		t.Errorf("%d false positives of an empty filter", n)
	}
	for i := range uint32(1000) {
		mustInsert(t, setOf(f), words(i))
	}
	// Five standard deviations of a binomial distribution.
	rate := f.Stats().Rate
	got, want, deviation := float64(falsePositives(f, nonMembers)), rate*nonMembers,
		math.Sqrt(rate*nonMembers)
	if math.Abs(got-want) > 5*deviation {
		t.Errorf("%v false positives, want %.0f ± %.0f", got, want, 5*deviation)
	}
}

// TestMemory checks that memory is measured: a key takes at least its string header, and no set is
// free.
func TestMemory(t *testing.T) {
	for name, measured := range map[string]func(int) int{
		"exact set": func(n int) int { return exactBytes(n, 4) },
		"states":    stateBytes,
	} {
		for _, n := range []int{1000, 100_000, 4 << 20} {
			if perKey := float64(measured(n)) / float64(n); perKey < 16 || perKey > 1000 {
				t.Errorf("%s of %d keys: %.1f bytes per key", name, n, perKey)
			}
		}
	}
}

var errBroken = errors.New("broken")
