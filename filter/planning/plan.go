package planning

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Plan says what a table is for. Members must be given, and Rate or Bytes or both.
type Plan struct {
	// Members is the number of members at a time, 1 to MaxMembers.
	Members int

	// Rate is the highest allowed false-positive rate at the end of the Turnovers, above 0 and
	// below 1. [Plan.Solve] finds the smallest table that keeps it. If Rate is 0, the table is as
	// large as Bytes allows.
	Rate float64

	// Bytes is the largest allowed memory of the table, if it is above 0.
	Bytes int

	Turnovers float64  // turnovers before the table is rebuilt: see [Table]
	Lifetime  Lifetime // how long members stay

	// Reinserts is the number of re-inserts per insert of a table that is refreshed and never
	// rebuilt: see [Table]. If it is above 0, Rate is that of the steady state, and Turnovers must
	// be 0.
	Reinserts float64

	BlockBits int // 512 or 256; 0 stands for 512
}

// Planned is the table that [Plan.Solve] found.
type Planned struct {
	Table Table      // the table at the end of the turnovers, or in the steady state
	Start Prediction // with the members in, before any delete
	End   Prediction // at the end of the turnovers, or in the steady state
}

// RateError says that no table keeps a rate.
type RateError struct {
	Rate float64 // the rate that was asked for
	Best Planned // the largest table, with the most re-inserts
}

// Error has the rate, and the rate of the best table.
func (e *RateError) Error() string {
	t := &e.Best.Table
	end := "for "
	if t.Reinserts > 0 {
		end = "with "
	}
	return fmt.Sprintf("planning: no table keeps the rate %.3g %s%s: the largest one, %d "+
		"blocks of %d bits, ends with %.3g",
		e.Rate, end, t.Span(), t.Blocks, t.blockBits(), e.Best.End.Rate)
}

// Solve returns the smallest table that is expected to keep the Rate to the end of the Turnovers,
// or in the steady state. If Rate is 0, it returns the largest table within Bytes. It allocates no
// table. The error is an *[InputError], or a *[RateError] if no table within Bytes keeps the Rate.
func (p *Plan) Solve() (Planned, error) {
	table, _, err := p.Size()
	if err != nil {
		return Planned{}, err
	}
	return table.planned(), nil
}

// Size returns the Table of [Plan.Solve] and the rate of its End, in a small part of the time.
func (p *Plan) Size() (table Table, rate float64, err error) {
	table, err = p.largest()
	if err != nil {
		return table, 0, err
	}
	if p.Rate == 0 {
		return table, table.rate(), nil
	}
	largest := table.Blocks
	of := func(rate func(*Table) float64) func(blocks int) float64 {
		return func(blocks int) float64 {
			table.Blocks = blocks
			return rate(&table)
		}
	}
	rough, exact := of((*Table).rough), of((*Table).rate)
	guess := expected.Needed(p.Members, p.Rate) / table.blockBits()
	// The rough rate is off by a factor that hardly depends on the size. So the size by the rough
	// rate, times the factor, is near the size by the exact one, which corrects the factor. It
	// begins with a fit to tables of 512 bits whose oldest members leave first.
	low, high := 0, largest+1 // low has a higher rate, and high keeps it
	factor := elementary.Pow(p.Rate, -0.02*elementary.Pow(table.Turnovers, 0.4))
	for tries := 0; high-low > 1; tries++ {
		if tries == 8 { // the factor is of no use, as with rates that no filter has
			if high, _ = expected.Smallest(guess, largest, p.Rate, exact); high <= largest {
				rate = exact(high)
			}
			break
		}
		near, _ := expected.Smallest(guess, largest, p.Rate/factor, rough)
		if near >= high {
			const margin = 1.5 // of the factor, if the size doubles
			near = high - 1
			if high <= largest && rough(near)*factor > p.Rate*(1+margin/float64(high)) {
				break
			}
		}
		guess = min(max(near, low+1), largest)
		end := exact(guess)
		if end > p.Rate {
			low = guess
		} else {
			high, rate = guess, end
		}
		if table.Turnovers < hardlyAny { // the rough rate is exact
			break
		}
		if now := rough(guess); now > 0 && end > 0 {
			factor = end / now
		}
	}
	table.Blocks = min(high, largest)
	if high > largest {
		return table, 0, &RateError{p.Rate, table.planned()}
	}
	return table, rate, nil
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
			return table, &InputError{"Turnovers", p.Turnovers, "0, because there are reinserts"}
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
		return table, &InputError{"Rate", p.Rate, "a number above 0, or a number of bytes"}
	case p.Bytes < 0 || p.Bytes > 0 && p.Bytes < block:
		return table, &InputError{"Bytes", p.Bytes, fmt.Sprintf("at least one block of %d", block)}
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

// TurnoversUntil returns how many turnovers the table keeps a false-positive rate: the largest
// number up to most, within most/1000, after which the rate is not higher. It is 0 if the fresh
// table has a higher rate. It does not look at t.Turnovers. The error is an *[InputError].
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
		return table.rate() <= rate
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

// LeastReinserts returns the least number of re-inserts per insert, within 0.1 %, with which the
// steady state of the table has a false-positive rate not above rate. It is from [MinReinserts] to
// [MaxReinserts], and does not look at t.Turnovers and t.Reinserts. The error is an *[InputError],
// or a *[RateError] if no number of re-inserts is enough, as when rate is not above the fresh rate.
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
	keeps := func(reinserts float64) bool { return steady(reinserts).rate() <= rate }
	// Few re-inserts make long histories, whose predictions are slow, so the search begins in the
	// middle.
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
	if !(rate > 0 && rate < 1) { // in this form NaN fails too
		return &InputError{"Rate", rate, "a number above 0 and below 1"}
	}
	return nil
}
