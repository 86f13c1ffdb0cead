package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// SetReinserts completes a plan whose members come and go forever, without a number of re-inserts:
// it is 1 per insert, or where there are both a rate and bytes the least that keeps the one in the
// other. Where none does it is the largest, with which [planning.Plan.Solve] fails.
func SetReinserts(p *planning.Plan) error {
	p.Reinserts = 1
	if p.Rate == 0 || p.Bytes == 0 {
		return nil
	}
	largest := *p
	largest.Rate = 0
	planned, err := largest.Solve()
	if err != nil {
		return err
	}
	p.Reinserts, err = planned.Table.LeastReinserts(p.Rate)
	var none *planning.RateError
	if errors.As(err, &none) {
		p.Reinserts = planning.MaxReinserts
		return nil
	}
	return err
}

// ForEver is the part of a report about members that come and go forever.
type ForEver struct {
	// Reinserts are tables by the re-inserts per insert: the smallest that keep the rate that was
	// asked for, or of the plan's size.
	Reinserts []WithReinserts `json:"by_reinserts"`

	// Rolling is the same without any, where there is such a filter.
	Rolling *Other `json:"rolling,omitempty"`

	// Subjects are filters of the same size, after Turnovers.
	Turnovers float64   `json:"turnovers"`
	Subjects  []Subject `json:"same_size"`
}

// WithReinserts is a table in its steady state.
type WithReinserts struct {
	Reinserts float64 `json:"reinserts"`
	Point
}

// Subject is a filter of the plan's size.
type Subject struct {
	Name string  `json:"name"`
	Rate float64 `json:"rate"`
}

// What the part forever has: the re-inserts per insert, and for how long filters are looked at.
var someReinserts = []float64{0.25, 0.5, 1, 2, 4}

const longTurnovers = 100

func (r *Report) forEver() (*ForEver, error) {
	f := &ForEver{Turnovers: longTurnovers}
	given := append([]float64{r.Reinserts}, someReinserts...)
	slices.Sort(given)
	for _, n := range slices.Compact(given) {
		table := r.planned.Table
		table.Reinserts = n
		if r.Rate > 0 && n != r.Reinserts {
			plan := planning.Plan{Members: r.Members, Rate: r.Rate, Lifetime: table.Lifetime,
				Reinserts: n, BlockBits: r.BlockBits}
			planned, err := plan.Solve()
			var none *planning.RateError
			if errors.As(err, &none) {
				continue
			} else if err != nil {
				return nil, err
			}
			table = planned.Table
		}
		table = table.Steady()
		point, err := predict(table, table.Turnovers)
		if err != nil {
			return nil, err
		}
		f.Reinserts = append(f.Reinserts, WithReinserts{n, point})
	}
	demand, size := r.Rate, 0.0
	if demand == 0 {
		size = r.BitsPerKey
	}
	for _, o := range r.others(demand, size) {
		if o.Kind == rolling.Kind.Name {
			f.Rolling = &o
		}
	}
	for _, reinserts := range []float64{r.Reinserts, 0} {
		table, name := r.planned.Table, "refreshed"
		if table.Reinserts = reinserts; reinserts == 0 {
			name = "left alone"
		}
		point, err := predict(table, longTurnovers)
		if err != nil {
			return nil, err
		}
		f.Subjects = append(f.Subjects, Subject{name, point.Rate})
	}
	for _, o := range r.others(0, r.BitsPerKey) {
		f.Subjects = append(f.Subjects, Subject{o.Kind, o.Rate})
	}
	return f, nil
}

// short says in a line what it takes.
func (f *ForEver) short(r *Report) [][]string {
	if r.Rate == 0 || !r.Keeps || f.Rolling == nil {
		return nil
	}
	without := "none"
	if r.Lifetime != planning.Oldest().String() {
		without = "those that outlive its ring"
	}
	return [][]string{{"in short", fmt.Sprintf("%g %% forever: %.1f bits per key and %s, or %.1f "+
		"and %s (rolling)", 100*r.Rate, r.BitsPerKey, reinserts(r.Reinserts),
		f.Rolling.BitsPerKey, without)}}
}

// tables are those of the part.
func (f *ForEver) tables() []*pivot.Table {
	steady := pivot.Rows("re-inserts|bits per key|rate|deletability, %", f.Reinserts,
		func(t WithReinserts) []string {
			return []string{fmt.Sprintf("%.3g", t.Reinserts), fmt.Sprintf("%.1f", t.BitsPerKey),
				rate(t.Rate), percent(t.Deletability)}
		})
	if steady.Empty = ""; f.Rolling != nil {
		steady.Rows = append(steady.Rows, []string{"rolling",
			fmt.Sprintf("%.1f", f.Rolling.BitsPerKey), rate(f.Rolling.Rate)})
	}
	same := pivot.Rows("|rate", f.Subjects, func(s Subject) []string {
		return []string{s.Name, rate(s.Rate)}
	})
	return []*pivot.Table{steady.Titled("by re-inserts per insert, forever", ""),
		same.Titled(fmt.Sprintf("the same size, after %g turnovers; of rolling, with a full ring",
			f.Turnovers), "")}
}
