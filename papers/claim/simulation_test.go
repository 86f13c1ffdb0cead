package claim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/papers/trials"
)

// A quantity with one more formula is another one.
func TestWith(t *testing.T) {
	one := Computed(Share, "one", Constant(1))
	two := one.With("two", Constant(2))
	if len(one.Formulas) != 1 || len(two.Formulas) != 2 || two.Formulas["two"](nil) != 2 ||
		two.Unit != Share {
		t.Errorf("%+v, with two %+v", one, two)
	}
}

// A simulation's numbers are those of the point of a claim, its subjects have the same random
// numbers, and a short run takes fewer trials.
func TestSimulation(t *testing.T) {
	s := Simulation{
		Name:    Named("doubled {%v}", "x"),
		Subject: func(at Parameters) string { return at.Text("sign") },
		Times:   Times(4, 2), Point: Along("by", []float64{1, 2}),
		Trial: func(rng *rand.Rand, at Parameters) Outcome {
			v := 1 + rng.Float64()
			if at.Text("sign") == "-" {
				v = -v
			}
			return Outcome{"value": {v, 2 * v}, "hits": {3}, "cases": {5}, "+": {7}, "-": {8}}
		},
	}
	run := &trials.Run{Seed: 1}
	sample := func(of Trials, by any, sign string) Sample {
		return of(run, Parameters{"x": 7, "by": by, "sign": sign})
	}
	one, two, minus := sample(s.Mean("value"), 1, "+"), sample(s.Mean("value"), 2.0, "+"),
		sample(s.Mean("value"), 1, "-")
	for i, v := range one.Values {
		if len(one.Values) != 4 || two.Values[i] != 2*v || minus.Values[i] != -v ||
			one.Of != "doubled {7}" {
			t.Errorf("trial %d of %q: %g, %g and %g", i, one.Of, v, two.Values[i], minus.Values[i])
		}
	}
	if slices.Equal(one.Values[:1], one.Values[1:2]) {
		t.Error("two trials have the same random numbers")
	}
	negated := s.Mean("value").To(func(v float64, _ Parameters) float64 { return -v })
	if got := sample(negated, 1, "-"); !slices.Equal(got.Values, one.Values) ||
		!slices.Equal(sample(s.Mean("value"), 1, "-").Values, minus.Values) {
		t.Errorf("negated: %g, want %g, and those before as they are", got.Values, one.Values)
	}
	if got := sample(s.Total("hits"), 1, "+"); !slices.Equal(got.Values, []float64{12}) {
		t.Errorf("in total %g, want 12", got.Values)
	}
	if got := sample(s.Counted("hits", "cases"), 1, "+"); got.Hits != 12 || got.Cases != 20 {
		t.Errorf("%d of %d, want 12 of 20", got.Hits, got.Cases)
	}
	if got := sample(s.Among("hits", "cases"), 1, "+"); got.Each != 5 || len(got.Over) != 4 {
		t.Errorf("%d cases in each of %d trials, want 5 in 4", got.Each, len(got.Over))
	}
	if got := sample(s.MeanBy("sign"), 1, "-"); !slices.Equal(got.Values, []float64{8, 8, 8, 8}) {
		t.Errorf("by the sign %g, want 8", got.Values)
	}
	last := s.At("value", func(Parameters) int { return 1 })
	if got := sample(last, 1, "+"); !slices.Equal(got.Values, two.Values) {
		t.Errorf("at the second point %g, want %g", got.Values, two.Values)
	}
	least := slices.Min(one.Values)
	more := s.Mean("value").Which(func(v float64, _ Parameters) bool { return v > least })
	if got := sample(more, 1, "+"); got.Hits != 3 || got.Cases != 4 {
		t.Errorf("%d of %d are more than the least, want 3 of 4", got.Hits, got.Cases)
	}
	run.Short = true
	if got := sample(s.Mean("value"), 1, "+"); !slices.Equal(got.Values, one.Values[:2]) {
		t.Errorf("a short run has %g, want %g", got.Values, one.Values[:2])
	}
}

// A row that says what nothing reads, or what its trials do not have, is refused by name.
func TestRefused(t *testing.T) {
	doubled := Simulation{
		Name: Named("doubled"), Times: Times(2, 2), Point: Along("by", []float64{1, 2}),
		Trial: func(_ *rand.Rand, at Parameters) Outcome {
			return Outcome{"value": {at.Float("x"), 2 * at.Float("x")}}
		},
		Fixed: Parameters{"k": 3},
	}
	said := doubled
	said.Name = func(at Parameters) string { return fmt.Sprint("said ", at.Float("x")) }
	named := doubled
	named.Name = Named("named %v", "seed")
	kinds := map[string]int{"one": 1}
	quantities := Quantities{"value": {Trials: doubled.Mean("value")},
		"said": {Trials: said.Mean("value")}, "named": {Trials: named.Mean("value")},
		"none":  {Trials: doubled.Mean("none")},
		"fixed": Computed(Number, "n", Constant(1)).Fixed(Parameters{"n": 1}),
		"kind": Computed(Number, "n", func(at Parameters) float64 {
			return float64(Pick(at, "kind", kinds))
		})}
	for _, test := range []struct {
		quantity, parameters, want string
	}{
		{"value", "by=1; x=1", ""},
		{"value", "by=2; x=1; k=3; less by=1; less quantity=said", ""},
		{"value", "by=1; x=1, 2", `trials of "doubled" do not say x: it was 1, and now is 2`},
		{"said", "by=1; x=1, 2", ""},
		{"value", "by=1; x=1; zzz=4", "nothing reads zzz"},
		{"value", "by=1; x=1; less zzz=4", "nothing reads less zzz"},
		{"value", "by=1; x=1; k=4", "found k=4, expected 3"},
		{"value", "by=3; x=1", `trials of "doubled" have no "value" there, but at 2 points`},
		{"none", "by=1; x=1", `trials of "doubled" have no "none"`},
		{"named", "by=1; x=1; seed=2", "nothing reads seed"},
		{"fixed", "n=1", ""},
		{"fixed", "n=2", "found n=2, expected 1"},
		{"kind", "kind=one", ""},
		{"kind", "kind=two", `found kind=two, expected one of ["one"]`},
	} {
		measured := "trials"
		if quantities[test.quantity].Trials == nil {
			measured = "n"
		}
		paper := Paper{Files: files([]string{strings.Join(header, "\t"), "item\t\t" +
			test.parameters + "\t" + test.quantity + "\t" + measured + "\t\t\t\t\t"}),
			Quantities: func(*trials.Run) (Quantities, error) { return quantities, nil }}
		found, err := paper.Reproduce(&trials.Run{Seed: 1}, func(int) func() { return func() {} })
		switch {
		case test.want == "" && err == nil:
			for _, c := range found.Claims {
				if _, kept := c.Parameters[readName]; kept {
					t.Errorf("%s: parameters %v", test.parameters, c.Parameters)
				}
			}
		case !errors.Is(err, ErrTable) || test.want == "" ||
			!strings.Contains(err.Error(), "item, "+test.quantity) ||
			!strings.HasSuffix(err.Error(), ": "+test.want):
			t.Errorf("%s, %s: %v, want %q", test.quantity, test.parameters, err, test.want)
		}
	}
}
