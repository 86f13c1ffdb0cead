package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// again returns the synthetic run as another run of the same build finds it: its noise is another.
func again(seed uint64) *result.Run {
	rng := rand.New(rand.NewPCG(seed, seed))
	run := synthetic()
	for i := range run.Timings {
		for j := range run.Timings[i].Samples {
			run.Timings[i].Samples[j] *= 1 + 0.01*rng.ExpFloat64()
		}
	}
	return run
}

func scale(run *result.Run, by float64, which func(t result.Timing) bool) (n int) {
	for i := range run.Timings {
		if !which(run.Timings[i]) {
			continue
		}
		n++
		for j := range run.Timings[i].Samples {
			run.Timings[i].Samples[j] *= by
		}
	}
	return n
}

func everything(result.Timing) bool { return true }

func inserts(t result.Timing) bool {
	return t.Kind == result.Kernel && t.Name == "avx2" && t.Operation == "insert" && t.Pages == "huge" && t.Bytes == 16<<20
}

func compared(t *testing.T, before, after *result.Run) *Comparison {
	t.Helper()
	c, err := Compare(before, after, DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareEquals(t *testing.T) {
	for name, by := range map[string]float64{"the same machine": 1, "a slower one": 1.3, "a faster one": 0.7} {
		after := again(1)
		scale(after, by, everything)
		c := compared(t, synthetic(), after)
		if len(c.Changes) == 0 || len(c.With(result.Slower))+len(c.With(result.Faster)) > 0 {
			t.Errorf("%s: of %d kernels %+v are slower and %+v faster", name, len(c.Changes), c.With(result.Slower), c.With(result.Faster))
		}
		if len(c.New)+len(c.Gone)+len(c.Warnings) > 0 {
			t.Errorf("%s: %q new, %q gone, %q", name, c.New, c.Gone, c.Warnings)
		}
	}
}

// A kernel that got slower is named, whatever the machine did meanwhile, and no other.
func TestCompareFindsWhatGotSlower(t *testing.T) {
	for _, drift := range []float64{1, 1.3, 0.7} {
		for _, change := range []float64{1.15, 0.85} {
			after := again(2)
			want := scale(after, change, inserts)
			scale(after, drift, everything)
			c := compared(t, synthetic(), after)
			found, other := c.With(result.Slower), c.With(result.Faster)
			word := "slower"
			if change < 1 {
				found, other, word = other, found, "faster"
			}
			if len(found) != want || len(other) != 0 {
				t.Fatalf("%d and %d, want %d and 0", len(found), len(other), want)
			}
			for _, f := range found {
				if f.Name != "avx2" || f.Operation != "insert" || f.Ratio < change-0.03 || f.Ratio > change+0.03 || f.Drift < drift-0.03 || f.Drift > drift+0.03 {
					t.Errorf("%+v, want %v with a drift of %v", f, change, drift)
				}
			}
			var b bytes.Buffer
			if err := c.Text(&b); err != nil {
				t.Fatal(err)
			}
			if text := b.String(); !strings.Contains(text, "\n"+word+": ") || !strings.Contains(text, "avx2  insert, batches, blocks of 512 bits  huge   16 MiB") {
				t.Errorf("the text is\n%s", text)
			}
		}
	}
}

// Where the machine was slower while one size of tables was measured, what has no floor there got no slower.
func TestCompareDriftBySize(t *testing.T) {
	before, after := synthetic(), again(5)
	n := scale(after, 1.2, func(t result.Timing) bool { return t.Bytes == 16<<10 })
	drop := func(t result.Timing) bool { return t.Kind == result.Floor && t.Operation == "insert" }
	for _, run := range []*result.Run{before, after} {
		run.Timings = slices.DeleteFunc(run.Timings, drop)
	}
	if c := compared(t, before, after); n == 0 || len(c.With(result.Slower)) > 0 {
		t.Errorf("of %d timings %+v are slower", n, c.With(result.Slower))
	}
}

// A change within the limit, or of too few samples, is none.
func TestCompareKeepsQuiet(t *testing.T) {
	after := again(3)
	scale(after, 1.045, inserts)
	if c := compared(t, synthetic(), after); len(c.With(result.Slower)) > 0 {
		t.Errorf("4.5 %% are %+v", c.With(result.Slower))
	}
	if c, err := Compare(synthetic(), after, Limits{Significance: 0.5, Change: 0.005}); err != nil || len(c.With(result.Slower)) == 0 {
		t.Errorf("with limits of half a percent and P 0.5 nothing got slower (%v)", err)
	}
	before, after := synthetic(), again(4)
	scale(after, 2, inserts)
	for _, run := range []*result.Run{before, after} {
		for i := range run.Timings {
			run.Timings[i].Samples = run.Timings[i].Samples[:3]
		}
	}
	c := compared(t, before, after)
	if len(c.With(result.Slower)) > 0 || c.TooFew != len(c.Changes) {
		t.Errorf("three samples decide %+v, and %d kernels of %d have too few", c.With(result.Slower), c.TooFew, len(c.Changes))
	}
	var b bytes.Buffer
	if err := c.Text(&b); err != nil || !strings.Contains(b.String(), "too few samples") {
		t.Errorf("that samples are too few is not said (%v):\n%s", err, b.String())
	}
}

// However many kernels are compared, one run in twenty or so finds a change where there is none, and not one
// kernel in twenty.
func TestCompareOfManyKernels(t *testing.T) {
	const runs = 40
	mistaken := 0
	for i := range uint64(runs) {
		c, err := Compare(again(100+2*i), again(101+2*i), Limits{Significance: 0.05})
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
	before.Timings = nil
	c := compared(t, before, after)
	if len(c.Changes) > 0 || len(c.New) == 0 || !strings.HasPrefix(c.New[0], "avx512: query (hit), batches, blocks of 512 bits, 16 KiB") {
		t.Errorf("%d changes, new %q", len(c.Changes), c.New)
	}
	if c := compared(t, after, before); len(c.Changes) > 0 || len(c.Gone) == 0 {
		t.Errorf("%d changes, gone %q", len(c.Changes), c.Gone)
	}
	before = synthetic()
	before.Go, after.Timings[2].Samples = "go1.25", nil
	c = compared(t, before, after)
	var b bytes.Buffer
	if err := c.Text(&b); err != nil || !strings.Contains(b.String(), "warning: Go: go1.25 before, go1.26.0 after") {
		t.Errorf("no warning (%v) in\n%s", err, b.String())
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
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
		if _, err := Compare(synthetic(), other, DefaultLimits); !errors.As(err, &machine) || machine.What != what {
			t.Errorf("%s: error %v", what, err)
		}
	}
	other := synthetic()
	other.Schema = 2
	var schema *result.SchemaError
	if _, err := Compare(synthetic(), other, DefaultLimits); !errors.As(err, &schema) {
		t.Errorf("error %v, want a %T", err, schema)
	}
}
