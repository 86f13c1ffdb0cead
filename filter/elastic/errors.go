package elastic

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
)

// FullError is the error of an insert or a merge for which the filter cannot grow far enough. It
// wraps [filter.ErrFull].
type FullError struct {
	Members int // the members with those that were to be inserted
	Most    int // the most members that the filter takes: see [Filter.Most]
}

func (e *FullError) Error() string {
	return fmt.Sprintf("elastic filter: %v: found %d members, expected at most %d", filter.ErrFull,
		e.Members, e.Most)
}

// Unwrap returns [filter.ErrFull].
func (e *FullError) Unwrap() error { return filter.ErrFull }
