package planning

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// The table of a plan keeps its rate to the end, and a table with one block less does not.
func TestPlan(t *testing.T) {
	heavy, err := Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range []Plan{
		{Members: 1_000_000, Rate: 0.01},
		{Members: 1_000_000, Rate: 0.01, Turnovers: 1},
		{Members: 1_000_000, Rate: 0.01, Turnovers: 5, Lifetime: Random()},
		{Members: 50_000, Rate: 1e-4, Turnovers: 2, Lifetime: heavy, BlockBits: 256},
		{Members: 10_000_000, Rate: 0.3, Turnovers: 10},
		{Members: 300, Rate: 0.05, Turnovers: 0.5},
		{Members: 1, Rate: 0.5},
		{Members: 1000, Rate: 0.02, Turnovers: 1, Bytes: 4096},
		{Members: 1_000_000, Rate: 0.01, Reinserts: 1},
		{Members: 20_000, Rate: 1e-4, Reinserts: 0.25, Lifetime: Random(), BlockBits: 256},
	} {
		got, err := plan.Solve()
		if err != nil {
			t.Errorf("%+v: %v", plan, err)
			continue
		}
		if got.End.Rate > plan.Rate || got.Start.Rate > got.End.Rate ||
			got.Table.Members != plan.Members || plan.Bytes > 0 && got.Table.Bytes() > plan.Bytes {
			t.Errorf("%+v: %+v", plan, got)
		}
		if p, err := got.Table.Predict(); err != nil || p != got.End {
			t.Errorf("%+v: predicts %+v (%v), planned %+v", plan, p, err, got.End)
		}
		if table, rate, err := plan.Size(); err != nil || table != got.Table || rate != got.End.Rate {
			t.Errorf("%+v: size %+v with a rate of %g (%v), want %+v", plan, table, rate, err, got)
		}
		// in no more memory than that it is the same, and in less memory there is none
		plan.Bytes = got.Table.Bytes()
		if table, _, err := plan.Size(); err != nil || table != got.Table {
			t.Errorf("%+v: %+v (%v), want %+v", plan, table, err, got.Table)
		}
		var none *RateError
		if plan.Bytes -= got.Table.Bytes() / got.Table.Blocks; plan.Bytes > 0 {
			if _, _, err := plan.Size(); !errors.As(err, &none) {
				t.Errorf("%+v: %v, want an error", plan, err)
			}
		}
		less := got.Table
		if less.Blocks--; less.Blocks > 0 && less.predict().Rate <= plan.Rate {
			t.Errorf("%+v: %d blocks, and one less would do", plan, got.Table.Blocks)
		}
	}
}

// Without turnovers, the size follows from the exact rate.
func TestPlanOfFreshTables(t *testing.T) {
	plan := Plan{Members: 123_456, Rate: 0.0021}
	got, err := plan.Solve()
	if err != nil {
		t.Fatal(err)
	}
	blocks := got.Table.Blocks
	if FreshRate(512, plan.Members, blocks) > plan.Rate ||
		FreshRate(512, plan.Members, blocks-1) <= plan.Rate || got.Start != got.End {
		t.Errorf("%+v", got)
	}
}

func TestPlanOfBytes(t *testing.T) {
	for _, test := range []struct{ blockBits, bytes, blocks int }{
		{512, 64, 1}, {512, 2_000_000, 31250}, {512, 2_000_063, 31250}, {256, 2_000_000, 62500},
	} {
		plan := Plan{Members: 500_000, Bytes: test.bytes, BlockBits: test.blockBits, Turnovers: 1}
		got, err := plan.Solve()
		if err != nil || got.Table.Blocks != test.blocks || got.End.Rate < got.Start.Rate {
			t.Errorf("%+v: %+v (%v), want %d blocks", plan, got, err, test.blocks)
		}
	}
}

// If no table keeps the rate, the error has the best table.
func TestPlanThatFails(t *testing.T) {
	for _, plan := range []Plan{
		{Members: 1_000_000, Rate: 0.001, Bytes: 2_000_000},
		{Members: 1_000_000, Rate: 0.1, Bytes: 2_000_000, Turnovers: 100},
		{Members: 1_000_000, Rate: 0.001, Bytes: 2_000_000, Turnovers: 1},
		{Members: MaxMembers, Rate: 0.5, Turnovers: MaxTurnovers},
		{Members: 1 << 30, Rate: 1e-300},
		{Members: 1_000_000, Rate: 0.001, Bytes: 2_000_000, Reinserts: 1},
	} {
		_, err := plan.Solve()
		var e *RateError
		if !errors.As(err, &e) || e.Best.End.Rate <= plan.Rate || e.Rate != plan.Rate {
			t.Errorf("%+v: %v, want a *RateError", plan, err)
			continue
		}
		span := fmt.Sprintf("for %g turnovers:", plan.Turnovers)
		if plan.Turnovers == 1 {
			span = "for 1 turnover:"
		} else if plan.Reinserts > 0 {
			span = "with 1 re-insert per insert:"
		}
		if !strings.Contains(err.Error(), "no table keeps the rate") ||
			!strings.Contains(err.Error(), span) || plan.Bytes > 0 &&
			e.Best.Table.Bytes() > plan.Bytes {
			t.Errorf("%+v: %v", plan, err)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, test := range []struct {
		plan  Plan
		field string
	}{
		{Plan{Rate: 0.1}, "Members"},
		{Plan{Members: -1, Rate: 0.1}, "Members"},
		{Plan{Members: 1}, "Rate"},
		{Plan{Members: 1, Rate: 1}, "Rate"},
		{Plan{Members: 1, Rate: -0.5}, "Rate"},
		{Plan{Members: 1, Rate: math.NaN()}, "Rate"},
		{Plan{Members: 1, Rate: math.Inf(1)}, "Rate"},
		{Plan{Members: 1, Bytes: -1}, "Bytes"},
		{Plan{Members: 1, Bytes: 63}, "Bytes"},
		{Plan{Members: 1, Rate: 0.1, Turnovers: math.NaN()}, "Turnovers"},
		{Plan{Members: 1, Rate: 0.1, Turnovers: -1}, "Turnovers"},
		{Plan{Members: 1, Rate: 0.1, Turnovers: 1e9}, "Turnovers"},
		{Plan{Members: 1, Rate: 0.1, BlockBits: 1024}, "BlockBits"},
		{Plan{Members: 1, Rate: 0.1, Reinserts: math.NaN()}, "Reinserts"},
		{Plan{Members: 1, Rate: 0.1, Reinserts: -1}, "Reinserts"},
		{Plan{Members: 1, Rate: 0.1, Reinserts: MinReinserts / 2}, "Reinserts"},
		{Plan{Members: 1, Rate: 0.1, Reinserts: MaxReinserts + 1}, "Reinserts"},
		{Plan{Members: 1, Rate: 0.1, Reinserts: 1, Turnovers: 1}, "Turnovers"},
	} {
		_, err := test.plan.Solve()
		var e *InputError
		if !errors.As(err, &e) || e.Field != test.field {
			t.Errorf("%+v: %v, want an *InputError of %s", test.plan, err, test.field)
		}
	}
}

func TestParseLifetime(t *testing.T) {
	for _, text := range []string{"oldest", "random", "pareto:1.5", "mixture:0.9:0.05"} {
		if life, err := ParseLifetime(text); err != nil || life.String() != text {
			t.Errorf("%s: %v (%v)", text, life, err)
		}
	}
	for _, text := range []string{"", "newest", "oldest:1", "pareto", "pareto:1", "pareto:x",
		"pareto:2:2", "mixture:0.5", "mixture:0.5:2", "mixture:NaN:0.5"} {
		var e *InputError
		if life, err := ParseLifetime(text); !errors.As(err, &e) || e.Field != "Lifetime" {
			t.Errorf("%q: %v (%v), want an *InputError of Lifetime", text, life, err)
		}
	}
}

func TestTurnoversUntil(t *testing.T) {
	table := Table{Blocks: 31250, Members: 1_000_000}
	for _, test := range []struct{ rate, most, want float64 }{
		{0.001, 10, 0}, {0.0228, 10, 1}, {0.61, 10, 5}, {0.9999, 3, 3}, {0.5, 0, 0},
	} {
		got, err := table.TurnoversUntil(test.rate, test.most)
		if err != nil || math.Abs(got-test.want) > 0.03 {
			t.Errorf("up to a rate of %g, and %g turnovers: %g (%v), want %g", test.rate, test.most,
				got, err, test.want)
		}
	}
	for _, test := range []struct{ rate, most float64 }{{0, 1}, {1, 1}, {math.NaN(), 1},
		{0.5, math.NaN()}, {0.5, -1}} {
		var e *InputError
		if _, err := table.TurnoversUntil(test.rate, test.most); !errors.As(err, &e) {
			t.Errorf("up to a rate of %g, and %g turnovers: %v, want an *InputError", test.rate,
				test.most, err)
		}
	}
}

// With the least number of re-inserts a table keeps its rate in the steady state, and with fewer it
// does not.
func TestLeastReinserts(t *testing.T) {
	table := Table{Blocks: 31250, Members: 1_000_000}
	for _, test := range []struct{ rate, low, high float64 }{
		{0.009, 0.95, 1.05}, // 16 bits per key and one re-insert per insert: 0.9 %
		{0.05, 0.3, 0.5}, {0.0021, 50, MaxReinserts}, {0.3, 0.1, 0.3},
	} {
		if testing.Short() && test.rate < 0.01 {
			continue
		}
		got, err := table.LeastReinserts(test.rate)
		if err != nil || got < test.low || got > test.high {
			t.Errorf("a rate of %g: %g re-inserts per insert (%v), want %g to %g", test.rate, got,
				err, test.low, test.high)
		}
		table.Reinserts = got
		enough := table.Steady()
		table.Reinserts = got * 0.995
		fewer := table.Steady()
		if enough.predict().Rate > test.rate || fewer.predict().Rate <= test.rate {
			t.Errorf("a rate of %g: %g with %g re-inserts per insert, and %g with fewer", test.rate,
				enough.predict().Rate, got, fewer.predict().Rate)
		}
	}
	if got, err := (&Table{Blocks: MaxBlocks, Members: 1000}).LeastReinserts(0.5); err != nil ||
		got != MinReinserts {
		t.Errorf("%g re-inserts per insert (%v), want the fewest that there are", got, err)
	}
	var none *RateError
	if _, err := table.LeastReinserts(0.002); !errors.As(err, &none) ||
		none.Best.Table.Reinserts != MaxReinserts || none.Best.End.Rate <= 0.002 {
		t.Errorf("a rate below the fresh one: %v", err)
	}
	var input *InputError
	if _, err := table.LeastReinserts(0); !errors.As(err, &input) || input.Field != "Rate" {
		t.Errorf("a rate of 0: %v", err)
	}
	if _, err := (&Table{Blocks: 1}).LeastReinserts(0.5); !errors.As(err, &input) ||
		input.Field != "Members" {
		t.Errorf("no members: %v", err)
	}
}

// The number of re-inserts does not depend on the history of the table.
func TestLeastReinsertsOfAnyHistory(t *testing.T) {
	table := Table{Blocks: 31_250, Members: 1_000_000}
	want, err := table.LeastReinserts(0.01)
	table.Turnovers, table.Reinserts = math.Inf(1), -1
	if got, gotErr := table.LeastReinserts(0.01); err != nil || gotErr != nil || got != want ||
		want < 0.5 || want > 2 {
		t.Errorf("%g (%v), without a history %g (%v)", got, gotErr, want, err)
	}
}
