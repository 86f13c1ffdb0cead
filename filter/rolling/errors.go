package rolling

import (
	"errors"
	"fmt"
)

// Why the oldest generation cannot go: a [StragglersError] wraps one of these, or the error of the
// Stragglers' source.
var (
	// ErrStragglers says that members may be left in it, and nobody to supply them: the owner has
	// to delete them with DeleteHashIn, or to set [Config.Stragglers] or [Config.Expire].
	ErrStragglers = errors.New("stragglers, and no Stragglers to move them")

	// ErrFull says that the stragglers have no room: there are more members than were planned for.
	ErrFull = errors.New("more stragglers than room")
)

// StragglersError is the error of an insert, or of [Filter.Rotate], that needs a table while every
// generation has members left. No member is lost by it, and the key, or the rest of the batch, is
// not inserted.
type StragglersError struct {
	Err        error      // ErrStragglers, ErrFull, or that of the source or its context
	Generation Generation // the oldest
	// of ErrStragglers: at most so many members are left; else so many stragglers came
	Found    int
	Expected int // at most; of the error of a source it means nothing
}

func (e *StragglersError) Error() string {
	if e.Err != ErrStragglers && e.Err != ErrFull {
		return fmt.Sprintf("rolling filter: generation %d: source of stragglers, after %d: %v",
			e.Generation, e.Found, e.Err)
	}
	return fmt.Sprintf("rolling filter: generation %d: %v: found %d, expected at most %d",
		e.Generation, e.Err, e.Found, e.Expected)
}

// Unwrap returns e.Err.
func (e *StragglersError) Unwrap() error { return e.Err }
