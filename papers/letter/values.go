package letter

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

const (
	asMeant = "Eq. (1), as meant"
	exact   = "exact"
	normal  = "as if the set bits were normal" // of a rate, see [dlbf.Shape.Rate]
	filters = "filters of elements with random 64-bit hashes"
)

// The filters of figures 2 to 4. Of their r the text names 24, 60 and 120, and m/r = 20.
var (
	gridRegions = []int{6, 12, 24, 60, 120}
	gridMembers = []int{4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 36, 40, 48, 60}
)

func figure2(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Figure 2: deletable elements by m/n and m/r (m = 240, k = 5)",
		Where: "figure 2", Formula: asMeant, Trial: filters,
		Panels: []claim.Panel{{X: "bits per element, m/n", Y: "deletable elements (%)",
			Axes: func(x, y *plot.Axis) {
				x.Min = 0
				claim.Percents(y)
			}}}}
	for _, r := range gridRegions {
		for _, n := range gridMembers {
			v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("m/r = ", bits/r),
				X: bits / float64(n), Formula: new(Equation1(shape(r), n)),
				Interval: deleted(run, r, n)})
		}
	}
	return v
}

func aroundNinety(run *trials.Run) claim.Value {
	return claim.Value{Name: "Deletable elements at m/r = 20 and m/n = 16", Rule: claim.Around,
		Where:   `section III-A: "remove around 90 % of the elements"`,
		Formula: asMeant, Trial: filters,
		Cells: []claim.Cell{{Row: "k = 5, as in section IV", Published: "90 %",
			Formula: new(Equation1(shape(12), 15)), Interval: deleted(run, 12, 15)}}}
}

func bitmap(*trials.Run) claim.Value {
	return claim.Value{Name: "The bitmap's share of the bits", Formula: "r/m",
		Where: `section III-A: "only 5 % of the available bits (m/r = 20)"; section IV: "10 % of ` +
			`the memory"`,
		Cells: []claim.Cell{{Row: "r = 12", Published: "5 %", Formula: new(12. / bits)},
			{Row: "r = 24", Published: "10 %", Formula: new(24. / bits)}}}
}

func equation1Printed(*trials.Run) claim.Value {
	s := shape(regions)
	return claim.Value{Name: "Eq. (1), as printed", Rule: claim.ToTens,
		Where:   `section IV: "compared to 90 % predicted by theory", at r = 24 and n = 22`,
		Formula: "(1 - (1 - pc)^(m'/r))^k",
		Cells:   []claim.Cell{{Published: "90 %", Formula: new(Equation1Printed(s, members))}},
		Why: fmt.Sprintf("a misprint: this is the probability that all k regions have a "+
			"collision, and its complement is meant, %s",
			quantity.Percent(Equation1(s, members)))}
}

func equation1Meant(*trials.Run) claim.Value {
	return claim.Value{Name: "Eq. (1), as meant", Rule: claim.ToTens,
		Where:   `section IV: "compared to 90 % predicted by theory", at r = 24 and n = 22`,
		Formula: "1 - (1 - (1 - pc)^(m'/r))^k",
		Cells: []claim.Cell{{Published: "90 %",
			Formula: new(Equation1(shape(regions), members))}},
		Why: "it is 90 % only if percentages are rounded to tens"}
}

func figure3(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Figure 3: what can be deleted (m = 240, k = 5)", Where: "figure 3",
		Formula: exact, Trial: filters,
		Panels: []claim.Panel{
			{Title: "elements that are deletable", X: "elements, n", Y: "share (%)",
				Axes: func(_, y *plot.Axis) { claim.Percents(y) }},
			{Title: "bits reset, of those set", X: "elements, n", Y: "share (%)",
				Axes: func(_, y *plot.Axis) { claim.Percents(y) }},
		}}
	for _, r := range gridRegions {
		for _, n := range gridMembers {
			row, s := fmt.Sprint("r = ", r), shape(r)
			v.Cells = append(v.Cells,
				claim.Cell{Row: row, X: float64(n), Formula: new(s.Deletability(n)),
					Interval: deleted(run, r, n)},
				claim.Cell{Row: row, X: float64(n), Panel: 1, Formula: new(clearable(s, n)),
					Interval: reset(run, r, n)})
		}
	}
	return v
}

func eighty(run *trials.Run) claim.Value {
	return claim.Value{Name: "Deletable elements at r = 24 and n = 22", Rule: claim.ToTens,
		Where:   `section IV: "80 % of the elements could be removed"`,
		Formula: exact, Trial: filters,
		Cells: []claim.Cell{{Published: "80 %",
			Formula:  new(shape(regions).Deletability(members)),
			Interval: deleted(run, regions, members)}}}
}

func aroundForty(run *trials.Run) claim.Value {
	s, all := shape(regions), observe(run, shape(regions), members)
	cleared := s.Clearable(members)
	return claim.Value{Name: "Bits reset at r = 24 and n = 22", Rule: claim.Around, Readings: true,
		Where:   `section IV: "by resetting around 40 % of the bits"`,
		Formula: "the mean", Trial: filters,
		Cells: []claim.Cell{
			{Row: "bits that are set", Published: "40 %", Formula: new(clearable(s, members)),
				Interval: reset(run, regions, members)},
			{Row: "the elements' k bits each", Published: "40 %",
				Formula: new(cleared / (members * hashes)),
				Interval: shares(all,
					func(o *observation) float64 { return o.free })},
			{Row: "all m bits", Published: "40 %", Formula: new(cleared / bits),
				Interval: shares(all, func(o *observation) float64 { return o.reset / bits })},
			{Row: "cells, those in regions without a collision", Published: "40 %",
				Formula: new(uncollided(s, members)), Interval: shares(all,
					func(o *observation) float64 { return 1 - o.collided })},
		},
		Why: "only the cells in regions without a collision are 40 %; to tens, the set bits " +
			"that are reset are too"}
}

// doubled returns cells of the difference where r is doubled from 60 to 120.
func doubled(
	row string,
	published claim.Direction,
	measured func(r, n int) claim.Interval,
	formula func(s dlbf.Shape, n int) float64,
) (cells []claim.Cell) {
	for _, n := range []int{10, members, 40} {
		cells = append(cells, claim.Cell{Row: row, Column: fmt.Sprint("n = ", n),
			Published: string(published), Interval: measured(120, n).Less(measured(60, n)),
			Formula: new(formula(shape(120), n) - formula(shape(60), n))})
	}
	return cells
}

func doublingElements(run *trials.Run) claim.Value {
	measured := func(r, n int) claim.Interval { return deleted(run, r, n) }
	return claim.Value{Name: "Deletable elements with r doubled from 60 to 120", Formula: exact,
		Trial: filters, Readings: true,
		Where: `section III-A: "increasing r results in a larger portion of deletable ` +
			`elements"; section IV: it improves "not the actual element deletability"`,
		Cells: append(doubled("section III-A", claim.Higher, measured, dlbf.Shape.Deletability),
			doubled("section IV", claim.NotHigher, measured, dlbf.Shape.Deletability)...),
		Why: fmt.Sprintf("with 40 elements it rises from %s to %s, and with 22 it falls from %s "+
			"to %s: the larger bitmap leaves 120 cells instead of 180",
			quantity.Percent(shape(60).Deletability(40)),
			quantity.Percent(shape(120).Deletability(40)),
			quantity.Percent(shape(60).Deletability(members)),
			quantity.Percent(shape(120).Deletability(members)))}
}

func doublingBits(run *trials.Run) claim.Value {
	return claim.Value{Name: "Set bits reset with r doubled from 60 to 120", Formula: exact,
		Trial: filters, Where: `section IV: it "only improves the number of deleted bits"`,
		Cells: doubled("", claim.Higher,
			func(r, n int) claim.Interval { return reset(run, r, n) }, clearable),
		Why: fmt.Sprintf("22 elements reset %s instead of %s of the bits that they set, and 10 "+
			"elements fewer, %s instead of %s",
			quantity.Percent(clearable(shape(120), members)),
			quantity.Percent(clearable(shape(60), members)),
			quantity.Percent(clearable(shape(120), 10)),
			quantity.Percent(clearable(shape(60), 10)))}
}

// asked is the rate before the removal of all elements, or after it.
func asked(
	run *trials.Run,
	s dlbf.Shape,
	n int,
	of func(*observation) float64,
) claim.Interval {
	return shares(observe(run, s, n), of)
}

func before(o *observation) float64 { return o.before }
func after(o *observation) float64  { return o.after }

func figure4(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Figure 4: false positives (m = 240, k = 5, r = 24)",
		Where: "figure 4", Formula: normal, Trial: filters,
		Panels: []claim.Panel{{X: "elements, n", Y: "rate of false positives", Log: true}}}
	for _, n := range gridMembers {
		x, s := float64(n), shape(regions)
		v.Cells = append(v.Cells,
			claim.Cell{Row: "before removal", X: x, Formula: new(s.Rate(n)),
				Interval: asked(run, s, n, before)},
			claim.Cell{Row: "after removal", X: x, Interval: asked(run, s, n, after)},
			claim.Cell{Row: "standard filter of 240 bits", X: x, Formula: new(standard.Rate(n)),
				Interval: asked(run, standard, n, before)})
	}
	return v
}

func improvement(run *trials.Run) claim.Value {
	v := claim.Value{Name: "False positives after removal, less a standard filter's",
		Where: `section IV: "a potential improvement when element bits are deleted"`,
		Trial: filters,
		Why: fmt.Sprintf("with 48 elements, of %.0f bits that are set %.1f are reset: the others "+
			"are in regions with a collision, and stay", filled(shape(regions), 48),
			shape(regions).Clearable(48))}
	for _, n := range []int{10, members, 48} {
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("n = ", n),
			Published: string(claim.Lower),
			Interval:  asked(run, shape(regions), n, after).Less(asked(run, standard, n, before))})
	}
	return v
}

// lower returns cells of how far a filter is below Eq. (1), less another one, in points and as the
// logarithm of the ratio of what is retained.
func lower(run *trials.Run, column string, r, n, lessR, lessN int) (cells []claim.Cell) {
	for _, reading := range []struct {
		row string
		off func(deletable, retained float64) float64
	}{
		{"in points", func(deletable, retained float64) float64 {
			return deletable - (1 - retained)
		}},
		{"as a ratio of what is retained", func(deletable, retained float64) float64 {
			return math.Log(retained / (1 - deletable))
		}},
	} {
		off := func(r, n int) func(deletable float64) float64 {
			return func(deletable float64) float64 {
				return reading.off(deletable, Equation1Printed(shape(r), n))
			}
		}
		cells = append(cells, claim.Cell{Row: reading.row, Column: column,
			Published: string(claim.Lower), Formula: new(off(r, n)(shape(r).Deletability(n)) -
				off(lessR, lessN)(shape(lessR).Deletability(lessN))),
			Interval: deleted(run, r, n).Map(off(r, n)).
				Less(deleted(run, lessR, lessN).Map(off(lessR, lessN)))})
	}
	return cells
}

func lowerByRegions(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Less than Eq. (1), by r: r = 120 less r = 24", Unit: claim.Number,
		Where: `section IV: lower values, "noteworthy as r tends to m/2"`, Formula: exact,
		Trial: filters, Readings: true,
		Why: "it holds for the ratio of what is retained, and for the difference in points only " +
			"if m/n is low"}
	for _, n := range []int{10, members, 40} {
		v.Cells = append(v.Cells, lower(run, fmt.Sprint("n = ", n), 120, n, regions, n)...)
	}
	return v
}

func lowerByLoad(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Less than Eq. (1), by m/n: n = 10 less n = 40", Unit: claim.Number,
		Where: `section IV: lower values, noteworthy "for high m/n ratios"`, Formula: exact,
		Trial: filters, Readings: true,
		Why: "it holds for the ratio of what is retained, and not for the difference in points"}
	for _, r := range []int{regions, 60, 120} {
		v.Cells = append(v.Cells, lower(run, fmt.Sprint("r = ", r), r, 10, r, 40)...)
	}
	return v
}

func hashFunctions(run *trials.Run) claim.Value {
	s := shape(regions)
	meant := Equation1(s, members)
	all := trials.Recall(run, "perfect", letterly, func(rng *rand.Rand) observation {
		return simulate(rng, s, members, perfect, 0)
	})
	return claim.Value{Name: "Less than Eq. (1), with perfectly random cells",
		Where: `section IV: "explained by the assumption in Eq. 1 of perfectly random hash ` +
			`functions"`,
		Formula: exact, Trial: "filters of elements with independent random cells",
		Cells: []claim.Cell{{Published: "implied 0 %",
			Formula: new(s.Deletability(members) - meant), Interval: shares(all, deletable).
					Map(func(v float64) float64 { return v - meant })}},
		Why: fmt.Sprintf("they give the lower values too: %s come from the element's own throw, "+
			"whose cell must get no other one, and the rest from regions that are not independent",
			quantity.Percent(OwnThrow(s, members)-meant))}
}

// other is a filter with other parameters than the letter's.
type other struct {
	s dlbf.Shape
	n int
}

func (o other) String() string {
	return fmt.Sprintf("m = %d, r = %d, k = %d, n = %d", o.s.Bits, o.s.Regions, o.s.Hashes, o.n)
}

var others = []other{
	{dlbf.Shape{Bits: 100, Regions: 9, Hashes: 4}, 10},
	{dlbf.Shape{Bits: 256, Regions: 32, Hashes: 5}, 22},
	{dlbf.Shape{Bits: 512, Regions: 64, Hashes: 7}, 32},
	{dlbf.Shape{Bits: 1000, Regions: 50, Hashes: 3}, 100},
	{dlbf.Shape{Bits: 4096, Regions: 256, Hashes: 7}, 256},
	{dlbf.Shape{Bits: 4096, Regions: 512, Hashes: 4}, 512},
}

func otherParameters(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Less than Eq. (1), for other parameters", Formula: exact,
		Trial: filters,
		Where: `section IV: "for other parameters … adherence to theory, with the above noted ` +
			`divergences"`}
	for _, o := range others {
		meant := Equation1(o.s, o.n)
		v.Cells = append(v.Cells, claim.Cell{Row: o.String(), Published: string(claim.Lower),
			Formula: new(o.s.Deletability(o.n) - meant),
			Interval: shares(observe(run, o.s, o.n), deletable).
				Map(func(v float64) float64 { return v - meant })})
	}
	return v
}

func equation2(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Eq. (2): the rate by it", Unit: claim.Number, Rule: claim.Around,
		Where:   `section III-B: "the well-known false positive probability"`,
		Formula: normal, Trial: "filters of random cells, by the cells that are set",
		Why: "the mean of a k-th power is more than the power of the mean, which tells in small " +
			"filters"}
	for _, o := range append([]other{
		{dlbf.Shape{Bits: 32, Regions: 4, Hashes: 3}, 3},
		{dlbf.Shape{Bits: 64, Regions: 8, Hashes: 5}, 6},
		{shape(120), 22}, {shape(24), 10}, {shape(24), 22}, {shape(24), 40},
		{dlbf.Shape{Bits: 2400, Regions: 240, Hashes: 5}, 220}}, others...) {
		rates := trials.Recall(run, fmt.Sprint("equation 2 ", o), 5*letterly,
			func(rng *rand.Rand) float64 {
				a, draw := array(o.s), perfect(rng, uint64(o.s.Cells()), o.s.Hashes)
				for range o.n {
					a.InsertAt(draw(nil))
				}
				return rate(a)
			})
		by := Equation2(o.s, o.n)
		v.Cells = append(v.Cells, claim.Cell{Row: o.String(), Published: "implied 1",
			Formula: new(o.s.Rate(o.n) / by), Interval: claim.Mean(rates).
					Map(func(rate float64) float64 { return rate / by })})
	}
	return v
}

// every is how often something happens to an element of all filters of figures 2 to 4.
func every(run *trials.Run, of func(*observation) float64) claim.Interval {
	hits, cases := 0, 0
	for _, r := range gridRegions {
		for _, n := range gridMembers {
			for _, o := range observe(run, shape(r), n) {
				hits, cases = hits+int(of(&o)), cases+n
			}
		}
	}
	return claim.Proportion(hits, cases)
}

func removal(run *trials.Run) claim.Value {
	return claim.Value{Name: "Elements removed with all bits left, or left with one reset",
		Where: `section III: "removed if at least one of its bits is reset"`, Rule: claim.Never,
		Trial: "all filters of figures 2 to 4",
		Cells: []claim.Cell{{Published: "implied 0",
			Interval: every(run, func(o *observation) float64 { return o.wrong })}}}
}

func falseNegatives(run *trials.Run) claim.Value {
	lost := trials.Recall(run, "reckless", letterly/2, lostByRemovals)
	return claim.Value{Name: "R2: members that are not found when their turn comes",
		Where: `section I, R2: no false negatives; "Remove(x)" of any x that is found`,
		Rule:  claim.Never, Readings: true, Trial: filters,
		Cells: []claim.Cell{
			{Row: "x is a member", Published: "implied 0",
				Interval: every(run, func(o *observation) float64 { return o.missing })},
			{Row: "x is found, by mistake too", Published: "implied 0",
				Interval: claim.MeanShare(lost)},
		},
		Why: "x must be a member: the removal of a false positive, as by a router in whose link " +
			"a packet is falsely matched, takes its bits from members"}
}

func comparable(*trials.Run) claim.Value {
	s := shape(regions)
	return claim.Value{Name: "R4: the rate, by a standard filter's of the same size",
		Where: `sections I and III-B, R4: a "comparable" rate`, Unit: claim.Number,
		Rule: claim.Comparable, Formula: normal,
		Cells: []claim.Cell{{Row: "r = 24, n = 22", Published: "implied 1",
			Formula: new(s.Rate(members) / standard.Rate(members))}},
		Why: fmt.Sprintf("the bitmap raises the part that is set from %s to %s, and the rate is "+
			"its fifth power", quantity.Percent(filled(standard, members)/bits),
			quantity.Percent(filled(s, members)/float64(s.Cells())))}
}

// counters is for a counting filter at its optimum, which has ln 2 throws a counter: the least
// width with fewer than 0.01 overflows in a filter.
func counters(*trials.Run) claim.Value {
	v := claim.Value{Name: "Bits of a counter", Unit: claim.Number,
		Where:   `section II: "typically 3 or 4 bits to avoid counter overflows"`,
		Formula: "by Poisson, for fewer than 0.01 overflows in a filter"}
	throws := distuv.Poisson{Lambda: math.Ln2}
	for _, m := range []float64{bits, 1e6} {
		width := 1.
		for m*throws.Survival(math.Exp2(width)-1) > 0.01 {
			width++
		}
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprintf("m = %.0f", m), Published: "3 to 4",
			Formula: &width})
	}
	return v
}

// leftHashed is for the d-left counting filter of Bonomi et al.: four subtables of buckets of eight
// cells, three quarters full, each a fingerprint and a counter of two bits. A non-member is
// compared with the 24 cells that are in use.
func leftHashed(*trials.Run) claim.Value {
	v := claim.Value{Name: "Bits of a d-left counting filter, by a 4-bit counting filter's",
		Where:   `section II: it "requires about half the bit-space m of a 4-bit CBF"`,
		Formula: "at 3/4 load and the same rate", Rule: claim.Around, Readings: true,
		Why: "a fingerprint needs a little more than log2(1/rate)/0.75 bits, and four-bit " +
			"counters need 5.8 log2(1/rate): it is one half near a rate of 2 %, and less below"}
	for fingerprint := 8.; fingerprint <= 16; fingerprint += 2 {
		rate := 24 * math.Exp2(-fingerprint)
		v.Cells = append(v.Cells, claim.Cell{Published: "50 %",
			Row: "a rate of " + quantity.Percent(rate),
			Formula: new((fingerprint + 2) / 0.75 /
				(4 * math.Log2(1/rate) / math.Ln2))})
	}
	return v
}

func signatures(run *trials.Run) claim.Value {
	lost := trials.Recall(run, "variable-length signatures", letterly, lostBySignatures)
	return claim.Value{Name: "Members that variable-length signatures lose", Trial: "such filters",
		Where: `section II: the filter "is prone to false negatives"`,
		Cells: []claim.Cell{{Row: "m = 240, k = 5, q = 4, half of 22 elements removed",
			Published: string(claim.Higher), Interval: claim.MeanShare(lost)}}}
}
