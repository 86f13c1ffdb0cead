package planning

import (
	"fmt"
	"math"
	"sort"
)

// Plan says what a table is for. Members, and Rate or Bytes or both, must be given.
type Plan struct {
	// Members is the number of members at a time, 1 to MaxMembers.
	Members int

	// Rate, above 0 and below 1, is the highest false-positive rate at the end of the Turnovers: the
	// table is the smallest that keeps it. At 0 the table is as large as Bytes allows.
	Rate float64

	// Bytes, where it is above 0, is the most that the table may take.
	Bytes int

	Turnovers float64  // until the table is built anew: see [Table]
	Lifetime  Lifetime // of the members
	BlockBits int      // 512, which 0 stands for, or 256
}

// Planned is a table by a [Plan].
type Planned struct {
	Table      Table
	Start, End Prediction // with the members in, and after the plan's turnovers
}

// RateError is the error of [Plan.Solve] where no table keeps the rate.
type RateError struct {
	Rate float64 // that of the plan
	Best Planned // the largest table that the plan allows
}

func (e *RateError) Error() string {
	return fmt.Sprintf("planning: no table keeps the rate %.3g for %g turnovers: the largest one, %d blocks of %d bits, ends with %.3g",
		e.Rate, e.Best.Table.Turnovers, e.Best.Table.Blocks, e.Best.Table.blockBits(), e.Best.End.Rate)
}

// Solve returns the smallest table that keeps the plan's rate to the end of its turnovers; or, without
// a rate, the table of its bytes. It predicts, and allocates no table. Its error is an *[InputError],
// or a *[RateError] where no table will do.
func (p *Plan) Solve() (Planned, error) {
	table, err := p.largest()
	if err != nil {
		return Planned{}, err
	}
	if p.Rate == 0 {
		return table.planned(), nil
	}
	largest := table.Blocks
	end := func(blocks int) float64 {
		table.Blocks = blocks
		return table.predict().Rate
	}
	// The rate falls with every block more, and is never below the fresh one. So the search begins where
	// that one will do, and doubles up to the first size that does: the bisection between it and the one
	// before is short, and no size far beyond is looked at.
	low := sort.Search(largest-1, func(i int) bool { return FreshRate(table.blockBits(), p.Members, i+1) <= p.Rate })
	enough := low + 1
	for end(enough) > p.Rate {
		if enough == largest {
			return Planned{}, &RateError{p.Rate, table.planned()}
		}
		low = enough
		enough = int(min(2*int64(enough), int64(largest)))
	}
	table.Blocks = low + 1 + sort.Search(enough-low-1, func(i int) bool { return end(low+1+i) <= p.Rate })
	return table.planned(), nil
}

// largest returns the largest table that the plan allows.
func (p *Plan) largest() (Table, error) {
	table := Table{BlockBits: orDefault(p.BlockBits), Blocks: MaxBlocks, Members: p.Members, Turnovers: p.Turnovers, Lifetime: p.Lifetime}
	if err := table.Check(); err != nil {
		return table, err
	}
	if p.Rate != 0 && !(p.Rate > 0 && p.Rate < 1) { // so written, NaN fails it too
		return table, &InputError{"Rate", p.Rate, "a number above 0 and below 1"}
	}
	block := table.blockBits() / 8
	switch {
	case p.Rate == 0 && p.Bytes == 0:
		return table, &InputError{"Rate", p.Rate, "it or Bytes above 0"}
	case p.Bytes < 0 || p.Bytes > 0 && p.Bytes < block:
		return table, &InputError{"Bytes", p.Bytes, fmt.Sprintf("a block of %d at least", block)}
	case p.Bytes > 0:
		table.Blocks = min(MaxBlocks, p.Bytes/block)
	}
	return table, nil
}

// planned returns the table with its predictions.
func (t *Table) planned() Planned {
	start := *t
	start.Turnovers = 0
	return Planned{Table: *t, Start: start.predict(), End: t.predict()}
}

// TurnoversUntil returns for how long the table keeps a false-positive rate: the largest number of turnovers
// up to most, to a thousandth of it, after which the rate is no higher. It is 0 where the table does not
// keep it at all. Its error is an *[InputError].
func (t *Table) TurnoversUntil(rate, most float64) (float64, error) {
	table := *t
	table.Turnovers = most
	if err := table.Check(); err != nil {
		return 0, err
	}
	if !(rate > 0 && rate < 1) {
		return 0, &InputError{"Rate", rate, "a number above 0 and below 1"}
	}
	keeps := func(turnovers float64) bool {
		table.Turnovers = turnovers
		return table.predict().Rate <= rate
	}
	if keeps(most) {
		return most, nil
	}
	low, high := 0.0, most
	for math.Abs(high-low) > most/1000 {
		if middle := (low + high) / 2; keeps(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}
