package flows

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// Advice says which filter to use for some traffic, by what was measured.
type Advice struct {
	Use   string   `json:"use"`
	Keeps bool     `json:"keeps_rate"` // or it is only the one that comes nearest
	Worst []Worst  `json:"worst"`      // of the filters, in the order of Names
	Text  []string `json:"text"`
}

// Worst is the highest rate of false positives of a filter in a run: at the samples, and by its bits between
// them (see [High]).
type Worst struct {
	Filter   string  `json:"filter"`
	Rate     float64 `json:"rate"`
	Seconds  float64 `json:"seconds"`
	Complete bool    `json:"complete"`   // it took and found every live flow
	Keeps    bool    `json:"keeps_rate"` // that too, and its rate was never above the one to keep
	// Until is how many turnovers there were before it was first seen above the rate to keep; it is of those
	// that do not keep it.
	Until float64 `json:"until_turnovers,omitempty"`
}

// leastFound is how many strangers must have been found for their number to be taken for the rate. It is
// within a quarter then, by one standard error; for less, the bits themselves say more.
const leastFound = 16

// rate returns the measured rate of an answer, or that of the bits where it is too small to measure.
func (a *Answer) rate(strangers int) (rate float64, measured bool) {
	if a.Strangers >= leastFound {
		return float64(a.Strangers) / float64(strangers), true
	}
	return a.Rate, false
}

// worst finds the highest rates.
func (r *Report) worst() []Worst {
	all := make([]Worst, len(Names))
	for i := range all {
		w := &all[i]
		w.Filter = Names[i]
		w.Complete = r.Totals[i].FalseNegatives == 0 && r.Totals[i].Refused == 0
		high := r.Totals[i].Between
		w.Rate, w.Seconds, w.Until = high.Rate, high.Seconds, high.Until
		above := high.Rate > r.Rate
		for j := range r.Samples {
			s := &r.Samples[j]
			rate, _ := s.Answers[i].rate(r.Strangers)
			if rate > w.Rate {
				w.Rate, w.Seconds = rate, s.Seconds
			}
			if rate > r.Rate && (!above || s.Turnovers < w.Until) {
				above = true
				w.Until = s.Turnovers
			}
		}
		w.Keeps = w.Complete && !above
	}
	return all
}

// asks orders the filters by what they ask of their owner: nothing; the deletes; a list of the live flows too;
// and memory for a second table.
var asks = map[string]int{insertOnly: 0, deletableIs: 1, counting: 1, rollingIs: 2, rebuild: 3}

// order returns the filters in the order in which they are to be used, the first that keeps the rate: the one
// from which nothing has to be deleted, and the others by the lines of memory that a query reads, then by
// what they ask of their owner.
func (r *Report) order() []int {
	order := make([]int, len(Names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.Totals[i], &r.Totals[j]
		switch {
		case asks[a.Filter] == 0 || asks[b.Filter] == 0:
			return cmp.Compare(asks[a.Filter], asks[b.Filter])
		default:
			return cmp.Or(cmp.Compare(a.Lines, b.Lines), cmp.Compare(asks[a.Filter], asks[b.Filter]))
		}
	})
	return order
}

// reasons say what makes a filter the one to use.
var reasons = map[string]string{
	insertOnly:  "nothing has to be deleted: it is made for all flows of this traffic, and fills where more come",
	deletableIs: "a query reads one cache line, and nothing but the deletes is asked of its owner",
	rebuild:     "a query reads one cache line; its owner lists the live flows, as a flow table can, and for each build has memory for a second table",
	rollingIs:   fmt.Sprintf("it does not decay and is never built anew; a query reads a cache line of each of %d tables, and its owner lists the live flows when a table has to go", generations),
	counting:    "it does not decay, and its owner lists nothing; a query reads a cache line for each of its counters, one after another",
}

// advise chooses a filter and says why.
func (r *Report) advise() *Advice {
	a := &Advice{Worst: r.worst()}
	best := 0
	for i, w := range a.Worst {
		if now := a.Worst[best]; w.Complete && (!now.Complete || w.Rate < now.Rate) {
			best = i
		}
	}
	order := r.order()
	for _, i := range order {
		if a.Worst[i].Keeps {
			best, a.Keeps = i, true
			break
		}
	}
	say := func(format string, args ...any) { a.Text = append(a.Text, fmt.Sprintf(format, args...)) }
	w := a.Worst[best]
	a.Use = w.Filter
	if a.Keeps {
		say("use %s: its rate is %s at worst, at the samples and by its bits between them, where %s was to be kept; %s.", a.Use, quantity.Percent(w.Rate), quantity.Percent(r.Rate), reasons[a.Use])
	} else {
		say("none of them keeps %s in %s bytes; %s comes nearest, with %s at worst.", quantity.Percent(r.Rate), quantity.Count(r.Plan.Bytes), a.Use, quantity.Percent(w.Rate))
	}
	if builds := r.Totals[best].Builds; builds > 0 {
		say("it was built anew %s, which is due after %.3g turnovers of the mean live flows by the plan for these lifetimes.", times(builds), r.Plan.Turnovers)
	}
	first := true // up to the one to use
	for _, i := range order {
		w, total := a.Worst[i], &r.Totals[i]
		first = first && i != best
		switch {
		case total.FalseNegatives > 0:
			say("not %s: it lost live flows, %s.", w.Filter, times(total.FalseNegatives))
		case total.Refused > 0:
			say("not %s: it refused %s flows.", w.Filter, quantity.Count(total.Refused))
		case first && a.Keeps:
			say("not %s: above that after %.3g turnovers, and %s at worst, because %s.", w.Filter, w.Until, quantity.Percent(w.Rate), decays[w.Filter])
		}
	}
	if a.Keeps && (a.Use == insertOnly || a.Use == deletableIs || a.Use == rebuild) {
		say("%s", a.others(r))
	}
	if !a.Keeps {
		say("%s", r.larger())
	}
	// What cannot be predicted is only left out.
	predicted, err := r.Plan.turnoversUntil(r.Rate, max(1, int(math.Round(r.Traffic.Mean))))
	if until := a.Worst[indexOf(deletableIs)].Until; err == nil && predicted > 0 && until > 0 {
		say("package planning expects the deletable filter to be at %s after %.3g turnovers of these lifetimes; it was above it after %.3g.",
			quantity.Percent(r.Rate), predicted, until)
	}
	return a
}

var decays = map[string]string{
	insertOnly:  "flows that are gone stay in it",
	deletableIs: "collision bits never clear, so that less and less can be deleted",
	rebuild:     "the table is too small for what comes between two builds",
	rollingIs:   "its memory is for twice as many flows as are live, in tables of which any may show a stranger",
}

// others says which filters to use where the circumstances are other ones.
func (a *Advice) others(r *Report) string {
	var parts []string
	for _, other := range []struct{ name, where string }{
		{rebuild, "if such traffic goes on for longer"},
		{rollingIs, "without memory for a second table"},
		{counting, "without a list of the live flows"},
	} {
		if w := a.Worst[indexOf(other.name)]; w.Keeps && w.Filter != a.Use {
			parts = append(parts, fmt.Sprintf("%s: %s, %s at worst", other.where, w.Filter, quantity.Percent(w.Rate)))
		}
	}
	if len(parts) == 0 {
		if a.Use == rebuild {
			return "without a second table: " + r.larger()
		}
		return "if such traffic goes on for longer: " + r.larger()
	}
	return strings.Join(parts, "; ") + "."
}

// larger says what other sizes would do.
func (r *Report) larger() string {
	var parts []string
	kept := false
	members := max(r.Plan.Members, r.Traffic.Peak)
	ring := rolling.Config{Members: members, Rate: r.Rate, Generations: generations}
	if p, err := ring.Planned(); err == nil {
		kept = true
		parts = append(parts, fmt.Sprintf("rolling keeps it for ever with %s flows at a time in %s bytes", quantity.Count(members), quantity.Count(p.Bytes)))
	}
	turnovers := min(max(0, float64(r.Traffic.Flows)/float64(members)-1), planning.MaxTurnovers)
	table := planning.Plan{Members: members, Rate: r.Rate, Turnovers: turnovers, Lifetime: r.Plan.lifetime}
	planned, err := table.Solve()
	var none *planning.RateError
	switch {
	case err == nil:
		kept = true
		parts = append(parts, fmt.Sprintf("deletable for all %s of this traffic in %s", quantity.Count(r.Traffic.Flows), quantity.Count(planned.Table.Bytes())))
	case errors.As(err, &none):
		parts = append(parts, "deletable in no size")
	}
	if !kept {
		return "no filter of any size is known to keep it."
	}
	return strings.Join(parts, ", ") + " (planned)."
}

func indexOf(name string) int {
	for i, n := range Names {
		if n == name {
			return i
		}
	}
	panic("flows: no filter " + name)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return quantity.Count(n) + " times"
}

// percent formats a rate.
