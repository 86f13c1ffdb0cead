package base

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
)

// RateError says that no filter has the rate of a plan. [Solve] makes an error for users of it.
type RateError struct {
	// Best is the lowest rate of the members of the plan, or 0 if that is not known.
	Best float64
}

func (e *RateError) Error() string { return fmt.Sprintf("no filter below a rate of %g", e.Best) }

// Solve returns what a kind makes of a plan, which solve computes for a number of members. If the
// error of solve is a *[RateError], Solve returns a *[filter.SizingError] that says what is
// possible: a higher rate, or fewer members.
func Solve[S any](
	kind string,
	members int,
	rate float64,
	solve func(members int) (S, error),
) (S, error) {
	size, err := solve(members)
	impossible, is := err.(*RateError)
	if !is {
		return size, err
	}
	possible := ""
	// A rate near 1 is of no use.
	if best := filter.RoundRate(impossible.Best); best > 0 && best < 0.99 {
		possible = fmt.Sprintf("at least %g, or ", best)
	}
	for fewer := members / 2; fewer > 0; fewer /= 2 {
		if _, err := solve(fewer); err == nil {
			return size, &filter.SizingError{Kind: kind, Field: "Rate", Found: rate,
				Expected: fmt.Sprintf("%sfewer Members than %d, such as %d", possible, members,
					fewer)}
		}
	}
	return size, &filter.SizingError{Kind: kind, Field: "Rate", Found: rate,
		Expected: possible + "a higher one, which a table of 64 GiB has"}
}
