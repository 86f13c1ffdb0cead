package deletable

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/require"
)

func TestNew(t *testing.T) {
	for _, test := range []struct {
		config Config
		blocks int
	}{
		{Config{Members: 1, BitsPerKey: 1}, 1},
		{Config{Members: 32, BitsPerKey: 16}, 1},
		{Config{Members: 33, BitsPerKey: 16}, 2},
		{Config{Members: 1_000_000, BitsPerKey: 16}, 31250},
		{Config{Members: 1_000_000, BitsPerKey: math.SmallestNonzeroFloat64}, 1},
		{Config{Members: 1, Rate: 1e-12}, 1}, // a block with one key has a rate of 2e-13
		{Config{Members: 1, Rate: 0.9}, 1},
		{Config{Members: 1_000_000, BitsPerKey: 16, Reinserts: 1}, 31250},
	} {
		f, err := New(test.config)
		if err != nil {
			t.Errorf("%+v: %v", test.config, err)
			continue
		}
		if f.Shape().Blocks != test.blocks || f.Stats().Planned != test.config.Members {
			t.Errorf("%+v: %d blocks for %d members, want %d", test.config, f.Shape().Blocks,
				f.Stats().Planned, test.blocks)
		}
	}
}

// A Config without a filter is an error before memory is allocated. The error has the field, what
// it is and what it should be. Package filtertest has the configs that no kind takes.
func TestNewRefuses(t *testing.T) {
	const none = ", expected 0, because there are reinserts"
	for _, test := range []struct {
		config      Config
		field, text string
	}{
		{Config{Members: -5, BitsPerKey: 16}, "Members", " is -5, expected at least 1"},
		{Config{Members: 1, BitsPerKey: 16, Rate: 0.5}, "BitsPerKey",
			" is 16, expected 0, because there is a rate of 0.5"},
		{Config{Members: planning.MaxMembers, BitsPerKey: 16}, "BitsPerKey", ""},
		{Config{Members: 1 << 20, BitsPerKey: 1 << 20}, "BitsPerKey", ""},
		{Config{Members: planning.MaxMembers, Rate: 0.5}, "Rate", ""},
		{Config{Members: 1, BitsPerKey: 16, Turnovers: 1001}, "Turnovers",
			" is 1001, expected 0 to 1000"},
		{Config{Members: 1 << 30, Rate: 1e-9, Turnovers: 500}, "Rate", ""},
		{Config{Members: 1, Rate: 0.5, Reinserts: -1}, "Reinserts",
			" is -1, expected 0, or 0.001 to 1000"},
		{Config{Members: 1, BitsPerKey: 16, Reinserts: math.NaN()}, "Reinserts",
			" is NaN, expected 0, or 0.001 to 1000"},
		{Config{Members: 1, BitsPerKey: 16, Turnovers: 1, Reinserts: 1}, "Turnovers",
			" is 1" + none},
		{Config{Members: 1, Rate: 0.5, Turnovers: 1, Reinserts: 1}, "Turnovers", " is 1" + none},
	} {
		f, err := New(test.config)
		var e *filter.SizingError
		if f != nil || !errors.As(err, &e) || e.Field != test.field ||
			test.text != "" && err.Error() != "deletable filter: "+test.field+test.text {
			t.Errorf("%+v: %v, want a *filter.SizingError of %s%s", test.config, err, test.field,
				test.text)
		}
	}
}

// A plan with re-inserts is that of package planning for the steady state, and a rebuild is never
// due.
func TestForEver(t *testing.T) {
	require.Once(t)
	f, err := New(Config{Members: 2000, Rate: 0.01, Reinserts: 0.5, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	plan := planning.Plan{Members: 2000, Rate: 0.01, Reinserts: 0.5}
	want, err := plan.Solve()
	if err != nil {
		t.Fatal(err)
	}
	s := f.Stats()
	if f.Shape().Blocks != want.Table.Blocks || s.PlannedRate != want.End.Rate ||
		s.PlannedReinserts != 0.5 || s.PlannedTurnovers != 0 {
		t.Errorf("%+v, want the plan %+v", s, want)
	}
	for n := range uint64(10_000) {
		f.InsertUint64(n)
	}
	if f.Due() != nil {
		t.Errorf("due after 5 turnovers: %v", f.Due())
	}
	if strconv.IntSize == 32 { // where no table is large enough for so many members
		return
	}
	for says, config := range map[string]Config{
		"at least 1.64e-10, or fewer members than 1073741824, such as 536870912": {
			Members: 1 << 30, Rate: 1e-10, Key: fixed},
		"at least 1.65e-10, or": {Members: 1 << 30, Rate: 1e-10, Reinserts: 2, Key: fixed},
		"at least 1.67e-10, or": {Members: 1 << 30, Rate: 1e-10, Reinserts: 1, Key: fixed},
		"at least 1.69e-10, or": {Members: 1 << 30, Rate: 1e-10, Turnovers: 1, Key: fixed},
	} {
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
	}
}

// The limit itself is allowed.
func TestLargestSize(t *testing.T) {
	perMember := Config{Members: MaxBlocks, BitsPerKey: float64(8 * BlockBytes)}
	if size, err := perMember.Shape(); err != nil || size.Blocks != MaxBlocks {
		t.Errorf("%v (%v), want %d", size, err, MaxBlocks)
	}
	perMember.Members++
	if size, err := perMember.Shape(); err == nil {
		t.Errorf("%v, want an error", size)
	}
}
