package flows

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/report/quantity"
)

// Advice says which filter to use for some traffic, by what was measured.
type Advice struct {
	Use   string   `json:"use"`
	Keeps bool     `json:"keeps_rate"` // or it is only the one that comes nearest
	Text  []string `json:"text"`
}

// leastFound is how many non-members must have been found for their number to be taken for the
// rate. It is within a quarter then, by one standard error; for less, the bits themselves say more.
const leastFound = 16

// rate returns the measured rate of an answer, or that of the bits where it is too small to
// measure.
func (a *Answer) rate(nonMembers int) (rate float64, measured bool) {
	if a.FalsePositives >= leastFound {
		return float64(a.FalsePositives) / float64(nonMembers), true
	}
	return a.Rate, false
}

// about is what advice knows of each filter.
var about = map[string]struct {
	class int // nothing is deleted from it; all have the same memory; it grows
	// of its owner: the deletes; a list of the live flows too; that by interval; memory for a
	// second table
	asks   int
	reason string // to use it
	decays string // why its rate grows
	where  string // it is the one to use instead of another that keeps the rate for longer too
}{
	insertOnly: {0, 0, "nothing has to be deleted: it is sized for all flows of this traffic, " +
		"and fills when more come",
		"flows that are gone stay in it", ""},
	deletableIs: {1, 0, "a query reads one cache line, and its owner only deletes",
		"collision bits never clear, so that fewer and fewer deletes clear bits", ""},
	rebuild: {1, 3, "a query reads one cache line; for each build its owner lists the live flows " +
		"and has memory for a second table",
		"the table is too small for the inserts between two builds",
		"without a list by interval of hashes"},
	refresh: {1, 2, "a query reads one cache line; its owner lists the live flows by interval of " +
		"hashes, and needs no second table",
		"the table is too small for the inserts between two refreshes of a block", ""},
	rollingIs: {1, 1, fmt.Sprintf("it does not decay and is never rebuilt; a query reads a "+
		"cache line of each of %d tables, and its owner lists the live flows when a table "+
		"has to go", generations),
		"it has room for twice as many flows as are live, in tables that a query asks one by one",
		"without memory for a second table"},
	counting: {1, 0, "it does not decay, and its owner lists nothing; a query reads a cache line " +
		"per counter",
		"its counters are too few for the live flows", "without a list of the live flows"},
	elasticIs: {2, 0, "it grows with the live flows; a query reads one cache line, and its owner " +
		"only deletes",
		"", ""},
}

// order returns the filters in the order in which they are to be used, the first that keeps the
// rate: insert-only; fewest cache lines per query; least bookkeeping for the owner. The one that
// grows is the last, because it may take more memory than the others have.
func (r *Report) order() []int {
	order := make([]int, len(Names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.Totals[i], &r.Totals[j]
		ofA, ofB := about[a.Filter], about[b.Filter]
		return cmp.Or(cmp.Compare(ofA.class, ofB.class), cmp.Compare(a.Lines, b.Lines),
			cmp.Compare(ofA.asks, ofB.asks))
	})
	return order
}

// advise chooses a filter and says why.
func (r *Report) advise() *Advice {
	a := &Advice{}
	best := 0
	for i := range r.Totals {
		t, now := &r.Totals[i], &r.Totals[best]
		if Names[i] != elasticIs && t.complete() &&
			(!now.complete() || t.Worst.Rate < now.Worst.Rate) {
			best = i
		}
	}
	order := r.order()
	if i := slices.IndexFunc(order, func(i int) bool { return r.Totals[i].Worst.Keeps }); i >= 0 {
		best, a.Keeps = order[i], true
	}
	say := func(format string, args ...any) {
		a.Text = append(a.Text,
			fmt.Sprintf(format, args...))
	}
	w, grown := &r.Totals[best].Worst, &r.Totals[slices.Index(Names, elasticIs)]
	if a.Use = Names[best]; a.Keeps {
		say("use %s: its rate is %s at worst, where %s is to be kept; %s.", a.Use,
			quantity.Percent(w.Rate), quantity.Percent(r.Rate), about[a.Use].reason)
	} else {
		say("no filter keeps %s in %s bytes, nor does elastic in %s; %s comes nearest, with %s "+
			"at worst.", quantity.Percent(r.Rate),
			quantity.Count(r.Plan.Bytes), quantity.Count(grown.Bytes), a.Use,
			quantity.Percent(w.Rate))
	}
	if a.Use == elasticIs {
		say("it takes up to %s; no filter of %s bytes keeps %s.", grown.Growth.Peak.text(),
			quantity.Count(r.Plan.Bytes), quantity.Percent(r.Rate))
	}
	if a.Use == elasticIs || !a.Keeps {
		members := max(r.Plan.Members, r.Traffic.Peak)
		say("Give more --bits-per-key, or size a table: bloomlane plan --members %d --rate %g "+
			"--turnovers %.3g.",
			members, r.Rate, max(0, float64(r.Traffic.Flows)/float64(members)-1))
	}
	switch builds := r.Totals[best].Builds; {
	case a.Use == refresh:
		say("with %s per insert its blocks were refreshed %s; package planning expects %s "+
			"forever, with all members.",
			quantity.Part(r.Plan.Reinserts, "re-insert"), times(builds),
			quantity.Percent(r.Plan.Refreshed))
	case builds > 0:
		say("it was rebuilt %s; its plan for these lifetimes makes that due after %s of the "+
			"mean live flows.", times(builds), turnovers(r.Plan.Turnovers))
	}
	first := true // up to the one to use
	for _, i := range order {
		total := &r.Totals[i]
		first = first && i != best
		switch {
		case total.FalseNegatives > 0:
			say("not %s: it lost live flows, %s.", Names[i], times(total.FalseNegatives))
		case total.Refused > 0:
			say("not %s: it refused %s flows.", Names[i], quantity.Count(total.Refused))
		case first && a.Keeps:
			say("not %s: above that after %s, and %s at worst, because %s.", Names[i],
				turnovers(total.Worst.Until), quantity.Percent(total.Worst.Rate),
				about[Names[i]].decays)
		}
	}
	if a.Keeps && (a.Use == insertOnly || a.Use == deletableIs || a.Use == refresh ||
		a.Use == rebuild) {
		var others []string
		for _, name := range []string{refresh, rebuild, rollingIs, counting} {
			if w := r.Totals[slices.Index(Names, name)].Worst; w.Keeps && name != a.Use {
				where := about[name].where
				if len(others) == 0 && (a.Use == insertOnly || a.Use == deletableIs) {
					where = "if such traffic goes on for longer"
				}
				others = append(others, fmt.Sprintf("%s: %s, %s at worst", where, name,
					quantity.Percent(w.Rate)))
			}
		}
		if len(others) > 0 {
			say("%s.", strings.Join(others, "; "))
		}
	}
	if grown.Worst.Keeps && a.Use != elasticIs {
		say("if the number of live flows is not known beforehand: elastic, %s at worst, in up to "+
			"%s.",
			quantity.Percent(grown.Worst.Rate), grown.Growth.Peak.text())
	}
	// What cannot be predicted is left out.
	predicted, err := r.Plan.turnoversUntil(r.Rate, max(1, int(math.Round(r.Traffic.Mean))))
	if until := r.Totals[slices.Index(Names, deletableIs)].Worst.Until; err == nil &&
		predicted > 0 && until > 0 {
		say("package planning expects the deletable filter to be at %s after %s of these "+
			"lifetimes; it was above it after %.3g.",
			quantity.Percent(r.Rate), turnovers(predicted), until)
	}
	return a
}

// turnovers formats a number of them with three digits.
func turnovers(n float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 3, 64), 64) // it is a number
	return quantity.Part(rounded, "turnover")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return quantity.Count(n) + " times"
}
