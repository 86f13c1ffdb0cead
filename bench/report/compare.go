package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/bloomlane/bloomlane/bench/result"
)

// Limits are from where on a change is one. Two runs of one build differ by more than the noise within
// each says, because their tables lie on other pages: that is what Change is for.
type Limits struct {
	Significance float64 // the P that a change is below
	Change       float64 // what it is more than, 0.05 being 5 %
}

// DefaultLimits are for runs of some minutes on a machine that does little else.
var DefaultLimits = Limits{Significance: result.Significance, Change: 0.05}

// Comparison is what changed from one run to another.
type Comparison struct {
	Limits   Limits   `json:"limits"`
	Warnings []string `json:"warnings"` // what else may have made a change
	Changes  []Change `json:"changes"`  // of all kernels in both runs, in the order of the later
	Gone     []string `json:"gone"`     // kernels of the earlier run alone
	New      []string `json:"new"`      // of the later alone
	// TooFew is the number of kernels with so few samples that no change of theirs could have been told.
	TooFew int `json:"too_few"`
}

// Change is how the time of a kernel changed.
type Change struct {
	result.Group
	Name   string  `json:"name"`
	Before float64 `json:"before_ns"` // medians of the samples
	After  float64 `json:"after_ns"`
	// Drift is how many times as long the machine took in the later run, by the group's floor; in a group
	// without one it is the median of the groups with tables of that size, or else of the smallest.
	Drift float64 `json:"drift"`
	// Ratio is how many times as long the kernel took when the drift is divided out, round by round where
	// that leaves less noise; 0 where there are no samples.
	Ratio   float64        `json:"ratio"`
	P       float64        `json:"p"`       // by the Mann-Whitney U test, and Holm's method for all the kernels
	Outcome result.Outcome `json:"outcome"` // of the later run
}

// MachineError says that two runs are not of one machine, so that no change of a kernel could be told.
type MachineError struct{ What, Before, After string }

func (e *MachineError) Error() string {
	return fmt.Sprintf("runs of different machines: %s %q and %q", e.What, e.Before, e.After)
}

// contestant is what timings of two runs are matched by.
type contestant struct {
	result.Group
	kind     result.Kind
	name     string
	distance int // -1 for none
	batch    int
}

func contestantOf(t result.Timing) contestant {
	c := contestant{t.Group, t.Kind, t.Name, -1, t.Batch}
	if t.Distance != nil {
		c.distance = *t.Distance
	}
	return c
}

func (c contestant) String() string {
	return fmt.Sprintf("%s: %s, %s, %s", c.name, subjectOf(c.Group), column{c.Bytes, c.Masks}, pagesName(c.Pages))
}

// Compare compares the kernels of two runs, each with itself in the same group. The error is a
// *MachineError or a *result.SchemaError.
func Compare(before, after *result.Run, limits Limits) (*Comparison, error) {
	for _, run := range []*result.Run{before, after} {
		if run.Schema != result.Schema {
			return nil, &result.SchemaError{Found: run.Schema}
		}
	}
	for _, e := range []MachineError{
		{"CPU", before.CPU, after.CPU}, {"platform", before.Platform, after.Platform},
	} {
		if e.Before != e.After {
			return nil, &e
		}
	}
	c := &Comparison{Limits: limits, Warnings: []string{}, Changes: []Change{}, Gone: []string{}, New: []string{}}
	for _, w := range [][3]string{
		{"Go", before.Go, after.Go},
		{"cores", fmt.Sprint(before.Cores), fmt.Sprint(after.Cores)},
		{"last-level cache", cache(before.CacheBytes.Last), cache(after.CacheBytes.Last)},
	} {
		if w[1] != w[2] {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %s before, %s after", w[0], w[1], w[2]))
		}
	}

	earlier := map[contestant]result.Timing{}
	for _, t := range before.Timings {
		earlier[contestantOf(t)] = t
	}
	machines := machinesOf(earlier, after)
	drifts := driftsOf(machines)
	seen := map[contestant]bool{}
	var ps, clearest []float64
	for _, t := range after.Timings {
		if t.Kind != result.Kernel {
			continue
		}
		key := contestantOf(t)
		seen[key] = true
		old, ok := earlier[key]
		if !ok {
			c.New = append(c.New, key.String())
			continue
		}
		m, ok := machines[t.Group]
		if !ok {
			m.drift = drifts.near(t.Bytes)
		}
		change := changeOf(old, t, m, limits)
		c.Changes = append(c.Changes, change)
		ps, clearest = append(ps, change.P), append(clearest, result.ClearestUnpaired(len(old.Samples), len(t.Samples)))
	}
	for i, p := range result.Holm(ps) {
		change := &c.Changes[i]
		if change.P = p; p >= limits.Significance {
			change.Outcome = result.Undecided
		}
	}
	for _, p := range result.Holm(clearest) {
		if p >= limits.Significance {
			c.TooFew++
		}
	}
	for _, t := range before.Timings {
		if key := contestantOf(t); t.Kind == result.Kernel && !seen[key] {
			c.Gone = append(c.Gone, key.String())
		}
	}
	return c, nil
}

// machine is what the floor of a group says of the machine in two runs.
type machine struct {
	before, after result.Timing
	drift         float64 // the change of the medians, where the noise bears it out, and else 1
}

// machinesOf returns that of each group which has the same floor in both runs. Of several floors it is the one
// that was the fastest before.
func machinesOf(earlier map[contestant]result.Timing, after *result.Run) map[result.Group]machine {
	of := map[result.Group]machine{}
	for _, t := range after.Timings {
		old, ok := earlier[contestantOf(t)]
		if !ok || t.Kind != result.Floor {
			continue
		}
		v := result.Unpaired(t.Samples, old.Samples)
		if other, ok := of[t.Group]; v.Ratio == 0 || ok && other.before.Least <= old.Least {
			continue
		}
		m := machine{old, t, 1}
		if v.Outcome != result.Undecided {
			m.drift = 1 / v.Ratio
		}
		of[t.Group] = m
	}
	return of
}

// drifts are the median drifts of groups by the size of their tables, which are measured one after another, while
// the machine's speed changes.
type drifts map[int64]float64

func driftsOf(machines map[result.Group]machine) drifts {
	all := map[int64][]float64{}
	for group, m := range machines {
		all[group.Bytes] = append(all[group.Bytes], m.drift)
	}
	of := drifts{}
	for bytes, some := range all {
		_, of[bytes], _ = result.Summarize(some)
	}
	return of
}

// near returns the drift for a group without a floor: header matches have no table, and are done in the cache.
func (d drifts) near(bytes int64) float64 {
	if len(d) == 0 {
		return 1
	}
	if drift, ok := d[bytes]; ok {
		return drift
	}
	return d[slices.Min(slices.Collect(maps.Keys(d)))]
}

// changeOf divides the drift out in one of two ways. Where kernel and floor have their noise in common,
// each round of the kernel by that of the floor, which leaves little noise; where the floor would add
// more than it takes away, all rounds of the later run by the drift.
func changeOf(before, after result.Timing, m machine, limits Limits) Change {
	change := Change{Group: after.Group, Name: after.Name, Drift: m.drift}
	_, change.Before, _ = result.Summarize(before.Samples)
	_, change.After, _ = result.Summarize(after.Samples)
	old, steady := byRounds(before, m.before)
	now, alsoSteady := byRounds(after, m.after)
	if steady && alsoSteady {
		_, floorBefore, _ := result.Summarize(m.before.Samples)
		_, floorAfter, _ := result.Summarize(m.after.Samples)
		change.Drift = floorAfter / floorBefore
	} else {
		old, now = before.Samples, make([]float64, len(after.Samples))
		for i, s := range after.Samples {
			now[i] = s / m.drift
		}
	}
	v := result.UnpairedAt(now, old, limits.Significance, limits.Change)
	change.P, change.Outcome = v.P, v.Outcome
	if v.Ratio > 0 {
		change.Ratio = 1 / v.Ratio
	}
	return change
}

// byRounds returns the kernel's samples as multiples of the floor's of the same rounds, and whether
// they have less spread so.
func byRounds(kernel, floor result.Timing) (ratios []float64, less bool) {
	if len(kernel.Samples) == 0 || len(kernel.Samples) != len(floor.Samples) || slices.Min(floor.Samples) <= 0 {
		return nil, false
	}
	for i, s := range kernel.Samples {
		ratios = append(ratios, s/floor.Samples[i])
	}
	_, _, alone := result.Summarize(kernel.Samples)
	_, _, together := result.Summarize(ratios)
	return ratios, together < alone
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
	for _, note := range []struct {
		what  string
		names []string
	}{{"only before", c.Gone}, {"only after", c.New}} {
		for _, name := range note.names {
			fmt.Fprintf(&b, "%s: %s\n", note.what, name)
		}
	}
	slower, faster := c.With(result.Slower), c.With(result.Faster)
	fmt.Fprintf(&b, "%s compared: %d slower, %d faster, %d neither by more than %s at p < %g\n",
		plural(len(c.Changes), "kernel"), len(slower), len(faster), len(c.Changes)-len(slower)-len(faster),
		round(c.Limits.Change), c.Limits.Significance)
	if c.TooFew > 0 {
		fmt.Fprintf(&b, "%s could not be told to have changed: too few samples\n", plural(c.TooFew, "kernel"))
	}
	for _, part := range []struct {
		title   string
		changes []Change
	}{{"slower", slower}, {"faster", faster}} {
		if len(part.changes) == 0 {
			continue
		}
		t := table{
			title:   part.title,
			about:   "medians in ns; the drift is the machine's, by the floor of the group, and is divided out of the change",
			labels:  4,
			columns: []string{"", "operation", "pages", "table", "before", "after", "drift", "change", "p"},
		}
		for _, change := range part.changes {
			operation := subjectOf(change.Group).String()
			if change.Against != "" {
				operation += ", " + change.Against
			}
			if change.Parallel() {
				operation += ", " + plural(change.Cores, "core")
			}
			t.rows = append(t.rows, []string{
				change.Name, operation, change.Pages, column{change.Bytes, change.Masks}.String(),
				nanoseconds(change.Before), nanoseconds(change.After),
				difference(change.Drift), difference(change.Ratio), fmt.Sprintf("%.1g", change.P),
			})
		}
		t.text(&b)
	}
	_, err := b.WriteTo(w)
	return err
}

// difference writes a ratio as the difference from 1, with its sign.
func difference(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
