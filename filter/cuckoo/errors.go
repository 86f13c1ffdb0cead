package cuckoo

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
)

// FullError is the error of an insert that finds no place, because the filter is nearly full or
// because the key already fills both its buckets. It wraps [filter.ErrFull].
type FullError struct {
	Members int // members in the filter
	Slots   int // slots of the filter
}

func (e *FullError) Error() string {
	return fmt.Sprintf("cuckoo filter: %v: no place for a fingerprint beside %d in %d slots",
		filter.ErrFull, e.Members, e.Slots)
}

// Unwrap returns [filter.ErrFull].
func (e *FullError) Unwrap() error { return filter.ErrFull }
