package report

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// rerun returns the synthetic run as another run of the same build finds it: its noise is another.
func rerun(seed uint64) *result.Run {
	rng := rand.New(rand.NewPCG(seed, seed))
	run := synthetic()
	scale(run, func(result.Group, result.Subject) float64 { return 1 + 0.01*rng.ExpFloat64() })
	return run
}

func inserts(factor float64) func(g result.Group, s result.Subject) float64 {
	return func(g result.Group, s result.Subject) float64 {
		if s.Name == "avx512" && g.Operation == "insert" && g.Form == result.FormBatch &&
			g.Bytes == 16<<20 {
			return factor
		}
		return 1
	}
}

func compared(t *testing.T, before, after *result.Run) *Comparison {
	t.Helper()
	c, err := Compare(before, after, DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A kernel that got slower is named, whatever the machine did meanwhile, and no other that has a
// floor.
func TestCompareFindsWhatGotSlower(t *testing.T) {
	for _, drift := range []float64{1, 1.3, 0.7} {
		for _, change := range []float64{1, 1.15, 0.85, 1.045} {
			after := rerun(2)
			scale(after, inserts(change))
			scale(after, func(g result.Group, _ result.Subject) float64 {
				if g.FloorSamples() == nil { // of which nothing tells what the machine did
					return 1
				}
				return drift
			})
			c := compared(t, synthetic(), after)
			found := map[result.Outcome][]Change{result.Slower: c.With(result.Slower),
				result.Faster: c.With(result.Faster)}
			want := map[result.Outcome]int{}
			if outcome := map[float64]result.Outcome{1.15: result.Slower,
				0.85: result.Faster}[change]; outcome != "" {
				want[outcome] = 2 // widths
				var b bytes.Buffer
				if err := c.Text(&b); err != nil ||
					!strings.Contains(b.String(), "\n"+string(outcome)+": ") ||
					!strings.Contains(b.String(),
						"Insert/block=512/form=batch/size=16MiB/pages=huge/"+
							"kind=implementation/impl=avx512-1") {
					t.Errorf("the text (%v) is\n%s", err, b.String())
				}
			}
			for outcome, changes := range found {
				if len(changes) != want[outcome] {
					t.Errorf("drift %v, change %v: %d are %s, want %d: %+v", drift, change,
						len(changes), outcome, want[outcome], changes)
				}
				for _, f := range changes {
					if f.Unit != toFloor || f.Ratio < change-0.03 || f.Ratio > change+0.03 ||
						!strings.HasPrefix(f.Name, "Insert/") {
						t.Errorf("%+v, want %v with a drift of %v", f, change, drift)
					}
				}
			}
			if len(c.Changes) == 0 || len(c.New)+len(c.Gone)+len(c.Warnings) > 0 {
				t.Errorf("%d changes, %q new, %q gone, %q", len(c.Changes), c.New,
					c.Gone, c.Warnings)
			}
		}
	}
}

// What has no floor, or had none before, is compared in ns; peers, and ours beside them, are not
// compared.
func TestCompareWithoutFloors(t *testing.T) {
	before, after := synthetic(), rerun(5)
	for i := range before.Groups {
		g := &before.Groups[i]
		g.Subjects = slices.DeleteFunc(g.Subjects,
			func(s result.Subject) bool {
				return s.Kind == result.Floor &&
					g.Operation == "delete"
			})
	}
	scale(after, func(g result.Group, _ result.Subject) float64 {
		if g.Operation == "match" || g.Operation == "delete" {
			return 1.2
		}
		return 1
	})
	c := compared(t, before, after)
	// match; delete of three sizes by two implementations
	if n := len(c.With(result.Slower)); n != 2*1+2*3*2 {
		t.Errorf("%d are slower, want 14: %+v", n, c.With(result.Slower))
	}
	for _, change := range c.Changes {
		if ns := strings.Contains(change.Name, "/masks=") ||
			strings.HasPrefix(change.Name, "Delete/") || strings.Contains(change.Name, "/batch=") ||
			strings.Contains(change.Name, "/form=calls") ||
			strings.HasPrefix(change.Name, "Hash/"); ns != strings.HasPrefix(change.Unit, "ns/") {
			t.Errorf("%+v", change)
		}
		if strings.Contains(change.Name, "bloomlane") ||
			strings.Contains(change.Name, "/form=stack") ||
			strings.Contains(change.Name, "/form=selection") {
			t.Errorf("%s was compared", change.Name)
		}
	}
}

// A change of too few samples is none, and a warning says so; limits move what counts.
func TestCompareKeepsQuiet(t *testing.T) {
	after := rerun(3)
	scale(after, inserts(1.045))
	if c, err := Compare(synthetic(), after, Limits{Significance: 0.5, Change: 0.005}); err !=
		nil || len(c.With(result.Slower)) == 0 {
		t.Errorf("with limits of half a percent and P 0.5 nothing got slower (%v)", err)
	}
	for _, change := range []float64{1.15, 0.85} { // sure, and less than counts
		after := rerun(3)
		scale(after, inserts(change))
		c, err := Compare(synthetic(), after, Limits{Significance: 0.01, Change: 0.3})
		if err != nil || len(c.With(result.Slower))+len(c.With(result.Faster)) > 0 {
			t.Errorf("%v where 30 %% count (%v): %+v", change, err, c)
		}
	}
	before, after := synthetic(), rerun(4)
	scale(after, inserts(2))
	for _, run := range []*result.Run{before, after} {
		each(run, func(_ result.Group, s *result.Subject) { s.Samples = s.Samples[:5] })
	}
	c := compared(t, before, after)
	if len(c.With(result.Slower)) > 0 || len(c.Warnings) != 1 ||
		!strings.Contains(c.Warnings[0], "too few samples") {
		t.Errorf("five samples decide %+v, or no warning: %q", c.With(result.Slower), c.Warnings)
	}
}

// However many kernels are compared, one run in twenty or so finds a change where there is none,
// and not one kernel in twenty.
func TestCompareOfManyKernels(t *testing.T) {
	const runs = 40
	mistaken := 0
	for i := range uint64(runs) {
		c, err := Compare(rerun(100+2*i), rerun(101+2*i), Limits{Significance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.With(result.Slower))+len(c.With(result.Faster)) > 0 {
			mistaken++
		}
	}
	if mistaken > runs/5 {
		t.Errorf("%d of %d runs of one build found a change", mistaken, runs)
	}
}

func TestCompareWhatIsNotInBoth(t *testing.T) {
	before, after := synthetic(), synthetic()
	before.Groups = nil
	if c := compared(t, before, after); len(c.Changes) > 0 || len(c.New) == 0 ||
		!strings.HasPrefix(c.New[0], "Query/block=512/keys=hit/") {
		t.Errorf("%d changes, new %q", len(c.Changes), c.New)
	}
	if c := compared(t, after, before); len(c.Changes) > 0 || len(c.Gone) == 0 {
		t.Errorf("%d changes, gone %q", len(c.Changes), c.Gone)
	}
	before = synthetic()
	before.Go, after.Groups[0].Subjects[2].Samples = "go1.25", nil
	var b bytes.Buffer
	if err := compared(t, before, after).Text(&b); err != nil ||
		!strings.Contains(b.String(), "warning: Go: go1.25 before, go1.26.0 after") {
		t.Errorf("no warning (%v) in\n%s", err, b.String())
	}
}

func TestCompareRefuses(t *testing.T) {
	for what, spoil := range map[string]func(run *result.Run){
		"CPU":      func(run *result.Run) { run.CPU = "another" },
		"platform": func(run *result.Run) { run.Platform = "linux/arm64" },
	} {
		other := synthetic()
		spoil(other)
		var machine *MachineError
		if _, err := Compare(synthetic(), other, DefaultLimits); !errors.As(err, &machine) ||
			machine.What != what {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
