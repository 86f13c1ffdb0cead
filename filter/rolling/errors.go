package rolling

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
)

// ErrStragglers says that the oldest generation cannot go, because members may be left in it and
// there is no source of stragglers. Delete members by DeleteHashIn, or set [Config.Stragglers] or
// [Config.Expire]. It wraps [filter.ErrFull].
var ErrStragglers = fmt.Errorf("%w: members are left, and there is no source of stragglers",
	filter.ErrFull)

// StragglersError says that an insert, or [Filter.Rotate], needs a table while every generation has
// members left. No member is lost. The key, or the rest of the batch, is not inserted.
type StragglersError struct {
	// Err is ErrStragglers, filter.ErrFull if there are more stragglers than room, or the error of
	// the source or its context.
	Err        error
	Generation Generation // the oldest generation
	Found      int        // for ErrStragglers the most members left, else the stragglers so far
	Expected   int        // the most that Found may be; no meaning for the error of a source
}

// Error names the generation, what is wrong, and the numbers.
func (e *StragglersError) Error() string {
	if e.Err != ErrStragglers && e.Err != filter.ErrFull {
		return fmt.Sprintf("rolling filter: generation %d: source of stragglers failed after "+
			"%d: %v", e.Generation, e.Found, e.Err)
	}
	return fmt.Sprintf("rolling filter: generation %d: %v: found %d, expected at most %d",
		e.Generation, e.Err, e.Found, e.Expected)
}

// Unwrap returns e.Err.
func (e *StragglersError) Unwrap() error { return e.Err }
