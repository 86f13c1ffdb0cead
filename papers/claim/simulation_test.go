package claim

import (
	"math/rand/v2"
	"slices"
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
