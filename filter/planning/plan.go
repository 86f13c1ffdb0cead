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

	// Rate, above 0 and below 1, is the highest false-positive rate at the end of the Turnovers:
	// the table is the smallest that keeps it. At 0 the table is as large as Bytes allows.
	Rate float64

	// Bytes, where it is above 0, is the most that the table may take.
	Bytes int

	Turnovers float64  // until the table is built anew: see [Table]
	Lifetime  Lifetime // of the members

	// Reinserts, if it is above 0, is the number of re-inserts per insert of a table whose blocks
	// are refreshed, and that is never built anew: see [Table]. Rate is then that of the steady
	// state, and Turnovers must be 0.
	Reinserts float64

	BlockBits int // 512, which 0 stands for, or 256
}

// Planned is a table by a [Plan].
type Planned struct {
	Table Table
	// with the members in, and after the plan's turnovers or in the steady state
	Start, End Prediction
}

// RateError is the error where no table keeps a rate.
type RateError struct {
	Rate float64 // that was asked for
	Best Planned // the largest table, with the most re-inserts
}

func (e *RateError) Error() string {
	t := &e.Best.Table
	forEver := ""
	if t.Reinserts > 0 {
		forEver = "ever with "
	}
	return fmt.Sprintf("planning: no table keeps the rate %.3g for %s%s: the largest one, %d "+
		"blocks of %d bits, ends with %.3g",
		e.Rate, forEver, t.Span(), t.Blocks, t.blockBits(), e.Best.End.Rate)
}

// Solve returns the smallest table that keeps the plan's rate to the end of its turnovers; or,
// without a rate, the table of its bytes. It predicts, and allocates no table. Its error is an
// *[InputError], or a *[RateError] where no table will do.
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
	// The rate falls with every block more, and is never below the fresh one. So the search begins
	// where that one will do, and doubles up to the first size that does: the bisection between it
	// and the one before is short, and no size far beyond is looked at.
	low := sort.Search(largest-1,
		func(i int) bool { return FreshRate(table.blockBits(), p.Members, i+1) <= p.Rate })
	enough := low + 1
	for end(enough) > p.Rate {
		if enough == largest {
			return Planned{}, &RateError{p.Rate, table.planned()}
		}
		low = enough
		enough = int(min(2*int64(enough), int64(largest)))
	}
	table.Blocks = low + 1 + sort.Search(enough-low-1,
		func(i int) bool { return end(low+1+i) <= p.Rate })
	return table.planned(), nil
}

// largest returns the largest table that the plan allows.
func (p *Plan) largest() (Table, error) {
	table := Table{BlockBits: orDefault(p.BlockBits), Blocks: MaxBlocks, Members: p.Members,
		Turnovers: p.Turnovers, Lifetime: p.Lifetime, Reinserts: p.Reinserts}
	if err := table.Check(); err != nil {
		return table, err
	}
	if p.Reinserts > 0 {
		if p.Turnovers != 0 {
			return table, &InputError{"Turnovers", p.Turnovers, "0, because there are Reinserts"}
		}
		table = table.Steady()
	}
	if p.Rate != 0 {
		if err := checkRate(p.Rate); err != nil {
			return table, err
		}
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

// TurnoversUntil returns for how long the table keeps a false-positive rate: the largest number of
// turnovers up to most, to a thousandth of it, after which the rate is no higher. It is 0 where the
// table does not keep it at all. Its error is an *[InputError].
func (t *Table) TurnoversUntil(rate, most float64) (float64, error) {
	table := *t
	table.Turnovers = most
	if err := table.Check(); err != nil {
		return 0, err
	}
	if err := checkRate(rate); err != nil {
		return 0, err
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

// LeastReinserts returns the least number of re-inserts per insert with which the table keeps a
// false-positive rate for ever, to a thousandth of it: MinReinserts to MaxReinserts. Its error is
// an *[InputError], or a *[RateError] where the rate is that of a fresh table or below.
func (t *Table) LeastReinserts(rate float64) (float64, error) {
	table := *t
	table.Turnovers, table.Reinserts = 0, 0
	if err := table.Check(); err != nil {
		return 0, err
	}
	if err := checkRate(rate); err != nil {
		return 0, err
	}
	steady := func(reinserts float64) *Table {
		table.Reinserts = reinserts
		s := table.Steady()
		return &s
	}
	keeps := func(reinserts float64) bool { return steady(reinserts).predict().Rate <= rate }
	// Few re-inserts make long histories, which take long: so the search begins in the middle.
	low, high := 1.0, 1.0
	for keeps(low) {
		if low == MinReinserts {
			return low, nil
		}
		high, low = low, max(MinReinserts, low/2)
	}
	for high == low || !keeps(high) {
		if high == MaxReinserts {
			return 0, &RateError{rate, steady(high).planned()}
		}
		low, high = high, min(MaxReinserts, 2*high)
	}
	for high-low > high/1000 {
		if middle := (low + high) / 2; keeps(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, nil
}

func checkRate(rate float64) error {
	if !(rate > 0 && rate < 1) { // so written, NaN fails it too
		return &InputError{"Rate", rate, "a number above 0 and below 1"}
	}
	return nil
}
