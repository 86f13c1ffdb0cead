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

// Solve returns what a kind makes of a plan, which attempt computes. If the error of attempt is a
// *[RateError], Solve returns a *[filter.SizingError] that says what is possible: a higher rate, or
// fewer members. To find how many, it calls attempt again with other members, which it leaves
// behind.
func Solve[S any](
	kind string,
	members *int,
	rate float64,
	attempt func() (S, error),
) (S, error) {
	var none S
	planned := *members
	size, err := attempt()
	impossible, is := err.(*RateError)
	switch {
	case err == nil:
		return size, nil
	case !is:
		return none, err
	}
	possible := ""
	// A rate near 1 is of no use.
	if best := filter.RoundRate(impossible.Best); best > 0 && best < 0.99 {
		possible = fmt.Sprintf("at least %g, or ", best)
	}
	for *members /= 2; *members > 0; *members /= 2 {
		if _, err := attempt(); err == nil {
			return none, &filter.SizingError{Kind: kind, Field: "Rate", Found: rate,
				Expected: fmt.Sprintf("%sfewer members than %d, such as %d", possible, planned,
					*members)}
		}
	}
	return none, &filter.SizingError{Kind: kind, Field: "Rate", Found: rate,
		Expected: possible + "a higher one, which a table of 64 GiB has"}
}
