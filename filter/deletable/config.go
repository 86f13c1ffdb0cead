package deletable

import (
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// MaxBlocks is the largest number of blocks of a filter, which is 64 GiB of memory. If an int has
// 32 bits it is 256 MiB, so that the number of bits fits an int.
const MaxBlocks = planning.MaxBlocks

// Config says what a filter is for. [New] chooses its size from it.
type Config struct {
	// Members is the planned number of members at a time, at least 1. The filter accepts more, and
	// then has more false positives.
	Members int

	// BitsPerKey sets the size: bits per planned member, collision bits included. Exactly one of
	// BitsPerKey and Rate must be above 0; the other is 0.
	BitsPerKey float64

	// Rate sets the false-positive rate, a share above 0 and below 1. New makes the smallest filter
	// that is expected to keep it to the end of the Turnovers, as a mean over hash keys: see
	// [planning.Plan]. About half of all filters are above the mean, and about 99 of 100 stay below
	// [planning.Prediction.Rate99].
	//
	// If members are deleted, set Turnovers or Reinserts too. Without them, in a full filter of 1 %
	// only 72 % of the deletes clear a bit, and the others leave their key present; in one of 0.1 %
	// 96 % do.
	Rate float64

	// Turnovers is how many times all members will be replaced before the filter is rebuilt, from 0
	// to [planning.MaxTurnovers]. It is 0 if members are never replaced. After
	// Members*(1+Turnovers) inserts a rebuild is due: see [Filter.Due].
	Turnovers float64

	// Lifetime says how long members stay. The zero Lifetime is [planning.Oldest]: the oldest
	// member leaves first.
	Lifetime planning.Lifetime

	// Reinserts plans for a filter that is refreshed and never rebuilt, if it is above 0. It is the
	// number of members that are inserted again per insert, from [planning.MinReinserts] to
	// [planning.MaxReinserts]. Rate is then the rate of the steady state, Turnovers must be 0, and
	// a rebuild is never due.
	Reinserts float64

	// Key is the hash key. The zero Key stands for a new random key. Filters that are merged need
	// the same key.
	Key key.Key
}

// size is the number of blocks of a plan, and the expected rate at the end of its turnovers.
type size struct {
	blocks int
	rate   float64
}

// solve returns the size of c.
func (c *Config) solve() (size, error) {
	plan := *c // of which Solve varies the members
	return base.Solve(kindName, &plan.Members, c.Rate, plan.attempt)
}

// plan returns the number of blocks of the filter that New makes for c, and its plan.
func (c *Config) plan() (nblocks int, p plan, err error) {
	size, err := c.solve()
	return size.blocks, plan{members: uint64(c.Members), turnovers: c.Turnovers, rate: size.rate,
		lifetime: c.Lifetime, reinserts: c.Reinserts}, err
}

// attempt returns the size of c. The error is a *[base.RateError] if no table keeps the rate.
func (c *Config) attempt() (size, error) {
	switch {
	case c.BitsPerKey == 0 && c.Rate == 0:
		return size{}, &filter.SizingError{Kind: kindName, Field: "BitsPerKey",
			Found: 0, Expected: "a number above 0, or a rate"}
	case c.BitsPerKey != 0 && c.Rate != 0:
		return size{}, &filter.SizingError{Kind: kindName, Field: "BitsPerKey",
			Found: c.BitsPerKey, Expected: fmt.Sprintf("0, because there is a rate of %g", c.Rate)}
	case c.Rate > 0 && c.Rate < filter.MinRate(c.Members):
		return size{}, &filter.SizingError{Kind: kindName, Field: "Rate",
			Found: c.Rate, Expected: filter.LeastRate(c.Members)}
	case c.Rate != 0:
		plan := planning.Plan{Members: c.Members, Rate: c.Rate, Turnovers: c.Turnovers,
			Lifetime: c.Lifetime, Reinserts: c.Reinserts, BlockBits: blockBits}
		planned, err := sizeOf(&plan)
		if err != nil {
			return planned, err
		}
		s := filter.Sizing(*c)
		bits := blockBits * float64(planned.blocks)
		return planned, s.CheckBits(kindName, bits, func(bitsPerKey float64) float64 {
			sized := *c
			sized.BitsPerKey, sized.Rate = bitsPerKey, 0
			planned, err := sized.attempt()
			if err != nil {
				return 1
			}
			return planned.rate
		})
	}
	blocks, err := planning.BlocksFor(blockBits, c.Members, c.BitsPerKey)
	if err != nil {
		return size{}, configError(err)
	}
	plan := planning.Plan{Members: c.Members, Bytes: blocks * BlockBytes, Turnovers: c.Turnovers,
		Lifetime: c.Lifetime, Reinserts: c.Reinserts, BlockBits: blockBits}
	return sizeOf(&plan)
}

func sizeOf(p *planning.Plan) (size, error) {
	table, rate, err := p.Size()
	return size{table.Blocks, rate}, configError(err)
}

// configError turns an error of package planning into a *filter.SizingError or a *base.RateError.
// The fields have the same names in both packages.
func configError(err error) error {
	var input *planning.InputError
	if errors.As(err, &input) {
		return &filter.SizingError{Kind: kindName, Field: input.Field, Found: input.Found,
			Expected: input.Expected}
	}
	var rate *planning.RateError
	if errors.As(err, &rate) {
		return &base.RateError{Best: rate.Best.End.Rate}
	}
	return err
}
