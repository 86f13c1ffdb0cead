package deletable

import (
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// MaxBlocks is the largest number of blocks of a filter: 64 GiB of them. Where an int has 32 bits
// it is 256 MiB, so that the number of a table's bits fits one.
const MaxBlocks = planning.MaxBlocks

// Config says what a filter is for.
type Config struct {
	// Members is the number of members at a time to plan for, at least 1. The filter takes more,
	// with more false positives.
	Members int

	// BitsPerKey sizes the filter by memory: bits for each of the Members, collision bits
	// included. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate: the smallest filter that is expected to
	// keep it to the end of the Turnovers, in the mean over hash keys, see [planning.Plan]; about
	// 99 of 100 filters stay below [planning.Prediction.Rate99]. It lies between 0 and 1.
	Rate float64

	// Turnovers is how many times all the members are to be replaced before the filter is built
	// anew: 0, for members that only come, to [planning.MaxTurnovers]. After Members*(1+Turnovers)
	// inserts the plan is used up: see [Filter.Due].
	Turnovers float64

	// Lifetime is how long members stay, as far as they are replaced; the zero Lifetime is
	// [planning.Oldest].
	Lifetime planning.Lifetime

	// Reinserts, if it is above 0, plans for a filter that is never built anew: its owner refreshes
	// the blocks in turn. It is the number of members inserted again per insert,
	// [planning.MinReinserts] to [planning.MaxReinserts]. Rate is then that of the steady state,
	// Turnovers must be 0, and the plan is never used up.
	Reinserts float64

	// Key is the hash key; the zero Key means a new random one. A given key makes filters
	// reproducible, and mergeable.
	Key key.Key
}

// Blocks returns the number of blocks of the filter that [New] makes for c: 1 to [MaxBlocks], of
// [BlockBytes] each. Its error is a *[filter.SizingError].
func (c *Config) Blocks() (int, error) {
	table, _, err := c.solve()
	return table.Blocks, err
}

// solve returns the table of c, after its turnovers, and the rate that it is expected to have then.
func (c *Config) solve() (planning.Table, float64, error) {
	switch {
	case c.BitsPerKey == 0 && c.Rate == 0:
		return planning.Table{}, 0, &filter.SizingError{Kind: kindName, Field: "BitsPerKey",
			Found: 0, Expected: "either it or Rate above 0"}
	case c.BitsPerKey != 0 && c.Rate != 0:
		return planning.Table{}, 0, &filter.SizingError{Kind: kindName, Field: "BitsPerKey",
			Found: c.BitsPerKey, Expected: fmt.Sprintf("0, because Rate is %g", c.Rate)}
	case c.Rate > 0 && c.Rate < filter.MinRate(c.Members):
		return planning.Table{}, 0, &filter.SizingError{Kind: kindName, Field: "Rate",
			Found: c.Rate, Expected: filter.LeastRate(c.Members)}
	case c.Rate != 0:
		plan := planning.Plan{Members: c.Members, Rate: c.Rate, Turnovers: c.Turnovers,
			Lifetime: c.Lifetime, Reinserts: c.Reinserts, BlockBits: blockBits}
		planned, err := plan.Solve()
		return planned.Table, planned.End.Rate, configError(err)
	}
	blocks, err := planning.BlocksFor(blockBits, c.Members, c.BitsPerKey)
	if err != nil {
		return planning.Table{}, 0, configError(err)
	}
	plan := planning.Plan{Members: c.Members, Bytes: blocks * BlockBytes, Turnovers: c.Turnovers,
		Lifetime: c.Lifetime, Reinserts: c.Reinserts, BlockBits: blockBits}
	planned, err := plan.Solve()
	return planned.Table, planned.End.Rate, configError(err)
}

// configError returns an error of package planning, whose fields have the names of Config's, as a
// *filter.SizingError.
func configError(err error) error {
	var input *planning.InputError
	if errors.As(err, &input) {
		return &filter.SizingError{Kind: kindName, Field: input.Field, Found: input.Found,
			Expected: input.Expected}
	}
	var rate *planning.RateError
	if errors.As(err, &rate) {
		best := rate.Best.Table
		return &filter.SizingError{Kind: kindName, Field: "Rate", Found: rate.Rate,
			Expected: fmt.Sprintf("at least %.3g: the best for %d members and %s in %d blocks",
				rate.Best.End.Rate, best.Members, best.Span(), best.Blocks)}
	}
	return err
}
