package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Limits are from where on a change is one. Two runs of one build differ by more than the noise
// within each says, because their tables lie on other pages: that is what Change is for.
type Limits struct {
	Significance float64 `json:"significance"` // the P of any change at all where there is none
	Change       float64 `json:"change"`       // what a change is more than, 0.05 being 5 %
}

// DefaultLimits are for runs of some minutes on a machine that does little else.
var DefaultLimits = Limits{Significance: 0.01, Change: 0.05}

// Comparison is what changed from one run to another.
type Comparison struct {
	Limits   Limits   `json:"limits"`
	Warnings []string `json:"warnings"` // what else may have made a change, and too few samples
	Changes  []Change `json:"changes"`  // of all kernels in both runs, in the order of the later
	Gone     []string `json:"gone"`     // kernels of the earlier run alone
	New      []string `json:"new"`      // of the later alone
}

// Change is how a kernel changed.
type Change struct {
	Name string `json:"name"` // as benchstat has it
	// Unit is "floors", multiples of the floor of the same round, or ns/key and likewise where
	// there is none.
	Unit    string         `json:"unit"`
	Before  float64        `json:"before"` // medians
	After   float64        `json:"after"`
	Ratio   float64        `json:"ratio"`   // how many times as long the kernel took
	P       float64        `json:"p"`       // by the Mann-Whitney U test
	Outcome result.Outcome `json:"outcome"` // of the later run
}

// MachineError says that two runs are not of one machine, so that no change of a kernel could be
// told.
type MachineError struct{ What, Before, After string }

func (e *MachineError) Error() string {
	return fmt.Sprintf("runs of different machines: %s %q and %q", e.What, e.Before, e.After)
}

// kernels returns the samples of a run's kernels by name and unit, and the names in their order.
// Those beside peers are not compared: they have fewer rounds than decide a change. Nor are stacks
// and selections, whose times in memory have no floor.
func kernels(run *result.Run) (names []string, byName map[string]map[string][]float64) {
	alone := *run
	alone.Groups = pivot.Where(run.Groups, func(g result.Group) bool {
		return g.Against == "" && g.Form != result.FormStack && g.Form != result.FormSelection
	})
	byName = map[string]map[string][]float64{}
	for name, all := range pivot.Groups(results(&alone),
		func(r *benchfmt.Result) string { return r.Name.String() }) {
		if !strings.Contains(name, "/kind="+string(result.Implementation)+"/") {
			continue
		}
		names, byName[name] = append(names, name), map[string][]float64{}
		for _, r := range all {
			for _, v := range r.Values {
				byName[name][v.Unit] = append(byName[name][v.Unit], v.Value)
			}
		}
	}
	return names, byName
}

// Compare compares the kernels of two runs as benchstat would: the multiples of the floor, or times
// where there is none. The error is a *MachineError.
func Compare(before, after *result.Run, limits Limits) (*Comparison, error) {
	for _, e := range []MachineError{
		{"CPU", before.CPU, after.CPU}, {"platform", before.Platform, after.Platform},
	} {
		if e.Before != e.After {
			return nil, &e
		}
	}
	none := []string{} // not null in JSON
	c := &Comparison{Limits: limits, Warnings: none, Changes: []Change{}, Gone: none, New: none}
	for _, w := range [][3]any{
		{"Go", before.Go, after.Go},
		{"cores", before.Cores, after.Cores},
		{"bytes of last-level cache", before.CacheBytes.Last, after.CacheBytes.Last},
	} {
		if w[1] != w[2] {
			c.Warnings = append(c.Warnings,
				fmt.Sprintf("%s: %v before, %v after", w[0], w[1], w[2]))
		}
	}
	oldNames, old := kernels(before)
	newNames, now := kernels(after)
	in := func(all map[string]map[string][]float64) func(name string) bool {
		return func(name string) bool { return all[name] != nil }
	}
	both := pivot.Where(newNames, in(old))
	c.Gone = slices.DeleteFunc(append(none, oldNames...), in(now))
	c.New = slices.DeleteFunc(append(none, newNames...), in(old))
	// Bonferroni: of many comparisons none is to find a change where there is none.
	alpha := &benchmath.Thresholds{CompareAlpha: result.Round(limits.Significance /
		float64(max(len(both), 1)))}
	tooFew := map[string]int{}
	for _, name := range both {
		change := Change{Name: name, Unit: toFloor, Outcome: result.Undecided}
		if now[name][toFloor] == nil || old[name][toFloor] == nil {
			change.Unit = slices.Max(slices.Collect(maps.Keys(now[name]))) // ns/…, after floors
		}
		a := benchmath.NewSample(old[name][change.Unit], alpha)
		b := benchmath.NewSample(now[name][change.Unit], alpha)
		change.Before, change.After = result.Median(a.Values), result.Median(b.Values)
		found := benchmath.AssumeNothing.Compare(a, b)
		for _, warning := range found.Warnings {
			tooFew[warning.Error()]++
		}
		change.P = found.P
		if change.Before > 0 {
			change.Ratio = change.After / change.Before
		}
		switch {
		case found.P >= alpha.CompareAlpha || change.Ratio == 0:
		case change.Ratio > 1+limits.Change:
			change.Outcome = result.Slower
		case change.Ratio < 1/(1+limits.Change):
			change.Outcome = result.Faster
		}
		c.Changes = append(c.Changes, change)
	}
	for warning, n := range tooFew {
		c.Warnings = append(c.Warnings,
			fmt.Sprintf("too few samples: %s: %s", quantity.Of(n, "kernel"), warning))
	}
	slices.Sort(c.Warnings)
	return c, nil
}

// With returns the changes of one outcome, the largest first.
func (c *Comparison) With(outcome result.Outcome) (changes []Change) {
	for _, change := range c.Changes {
		if change.Outcome == outcome {
			changes = append(changes, change)
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		if outcome == result.Slower {
			return cmp.Compare(b.Ratio, a.Ratio)
		}
		return cmp.Compare(a.Ratio, b.Ratio)
	})
	return changes
}

// Text writes the changes beyond the limits as tables, and what was compared.
func (c *Comparison) Text(w io.Writer) error {
	var b bytes.Buffer
	for _, warning := range c.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	for _, name := range c.Gone {
		fmt.Fprintf(&b, "only before: %s\n", name)
	}
	for _, name := range c.New {
		fmt.Fprintf(&b, "only after: %s\n", name)
	}
	slower, faster := c.With(result.Slower), c.With(result.Faster)
	fmt.Fprintf(&b, "%s compared: %d slower, %d faster, %d neither by more than %s at p < %g for "+
		"any of them\n",
		quantity.Of(len(c.Changes), "kernel"), len(slower), len(faster),
		len(c.Changes)-len(slower)-len(faster), quantity.Percent(c.Limits.Change),
		c.Limits.Significance)
	for _, changes := range [][]Change{slower, faster} {
		if len(changes) == 0 {
			continue
		}
		t := pivot.Rows("kernel|unit|before|after|change|p", changes, func(c Change) []string {
			return []string{c.Name, c.Unit, quantity.Digits(c.Before), quantity.Digits(c.After),
				fmt.Sprintf("%+.1f %%", 100*(c.Ratio-1)), fmt.Sprintf("%.1g", c.P)}
		})
		t.Labels = 2
		text(&b, t.Titled(string(changes[0].Outcome),
			"medians; a unit of floors is the multiple of the bare loop in the same round"))
	}
	_, err := b.WriteTo(w)
	return err
}
