package simulation

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
)

func TestRunIsRepeatable(t *testing.T) {
	for _, blockBits := range []int{512, 256} {
		c := Config{
			Table: planning.Table{BlockBits: blockBits, Blocks: 100, Members: 3000,
				Turnovers: 2, Lifetime: planning.Random()},
			At:         []float64{0, 0.5},
			NonMembers: 10_000,
			Seed:       3,
		}
		first, err := Run(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Run(c)
		if err != nil || !reflect.DeepEqual(first, again) || len(first) != 3 {
			t.Errorf("%+v, then %+v (%v)", first, again, err)
		}
		c.Seed++
		if other, err := Run(c); err != nil || reflect.DeepEqual(first, other) {
			t.Errorf("another seed gives the same: %+v (%v)", other, err)
		}
		for i, m := range first[1:] {
			if m.Rate <= first[i].Rate || m.Deletability >= first[i].Deletability ||
				m.Turnovers <= first[i].Turnovers {
				t.Errorf("measured %+v, then %+v", first[i], m)
			}
		}
	}
}

func TestProgress(t *testing.T) {
	last := 0
	c := Config{
		Table:    planning.Table{Blocks: 1000, Members: 100_000, Turnovers: 1},
		Progress: func(inserts int) { last = inserts },
	}
	if _, err := Run(c); err != nil || last < 100_000 || last > 200_000 {
		t.Errorf("progress up to %d inserts (%v), want up to nearly 200000", last, err)
	}
}

func TestRunRefuses(t *testing.T) {
	good := planning.Table{Blocks: 10, Members: 100, Turnovers: 1}
	for _, test := range []struct {
		change func(*Config)
		field  string
	}{
		{func(c *Config) { c.Table.Members = 0 }, "Members"},
		{func(c *Config) { c.Table.Members = MaxMembers + 1 }, "Members"},
		{func(c *Config) { c.Table.Turnovers = math.NaN() }, "Turnovers"},
		{func(c *Config) { c.Table.Members, c.Table.Turnovers = MaxMembers, 1000 }, "Turnovers"},
		{func(c *Config) { c.Table.Blocks = planning.MaxBlocks }, "Blocks"},
		{func(c *Config) { c.NonMembers = -1 }, "NonMembers"},
		{func(c *Config) { c.At = []float64{math.NaN()} }, "At"},
		{func(c *Config) { c.At = []float64{0.5, 0.2} }, "At"},
		{func(c *Config) { c.At = []float64{2} }, "At"},
	} {
		c := Config{Table: good}
		test.change(&c)
		_, err := Run(c)
		var e *planning.InputError
		if !errors.As(err, &e) || e.Field != test.field {
			t.Errorf("%+v: %v, want a *planning.InputError of %s", c.Table, err, test.field)
		}
	}
}
